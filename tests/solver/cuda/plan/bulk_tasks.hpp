#pragma once

/// \file
/// Small plans with the solve tasks of large plans.

#include <algorithm>
#include <memory>

#include "kernels/common/solve_shapes.hpp"
#include "solver/cuda/plan/sweep.hpp"
#include "solver/plan/factor_plan.hpp"
#include "solver/symbolic/step_log.hpp"

namespace gpusupernodal::test {

/// Returns a CUDA plan with the solve tasks that plans with many entries have.
inline std::shared_ptr<const FactorPlan> with_bulk_tasks(const FactorPlan& plan, const CudaPlanOptions& options = {}) {
  ThreadTeam team(1);
  StepLog log;
  const auto cuda = std::const_pointer_cast<CudaPlan>(build_cuda_plan(plan.host().structure, options, team, log));
  CudaSolvePlan& solve = cuda->solve;
  const OneRhsShape of_double{cuda::one_rhs_entries<double>, cuda::one_rhs_max_outputs};
  const OneRhsShape of_float{cuda::one_rhs_entries<float>, cuda::one_rhs_max_outputs};
  std::int64_t sums = 0;
  std::int64_t partials = 0;
  solve.forward_one_rhs = build_one_rhs_forward_sweep(plan.symbolic, of_double, solve.one_rhs_sums);
  solve.backward_one_rhs = build_one_rhs_backward_sweep(plan.symbolic, of_double, solve.one_rhs_partials);
  solve.forward_float = build_one_rhs_forward_sweep(plan.symbolic, of_float, sums);
  solve.backward_float = build_one_rhs_backward_sweep(plan.symbolic, of_float, partials);
  solve.one_rhs_sums = std::max(solve.one_rhs_sums, sums);
  solve.one_rhs_partials = std::max(solve.one_rhs_partials, partials);
  return std::make_shared<FactorPlan>(plan.host_plan(), cuda);
}

}  // namespace gpusupernodal::test
