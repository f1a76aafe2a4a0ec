#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/cuda/solve_front.hpp"

namespace gpusupernodal::test {
namespace {

template <class T>
class SolveKernels : public ::testing::Test {};

using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SolveKernels, Scalars);

constexpr int paddings[] = {1, cuda::solve_few, cuda::solve_many};

TYPED_TEST(SolveKernels, SolveOneFrontForward) {
  SKIP_WITHOUT_DEVICE();
  for (const Way way : {Way::warp, Way::whole, Way::tiles}) {
    for (const auto& [width, below] : shapes(way)) {
      for (const int padded : paddings) check_forward<TypeParam>(way, width, below, padded);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(SolveKernels, SolveOneFrontBackward) {
  SKIP_WITHOUT_DEVICE();
  for (const Way way : {Way::warp, Way::whole, Way::tiles}) {
    for (const auto& [width, below] : shapes(way)) {
      for (const int padded : paddings) check_backward<TypeParam>(way, width, below, padded);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// One right-hand side: several teams share a CTA, and tasks have more than the minimum of rows or columns.
TYPED_TEST(SolveKernels, WorkWithTeamsAndMoreOutputs) {
  SKIP_WITHOUT_DEVICE();
  for (const Way way : {Way::two_warps, Way::four_warps}) {
    for (const auto& [width, below] : shapes(way)) {
      for (const bool half_tile : {false, true}) {
        check_forward<TypeParam>(way, width, below, 1, {true, half_tile});
        check_backward<TypeParam>(way, width, below, 1, {true, half_tile});
      }
      if (testing::Test::HasFatalFailure()) return;
    }
    check_forward<TypeParam>(way, 13, 10, 1, {false, false});
    check_backward<TypeParam>(way, 13, 10, 1, {false, false});
  }
  for (const auto& [width, below] : shapes(Way::tiles)) {
    for (const int outputs : {24, 48, 64}) {
      check_forward<TypeParam>(Way::tiles, width, below, 1, {true, false, 0, outputs});
      check_backward<TypeParam>(Way::tiles, width, below, 1, {true, false, 0, outputs});
    }
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// Entries that do not fit in a tile of shared memory are read from global memory.
TYPED_TEST(SolveKernels, WorkWithHalfATileInSharedMemory) {
  SKIP_WITHOUT_DEVICE();
  const std::pair<Way, std::pair<int, int>> cases[] = {
      {Way::warp, {16, 19}},   {Way::warp, {26, 6}},   {Way::whole, {60, 70}}, {Way::whole, {60, 324}},
      {Way::tiles, {60, 324}}, {Way::tiles, {512, 8}}, {Way::tiles, {300, 33}}};
  for (const auto& [way, shape] : cases) {
    check_forward<TypeParam>(way, shape.first, shape.second, 1, {true, true});
    check_backward<TypeParam>(way, shape.first, shape.second, 1, {true, true});
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// Simulates devices with less shared memory, where fewer batches of L are in flight.
TYPED_TEST(SolveKernels, WorkWithFewerBatchesInFlight) {
  SKIP_WITHOUT_DEVICE();
  for (int fewer = 1; fewer < cuda::stage_max_batches<TypeParam>; ++fewer) {
    for (const int padded : {cuda::solve_few, cuda::solve_many}) {
      for (const auto& [width, below] : {std::pair{100, 130}, {512, 100}}) {
        check_forward<TypeParam>(Way::tiles, width, below, padded, {true, false, fewer});
        check_backward<TypeParam>(Way::tiles, width, below, padded, {true, false, fewer});
      }
      check_forward<TypeParam>(Way::whole, 64, 190, padded, {true, false, fewer});
      check_backward<TypeParam>(Way::whole, 64, 190, padded, {true, false, fewer});
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// Task sizes that the planner chooses when many fronts are solved concurrently.
TYPED_TEST(SolveKernels, WorkWithLargerTasks) {
  SKIP_WITHOUT_DEVICE();
  for (const int times : {2, 4}) {
    for (const int padded : {cuda::solve_few, cuda::solve_many}) {
      for (const auto& [width, below] : {std::pair{65, 40}, {200, 301}, {300, 33}, {512, 100}}) {
        check_forward<TypeParam>(Way::tiles, width, below, padded, {true, false, 0, 0, times});
        check_backward<TypeParam>(Way::tiles, width, below, padded, {true, false, 0, 0, times});
      }
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// Panels with few rows have no padding.
TYPED_TEST(SolveKernels, WorkWithUnalignedPanels) {
  SKIP_WITHOUT_DEVICE();
  for (const Way way : {Way::warp, Way::whole}) {
    for (const auto& [width, below] : {std::pair{1, 30}, {7, 20}, {13, 10}, {19, 0}, {22, 9}}) {
      for (const int padded : paddings) {
        check_forward<TypeParam>(way, width, below, padded, {false, false});
        check_backward<TypeParam>(way, width, below, padded, {false, false});
      }
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// A right-hand side may contain the bit pattern of an unset entry. Then the solution is NaN there and in all later rows (in
/// all earlier rows of the backward solve), and no CTA waits for that entry forever.
TYPED_TEST(SolveKernels, SignallingNaNInTheRightHandSideGivesNaN) {
  SKIP_WITHOUT_DEVICE();
  using T = TypeParam;
  for (const int width : {20, 48, 130}) {
    const Front<T> front(width, 12, {});
    Vectors<T> start = random_start(front, 1, static_cast<std::size_t>(width) + 13);
    const std::size_t bad = 5;
    start.x[bad] = start.y[bad] = unset<T>(1)[0];
    std::vector<SolveTask> tasks;
    for (int row = 0; row < width; row += cuda::one_rhs_outputs) {
      tasks.push_back(front.task(cuda::SolveKind::diagonal, row, std::min(width, row + cuda::one_rhs_outputs)));
    }
    if (width <= cuda::tile_size) tasks.assign(1, front.task(cuda::SolveKind::whole, 0, front.front));
    const Vectors<T> forward = run(front, tasks, {}, 1, start, false);
    for (std::size_t j = bad; j < static_cast<std::size_t>(width); ++j) {
      EXPECT_TRUE(std::isnan(forward.y[j])) << "row " << j << " of " << width;
    }
    const Vectors<T> backward = run(front, tasks, {}, 1, start, true);
    for (std::size_t j = 0; j <= bad; ++j) EXPECT_TRUE(std::isnan(backward.x[j])) << "row " << j << " of " << width;
  }
}

}  // namespace
}  // namespace gpusupernodal::test
