#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "io/symmetric_matrix.hpp"
#include "kernels/common/solve_shapes.hpp"
#include "solver/cuda/plan/sweep.hpp"
#include "tests/solver/plan/plans.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

template <cuda::SolveKind... kinds>
bool has_kind(cuda::SolveKinds<kinds...>, cuda::SolveKind kind) {
  return ((kind == kinds) || ...);
}

template <class Kinds>
void expect_kinds(const CudaSolveSweep& sweep, cuda::SolveKind of_second_list, bool has_teams) {
  for (const CudaSolveTask& task : sweep.tasks) {
    EXPECT_TRUE(has_kind(Kinds(), task.kind)) << "kind " << static_cast<int>(task.kind);
  }
  for (const CudaSolveTask& task : sweep.warp_tasks) {
    EXPECT_TRUE(task.kind == of_second_list || (has_teams && task.kind == cuda::SolveKind::whole));
  }
}

/// Matrices with narrow, wide and many fronts.
std::vector<io::SymmetricMatrix> matrices() {
  return {io::generate("lap3d:12"), io::generate("shell:120"), dense_spd(700, 1), joined_cliques_spd(40, 150, 90, 3)};
}

/// Kernels stop at a kind for which they were not compiled.
TEST(SweepKinds, AreSupportedByTheKernels) {
  constexpr auto by_warp = cuda::SolveKind::whole_by_warp;
  for (const io::SymmetricMatrix& a : matrices()) {
    SCOPED_TRACE(a.name);
    const auto plan = plan_of(a);
    expect_kinds<cuda::ForwardKinds>(plan->cuda().solve.forward, by_warp, false);
    expect_kinds<cuda::BackwardKinds>(plan->cuda().solve.backward, by_warp, false);
    for (const std::int64_t entries : {cuda::one_rhs_entries<double>, cuda::one_rhs_entries<float>}) {
      std::int64_t numbers = 0;
      const OneRhsShape shape{entries, cuda::one_rhs_outputs};
      expect_kinds<cuda::OneRhsForwardKinds>(build_one_rhs_forward_sweep(plan->symbolic, shape, numbers), by_warp, true);
      expect_kinds<cuda::OneRhsBackwardKinds>(build_one_rhs_backward_sweep(plan->symbolic, shape, numbers), by_warp, true);
    }
  }
}

/// Details are stored and read as those of the task's kind.
TEST(SweepKinds, StoreTheDetailsOfTheirKind) {
  cuda::SolveWork task;
  task.set<cuda::SolveKind::columns>({7, 11, 2, 3});
  EXPECT_EQ(task.kind, cuda::SolveKind::columns);
  const auto [finished, partial, chunk, chunks] = task.get<cuda::SolveKind::columns>();
  EXPECT_EQ(finished, 7);
  EXPECT_EQ(partial, 11);
  EXPECT_EQ(chunk, 2);
  EXPECT_EQ(chunks, 3);
  EXPECT_EQ(second_wait(task).also, no_counter) << "tasks of this kind wait for one counter";
  task.set<cuda::SolveKind::rows>({{5, 4}, 9});
  EXPECT_EQ(second_wait(task).also, 5);
  EXPECT_EQ(second_wait(task).also_need, 4);
  EXPECT_EQ(task.get<cuda::SolveKind::rows>().left, 9);
}

}  // namespace
}  // namespace gpusupernodal::test
