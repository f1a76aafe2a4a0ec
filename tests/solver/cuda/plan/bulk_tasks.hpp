#pragma once

/// \file
/// Small plans with the solve tasks that plans of many entries have.

#include <algorithm>
#include <memory>

#include "kernels/common/tile_shapes.hpp"
#include "solver/cuda/plan/sweep.hpp"
#include "solver/plan/factor_plan.hpp"
#include "solver/symbolic/step_log.hpp"

namespace gpusupernodal::test {

/// Makes a plan's part for a device with those tasks, before anybody asks for it.
inline void use_bulk_tasks(const FactorPlan& plan) {
  ThreadTeam team(1);
  StepLog log;
  std::unique_ptr<CudaPlan> begun = plan.begin_cuda(team, log);
  CudaSolvePlan& solve = begun->solve;
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
  plan.cuda(team, log, std::move(begun));
}

}  // namespace gpusupernodal::test
