/// Memory that an analysis takes beyond the plan that it returns.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "bench/memory_peak.hpp"
#include "io/generators.hpp"
#include "solver/cuda/plan/launch_plan.hpp"
#include "tests/solver/plan/plans.hpp"
#include "tests/support/allow_threads.hpp"

namespace gpusupernodal::test {
namespace {

/// The lower triangle with 32-bit indices, as callers may store a pattern.
struct NarrowPattern {
  std::vector<std::int32_t> offsets{0};
  std::vector<std::int32_t> indices;

  explicit NarrowPattern(const io::SymmetricMatrix& a)
      : offsets(a.offsets.begin(), a.offsets.end()), indices(a.indices.begin(), a.indices.end()) {}
  /// Column j has the diagonal and the row below(j), if below(j) > j.
  NarrowPattern(std::int64_t n, const std::function<std::int64_t(std::int64_t)>& below) {
    for (std::int64_t j = 0; j < n; ++j) {
      indices.push_back(static_cast<std::int32_t>(j));
      if (below(j) > j) indices.push_back(static_cast<std::int32_t>(below(j)));
      offsets.push_back(static_cast<std::int32_t>(indices.size()));
    }
  }
  PatternView view() const {
    PatternView pattern;
    pattern.n = static_cast<std::int64_t>(offsets.size()) - 1;
    pattern.offsets = offsets.data();
    pattern.indices = indices.data();
    return pattern;
  }
  std::int64_t bytes() const { return static_cast<std::int64_t>((offsets.size() + indices.size()) * sizeof(std::int32_t)); }
};

struct Taken {
  std::int64_t peak;  ///< Maximum during the analysis.
  std::int64_t plan;  ///< Held afterwards.
};

Taken analyze(const NarrowPattern& pattern, Ordering ordering, int threads) {
  PlanOptions options = plan_options(ordering, Merging::bounded);
  options.symbolic.threads = threads;
  options.cuda.emplace();
  const std::int64_t before = bench::held_bytes();
  bench::restart_peak();
  const auto plan = with_cuda(make_plan(pattern.view(), options), *options.cuda, threads);
  return {bench::peak_bytes() - before, bench::held_bytes() - before};
}

/// Disconnected copies of a matrix.
NarrowPattern copies(const io::SymmetricMatrix& a, std::int32_t count) {
  NarrowPattern pattern(a);
  const auto columns = pattern.offsets.size();
  const auto entries = pattern.indices.size();
  for (std::int32_t c = 1; c < count; ++c) {
    for (std::size_t e = 0; e < entries; ++e)
      pattern.indices.push_back(pattern.indices[e] + c * static_cast<std::int32_t>(a.n));
    for (std::size_t j = 1; j < columns; ++j)
      pattern.offsets.push_back(pattern.offsets[j] + c * static_cast<std::int32_t>(entries));
  }
  return pattern;
}

/// Allowance for threads and tasks of oneTBB, names, and other memory that does not depend on the matrix.
constexpr std::int64_t any_size = 256 * 1024;

TEST(AnalysisMemory, IsAtMostThreeTimesThePatternAndThePlan) {
  for (const char* name : {"lap2d:300", "lap3d:30", "elas:16", "shell:60", "lap27:20"}) {
    const NarrowPattern pattern(io::generate(name));
    for (const Ordering ordering : {Ordering::automatic, Ordering::nested_dissection, Ordering::natural}) {
      if (ordering == Ordering::natural && std::string(name) != "lap2d:300") continue;
      for (const int threads : {1, 2, 4}) {
        const Taken taken = analyze(pattern, ordering, threads);
        EXPECT_LE(taken.peak, 3 * pattern.bytes() + taken.plan + any_size)
            << name << ", " << threads << " threads: pattern " << pattern.bytes() << ", plan " << taken.plan;
      }
    }
  }
}

/// The graph of A takes 1.5 to 2 times the bytes of the pattern, so within this limit it must have been freed.
TEST(AnalysisMemory, FreesTheGraphBeforeThePlanIsMade) {
  for (const char* name : {"lap2d:300", "lap3d:30", "elas:16", "shell:60"}) {
    const NarrowPattern pattern(io::generate(name));
    const Taken taken = analyze(pattern, Ordering::nested_dissection, 1);
    EXPECT_LE(taken.peak, pattern.bytes() / 2 + taken.plan) << name << ": pattern " << pattern.bytes();
  }
}

/// Three disconnected copies, like mass matrices of three directions. For grids, minimum degree runs concurrently with the
/// dissection.
TEST(AnalysisMemory, BoundHoldsOnManyThreads) {
  allow_threads(16);
  for (const char* name : {"lap27:18", "lap3d:22", "lap2d:120"}) {
    const NarrowPattern pattern = copies(io::generate(name), 3);
    for (const int threads : {2, 4, 16, 16}) {
      const Taken taken = analyze(pattern, Ordering::automatic, threads);
      EXPECT_LE(taken.peak, 3 * pattern.bytes() + taken.plan)
          << name << ", " << threads << " threads: pattern " << pattern.bytes() << ", plan " << taken.plan;
    }
  }
}

/// For rows of one or two entries, every array with a number per row is significant.
TEST(AnalysisMemory, BoundHoldsForRowsOfOneOrTwoEntries) {
  allow_threads(16);
  constexpr std::int64_t n = 200'000;
  const auto expect_little = [](const char* what, const NarrowPattern& pattern) {
    for (const int threads : {1, 2, 3, 4, 16, 16}) {
      const Taken taken = analyze(pattern, Ordering::automatic, threads);
      EXPECT_LE(taken.peak, 3 * pattern.bytes() + taken.plan + (threads > 1 ? any_size : 0))
          << what << ", " << threads << " threads: pattern " << pattern.bytes() << ", plan " << taken.plan;
    }
  };
  expect_little("chain", {n, [](std::int64_t j) { return j + 1 < n ? j + 1 : -1; }});
  expect_little("star", {n, [](std::int64_t) { return n - 1; }});
  expect_little("pairs", {n, [](std::int64_t j) { return j % 2 == 0 ? j + 1 : -1; }});
  expect_little("diagonal", {n, [](std::int64_t) { return -1; }});
}

/// The plan of a chain has about as many levels as fronts. Lists of several threads, each with counters for all levels,
/// would take several times as much as the launches.
TEST(AnalysisMemory, LaunchesOfAChainTakeNoMoreOnManyThreads) {
  allow_threads(16);
  constexpr std::int64_t n = 200'000;
  const NarrowPattern chain(n, [](std::int64_t j) { return j + 1 < n ? j + 1 : -1; });
  const auto plan = with_cuda(make_plan(chain.view(), plan_options(Ordering::automatic, Merging::bounded)), {}, 1);
  const auto peak_on = [&](int threads) {
    ThreadTeam team(threads);
    const std::int64_t before = bench::held_bytes();
    bench::restart_peak();
    team.execute([&] { cuda::build_launch_plan(plan->cuda(), plan->symbolic, team); });
    return bench::peak_bytes() - before;
  };
  EXPECT_LE(peak_on(16), peak_on(1) + any_size);
}

/// Chains, stars and components: a quadratic step would take 10¹² bytes or operations.
TEST(AnalysisMemory, MemoryPerRowIsBoundedWithoutFill) {
  constexpr std::int64_t n = 1'000'000;
  constexpr std::int64_t max_a_row = 650;  // Bytes. The plan of a star takes 480, a third of them for device solves.
  const auto expect_linear = [](const char* what, const NarrowPattern& pattern, Ordering ordering) {
    const Taken taken = analyze(pattern, ordering, 2);
    EXPECT_LE(taken.peak, max_a_row * n) << what << ", plan " << taken.plan;
  };
  expect_linear("chain", {n, [](std::int64_t j) { return j + 1 < n ? j + 1 : -1; }}, Ordering::natural);
  expect_linear("star", {n, [](std::int64_t) { return n - 1; }}, Ordering::automatic);
  expect_linear("pairs", {n, [](std::int64_t j) { return j % 2 == 0 ? j + 1 : -1; }}, Ordering::nested_dissection);
  expect_linear("components", {n, [](std::int64_t) { return -1; }}, Ordering::automatic);
}

}  // namespace
}  // namespace gpusupernodal::test
