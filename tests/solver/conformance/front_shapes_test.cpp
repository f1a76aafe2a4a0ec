/// Fronts of every width, with numbers of rows below around every edge of a tile, a piece and a block.

#include <initializer_list>

#include "tests/solver/conformance/poisoned_arena.hpp"
#include "tests/solver/conformance/subject.hpp"
#include "tests/support/every.hpp"
#include "tests/support/random_patterns.hpp"

namespace gpusupernodal::test {
namespace {

template <class OnBackend>
using FrontShapes = ExecutorTest<OnBackend>;
TYPED_TEST_SUITE(FrontShapes, AllExecutors, BackendNames);

constexpr std::initializer_list<std::int64_t> rows_below{0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000};
constexpr std::initializer_list<std::int64_t> narrow_edges{1,  2,  7,  8,  9,   15,  16,  17,  31,  32,
                                                           33, 63, 64, 65, 127, 128, 129, 255, 256, 257};
constexpr std::initializer_list<std::int64_t> wide_edges{511, 512, 513, 1023, 1024, 1025};
constexpr std::size_t arena_bytes = std::size_t{256} << 20;

/// Problem whose plan has a supernode of this width and number of rows below.
template <class T>
Problem<T> front(std::int64_t width, std::int64_t rows) {
  PlanOptions options;
  options.symbolic.ordering = Ordering::natural;
  options.symbolic.merging = Merging::none;
  Problem<T> problem(single_front(width, rows), options);
  const SymbolicFactor& factor = problem.plan->symbolic;
  bool found = false;
  for (SupernodeId s : factor.supernode_ids()) found |= factor.width(s) == width && factor.rows_below(s) == rows;
  EXPECT_TRUE(found) << problem.a.name;
  return problem;
}

template <class Call>
void for_each_front(std::initializer_list<std::int64_t> widths, std::initializer_list<std::int64_t> rows, const Call& call) {
  for (const std::int64_t width : widths) {
    for (const std::int64_t below : rows) {
      call(width, below);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TYPED_TEST(FrontShapes, SolveToTheirBound) {
  using T = typename TypeParam::Scalar;
  constexpr bool streams = TypeParam::schedule == CudaSchedule::streams;
  ExecutorOptions options;
  options.allocator = std::make_shared<PoisonedArena>(TypeParam::backend, arena_bytes);
  options.threads = 2;
  Thinned cases;
  const auto solve_front = [&](std::int64_t width, std::int64_t rows) {
    if (!cases.takes_next()) return;
    const Problem<T> problem = front<T>(width, rows);
    const auto executor = this->make(problem.plan, options);
    expect_factor_that_solves(problem, *executor, 1 + rows % 2);
  };
  if (streams) {  // Each executor creates cuBLAS and cuSOLVER handles, which is slow.
    return for_each_front({65, 256, 513, 1024, 1025}, {0, 64, 129}, solve_front);
  }
  for_each_front(narrow_edges, rows_below, solve_front);
  for_each_front(wide_edges, {0, 1, 64, 129}, solve_front);
  for (std::int64_t width = 1; width <= 300 && !testing::Test::HasFailure(); ++width) {
    solve_front(width, *(rows_below.begin() + width % static_cast<std::int64_t>(rows_below.size() - 1)));
  }
}

}  // namespace
}  // namespace gpusupernodal::test
