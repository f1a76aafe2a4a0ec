/// Thousands of small matrices of every shape, each in memory filled with NaN.

#include "tests/support/random_patterns.hpp"

#include <algorithm>

#include "tests/solver/conformance/poisoned_arena.hpp"
#include "tests/solver/conformance/subject.hpp"
#include "tests/support/every.hpp"

namespace gpusupernodal::test {
namespace {

template <class OnBackend>
using RandomPatterns = ExecutorTest<OnBackend>;
TYPED_TEST_SUITE(RandomPatterns, AllBackends, BackendNames);

constexpr std::uint64_t patterns = 2400;
constexpr std::size_t arena_bytes = std::size_t{64} << 20;

/// Cycles through orderings, mergings and block widths, so that each family of patterns meets all combinations.
PlanOptions options_of(std::uint64_t seed, Backend backend) {
  constexpr std::array orderings{Ordering::automatic, Ordering::natural, Ordering::amd};
  constexpr std::array mergings{Merging::bounded, Merging::none, Merging::narrow};
  const std::uint64_t turn = seed / pattern_families;
  PlanOptions options;
  options.symbolic.ordering = orderings[turn % 3];
  options.symbolic.merging = mergings[turn / 3 % 3];
  if (turn % 2 == 1) options.block_width = backend == Backend::host ? 24 : 64;
  return options;
}

TYPED_TEST(RandomPatterns, SolveToTheirBound) {
  using T = typename TypeParam::Scalar;
  ExecutorOptions options;
  options.allocator = std::make_shared<PoisonedArena>(TypeParam::backend, arena_bytes);
  options.threads = 2;
  Thinned cases;
  for (std::uint64_t seed = 0; seed < patterns; ++seed) {
    if (!cases.takes_next()) continue;
    const Problem<T> problem(random_pattern(seed), options_of(seed, TypeParam::backend));
    const auto executor = this->make(problem.plan, options);
    const std::int64_t columns = seed % 5 == 0 ? 2 + static_cast<std::int64_t>(seed / 5 % 7) : 1;
    executor->factorization().reserve_right_hand_sides(1 + columns / 2);
    expect_factor_that_solves(problem, *executor, columns);
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// More supernodes than CTAs can be resident in any launch.
TYPED_TEST(RandomPatterns, AMillionTinySupernodes) {
  using T = typename TypeParam::Scalar;
  const std::int64_t blocks = std::max<std::int64_t>(1'000'000 / every(), 10'000);
  PlanOptions natural;
  natural.symbolic.ordering = Ordering::natural;
  const Problem<T> problem(tiny_blocks(blocks), natural);
  ASSERT_GE(problem.plan->symbolic.supernodes(), blocks);
  const auto executor = this->make(problem.plan);
  expect_factor_that_solves(problem, *executor, 1);
}

}  // namespace
}  // namespace gpusupernodal::test
