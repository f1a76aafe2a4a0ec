#pragma once

/// \file
/// Small plans with the solve tasks that plans of many entries have.

#include <algorithm>
#include <memory>

#include "solver/plan/cuda_sweep.hpp"
#include "solver/plan/cuda_tiling.hpp"
#include "solver/plan/factor_plan.hpp"
#include "solver/symbolic/step_log.hpp"

namespace gpusupernodal::test {

/// Makes a plan's part for a device with those tasks, before anybody asks for it.
inline void use_bulk_tasks(const FactorPlan& plan) {
  ThreadTeam team(1);
  StepLog log;
  std::unique_ptr<CudaPlan> begun = plan.begin_cuda(team, log);
  CudaSolvePlan& solve = begun->solve;
  const SingleShape of_double{cuda_single_entries, cuda_single_most_outputs};
  const SingleShape of_float{cuda_single_float_entries, cuda_single_most_outputs};
  std::int64_t sums = 0;
  std::int64_t partials = 0;
  solve.forward_single = build_single_forward_sweep(plan.symbolic, of_double, solve.sums_single);
  solve.backward_single = build_single_backward_sweep(plan.symbolic, of_double, solve.partials_single);
  solve.forward_float = build_single_forward_sweep(plan.symbolic, of_float, sums);
  solve.backward_float = build_single_backward_sweep(plan.symbolic, of_float, partials);
  solve.sums_single = std::max(solve.sums_single, sums);
  solve.partials_single = std::max(solve.partials_single, partials);
  plan.cuda(team, log, std::move(begun));
}

}  // namespace gpusupernodal::test
