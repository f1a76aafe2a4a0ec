#pragma once

/// \file
/// Plans of test matrices.

#include <memory>
#include <vector>

#include "io/symmetric_matrix.hpp"
#include "solver/plan/factor_plan.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {

inline std::shared_ptr<const FactorPlan> cuda_plan_of(const io::SymmetricMatrix& a) {
  PatternView pattern;
  pattern.n = a.n;
  pattern.offsets = a.offsets.data();
  pattern.indices = a.indices.data();
  return with_cuda(make_plan(pattern, {}), {}, 1);
}

/// Builds the launches that the plan would have with other options.
inline cuda::LaunchPlan launches_of(const FactorPlan& plan, std::int32_t streams,
                                    cuda::LaunchScope scope = cuda::LaunchScope::everything,
                                    cuda::AdditionOrder order = cuda::AdditionOrder::any) {
  ThreadTeam one(1);
  return cuda::build_launch_plan(plan.cuda(), plan.symbolic, streams, scope, order, one);
}

/// Builds the device schedule with its task graph, which the default CUDA schedule omits.
inline Schedule block_schedule(const FactorPlan& plan) {
  return build_schedule(plan.symbolic, plan.updates, plan.cuda().schedule.options);
}

/// Small matrices of every shape, and some with wide supernodes: dense ones, and grids whose separators exceed 64 rows.
inline std::vector<io::SymmetricMatrix> matrices() {
  std::vector<io::SymmetricMatrix> all = small_matrices();
  for (const std::int64_t n : {63, 64, 65, 129, 300}) all.push_back(dense_spd(n, static_cast<std::uint64_t>(n)));
  all.push_back(random_spd(700, 2500, 5));
  all.push_back(joined_cliques_spd(2, 1100, 90, 3));
  for (const char* spec : {"lap2d:60", "lap3d:14", "elas:6"}) all.push_back(io::generate(spec));
  return all;
}

}  // namespace gpusupernodal::test
