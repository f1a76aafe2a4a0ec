/// The plan cache: when plans are kept and found, for which inputs, and how many.

#include "gpusupernodal/plan_cache.hpp"

#include <cstdlib>
#include <thread>

#include "io/generators.hpp"
#include "tests/solver/api/solvers.hpp"

namespace gpusupernodal::test {
namespace {

class PlanCacheTest : public testing::Test {
 protected:
  PlanCacheTest() {
    set_plan_cache_limits(PlanCacheLimits());
    clear_plan_cache();
  }
  ~PlanCacheTest() override { clear_plan_cache(); }
};

template <class T = double>
PlanSource analyzed(const StoredMatrix<T>& a, const Options& options = on(Backend::host)) {
  Solver<T> solver(options);
  solver.analyze(a.view());
  return solver.analyze_report().plan_source;
}

TEST_F(PlanCacheTest, TheSamePatternIsAnalyzedOnce) {
  const io::SymmetricMatrix a = io::load("lap3d:8");
  const StoredMatrix<double> matrix = stored<double>(a);
  Solver<double> first(on(Backend::host));
  first.compute(matrix.view());
  EXPECT_EQ(first.analyze_report().plan_source, PlanSource::analyzed);
  Solver<double> second(on(Backend::host));
  second.compute(matrix.view());
  EXPECT_EQ(second.analyze_report().plan_source, PlanSource::cache);
  EXPECT_EQ(second.analyze_report().seconds_ordering, 0.0);
  EXPECT_TRUE(second.analyze_report().steps.empty());
  EXPECT_EQ(second.plan(), first.plan());
  expect_solves(second, a);
  Solver<float> in_float(on(Backend::host));
  in_float.compute(stored<float>(a).view());
  EXPECT_EQ(in_float.plan(), first.plan());
  EXPECT_EQ(plan_cache_info().plans, 1);
  EXPECT_GT(plan_cache_info().bytes, 0);
}

TEST_F(PlanCacheTest, OutlivesTheSolverAndIndexWidths) {
  const io::SymmetricMatrix a = io::load("lap2d:12");
  Form wide;
  wide.wide = true;
  EXPECT_EQ(analyzed(stored<double>(a)), PlanSource::analyzed);
  EXPECT_EQ(analyzed(store<double>(a, wide)), PlanSource::cache);
  Form upper;
  upper.part = StoredPart::upper;
  EXPECT_EQ(analyzed(store<double>(a, upper)), PlanSource::analyzed);
  Form rows;
  rows.part = StoredPart::upper;
  rows.compression = Compression::rows;
  EXPECT_EQ(analyzed(store<double>(a, rows)), PlanSource::analyzed);
}

TEST_F(PlanCacheTest, OnlyPlanOptionsDistinguishEntries) {
  const StoredMatrix<double> a = stored<double>(io::load("lap2d:12"));
  using Change = std::function<void(Options&)>;
  const std::vector<Change> changes{[](Options& o) { o.ordering = Ordering::amd; },
                                    [](Options& o) { o.ordering = Ordering::nested_dissection; },
                                    [](Options& o) { o.ordering_seed = 7; },
                                    [](Options& o) { o.expected_factorizations = 1; },
                                    [](Options& o) { o.merging = Merging::narrow; },
                                    [](Options& o) { o.merge_width = 63; },
                                    [](Options& o) { o.block_width = 64; },
                                    [](Options& o) {
                                      o.last_rows = {{3, 4}};
                                    },
                                    [](Options& o) {
                                      o.last_rows = {{3}, {4}};
                                    },
                                    [](Options& o) {
                                      o.last_rows = {{4}, {3}};
                                    },
                                    [](Options& o) {
                                      o.ordering = Ordering::user;
                                      for (int k = 0; k < 144; ++k) o.permutation.push_back(143 - k);
                                    },
                                    [](Options& o) {
                                      o.ordering = Ordering::user;
                                      for (int k = 0; k < 144; ++k) o.permutation.push_back(k);
                                    }};
  const std::vector<Change> no_matter{[](Options& o) { o.threads = 1; },
                                      [](Options& o) {
                                        o.permutation = {5, 5};
                                      },
                                      [](Options& o) { o.refinement.max_steps = 2; },
                                      [](Options& o) { o.check_finite = false; }};
  set_plan_cache_limits({100, PlanCacheLimits().bytes});
  EXPECT_EQ(analyzed(a), PlanSource::analyzed);
  for (const PlanSource expected : {PlanSource::analyzed, PlanSource::cache}) {
    for (std::size_t k = 0; k < changes.size(); ++k) {
      Options options = on(Backend::host);
      changes[k](options);
      EXPECT_EQ(analyzed(a, options), expected) << k;
    }
  }
  for (const Change& change : no_matter) {
    Options options = on(Backend::host);
    change(options);
    EXPECT_EQ(analyzed(a, options), PlanSource::cache);
  }
}

/// Changes the last index of one column at a time to another valid index: equal counts, different pattern.
TEST_F(PlanCacheTest, OneDifferentIndexIsAnotherPattern) {
  StoredMatrix<double> a = stored<double>(random_spd(20, 25, 3));
  EXPECT_EQ(analyzed(a), PlanSource::analyzed);
  int changed = 0;
  for (std::int64_t column = 0; column < a.n; ++column) {
    const auto begin = static_cast<std::size_t>(a.narrow_offsets[static_cast<std::size_t>(column)]);
    const auto end = static_cast<std::size_t>(a.narrow_offsets[static_cast<std::size_t>(column) + 1]);
    const std::int32_t last = a.narrow_indices[end - 1];
    if (end - begin < 2 || last + 1 >= a.n) continue;
    ++a.narrow_indices[end - 1];
    EXPECT_EQ(analyzed(a), PlanSource::analyzed) << column;
    a.narrow_indices[end - 1] = last;
    clear_plan_cache();
    EXPECT_EQ(analyzed(a), PlanSource::analyzed);
    EXPECT_EQ(analyzed(a), PlanSource::cache);
    ++changed;
  }
  EXPECT_GE(changed, 5);
}

/// Changes offsets only, so that entries belong to other columns.
TEST_F(PlanCacheTest, OneDifferentOffsetIsAnotherPattern) {
  const std::vector<std::int32_t> indices{0, 2, 2, 2};
  MatrixView<double> view;
  view.n = 3;
  const std::vector<std::int32_t> offsets{0, 2, 3, 4};
  view.offsets = IndexArray(offsets.data());
  view.indices = IndexArray(indices.data());
  Solver<double> solver(on(Backend::host));
  solver.analyze(view);
  const std::vector<std::int32_t> others{0, 2, 2, 3};
  view.offsets = IndexArray(others.data());
  solver.analyze(view);
  EXPECT_EQ(solver.analyze_report().plan_source, PlanSource::analyzed);
  const std::vector<std::int32_t> wrong{0, 1, 3, 4};
  view.offsets = IndexArray(wrong.data());
  EXPECT_THROW(solver.analyze(view), InvalidInput);  // Column 1 has row 2 twice: the cache must not hide invalid input.
  view.offsets = IndexArray(static_cast<const std::int32_t*>(nullptr));
  EXPECT_THROW(solver.analyze(view), InvalidInput);
  view.offsets = IndexArray(offsets.data());
  view.indices = IndexArray();
  EXPECT_THROW(solver.analyze(view), InvalidInput);
}

TEST_F(PlanCacheTest, DropsTheLeastRecentlyUsedPlan) {
  std::vector<StoredMatrix<double>> a;
  for (const char* name : {"lap2d:5", "lap2d:6", "lap2d:7"}) a.push_back(stored<double>(io::load(name)));
  set_plan_cache_limits({2, PlanCacheLimits().bytes});
  analyzed(a[0]);
  analyzed(a[1]);
  EXPECT_EQ(analyzed(a[0]), PlanSource::cache);
  analyzed(a[2]);
  EXPECT_EQ(plan_cache_info().plans, 2);
  EXPECT_EQ(analyzed(a[0]), PlanSource::cache);
  EXPECT_EQ(analyzed(a[1]), PlanSource::analyzed);
  EXPECT_EQ(analyzed(a[2]), PlanSource::analyzed);
}

TEST_F(PlanCacheTest, BytesAreBounded) {
  const StoredMatrix<double> small = stored<double>(io::load("lap2d:5"));
  const StoredMatrix<double> large = stored<double>(io::load("lap2d:20"));
  analyzed(small);
  const std::int64_t bytes_of_small = plan_cache_info().bytes;
  analyzed(large);
  const std::int64_t bytes = plan_cache_info().bytes;
  EXPECT_EQ(plan_cache_info().plans, 2);
  set_plan_cache_limits({4, bytes - 1});
  EXPECT_EQ(plan_cache_info().plans, 1);  // The most recently used plan stays.
  EXPECT_EQ(analyzed(large), PlanSource::cache);
  EXPECT_EQ(analyzed(small), PlanSource::analyzed);
  EXPECT_EQ(analyzed(large), PlanSource::analyzed);
  set_plan_cache_limits({4, bytes_of_small});
  EXPECT_EQ(analyzed(large), PlanSource::analyzed);
  EXPECT_EQ(analyzed(small), PlanSource::analyzed);
  EXPECT_EQ(analyzed(large), PlanSource::analyzed);  // A plan larger than the limit displaces nothing.
  EXPECT_EQ(analyzed(small), PlanSource::cache);
  EXPECT_LE(plan_cache_info().bytes, bytes_of_small);
  set_plan_cache_limits({-1, -1});
  EXPECT_EQ(plan_cache_info().plans, 0);
  EXPECT_EQ(analyzed(small), PlanSource::analyzed);
  EXPECT_EQ(analyzed(small), PlanSource::analyzed);
}

TEST_F(PlanCacheTest, CanBeSwitchedOffAndCleared) {
  const StoredMatrix<double> a = stored<double>(io::load("lap2d:5"));
  Options off = on(Backend::host);
  off.plan_cache = false;
  EXPECT_EQ(analyzed(a, off), PlanSource::analyzed);
  EXPECT_EQ(plan_cache_info().plans, 0);
  analyzed(a);
  EXPECT_EQ(analyzed(a, off), PlanSource::analyzed);
  clear_plan_cache();
  EXPECT_EQ(plan_cache_info().bytes, 0);
  EXPECT_EQ(analyzed(a), PlanSource::analyzed);
  setenv("GPUSUPERNODAL_PLAN_CACHE", "0", 1);
  EXPECT_EQ(analyzed(a), PlanSource::analyzed);
  setenv("GPUSUPERNODAL_PLAN_CACHE", "yes", 1);
  expect_throw<InvalidInput>([&] { analyzed(a); }, {"GPUSUPERNODAL_PLAN_CACHE", "'yes'"});
  unsetenv("GPUSUPERNODAL_PLAN_CACHE");
  EXPECT_EQ(analyzed(a), PlanSource::cache);
}

TEST_F(PlanCacheTest, PreviewKeepsItsPlan) {
  const StoredMatrix<double> a = stored<double>(io::load("lap2d:5"));
  Options off = on(Backend::host);
  off.plan_cache = false;
  Solver<double>::preview(a.view(), off);
  EXPECT_EQ(plan_cache_info().plans, 0);
  EXPECT_EQ(Solver<double>::preview(a.view(), on(Backend::host)).report.plan_source, PlanSource::analyzed);
  EXPECT_EQ(plan_cache_info().plans, 1);
  EXPECT_EQ(analyzed(a), PlanSource::cache);
  EXPECT_EQ(Solver<double>::preview(a.view(), on(Backend::host)).report.plan_source, PlanSource::cache);
  EXPECT_EQ(Solver<double>::preview(a.view(), off).report.plan_source, PlanSource::analyzed);
}

TEST_F(PlanCacheTest, FailedOrCancelledAnalysisIsNotCached) {
  const StoredMatrix<double> a = stored<double>(io::load("lap2d:5"));
  int steps = 0;
  for (int step = 0; step < 3; ++step) {
    Options options = on(Backend::host);
    int seen = 0;
    options.progress = [&](const Progress&) { return ++steps, seen++ != step; };
    EXPECT_THROW(analyzed(a, options), Cancelled);
  }
  EXPECT_GE(steps, 3);
  class NoMemory : public Allocator {
    void* allocate(std::size_t /*bytes*/, std::size_t /*alignment*/) override { return nullptr; }
    void deallocate(void* /*pointer*/, std::size_t /*bytes*/, std::size_t /*alignment*/) noexcept override {}
  };
  Options poor = on(Backend::host);
  poor.host_allocator = std::make_shared<NoMemory>();
  EXPECT_THROW(analyzed(a, poor), OutOfMemory);
  Solver<double> solver(on(Backend::host));
  MatrixView<double> no_values = a.view();
  no_values.values = nullptr;
  EXPECT_THROW(solver.compute(no_values), InvalidInput);
  EXPECT_EQ(plan_cache_info().plans, 0);
}

TEST_F(PlanCacheTest, CancellingAHitLeavesTheSolverUnchanged) {
  const StoredMatrix<double> a = stored<double>(io::load("lap2d:5"));
  analyzed(a);
  Options options = on(Backend::host);
  options.progress = [](const Progress&) { return false; };
  Solver<double> solver(options);
  EXPECT_THROW(solver.analyze(a.view()), Cancelled);
  EXPECT_FALSE(solver.is_analyzed());
  EXPECT_EQ(analyzed(a), PlanSource::cache);
}

TEST_F(PlanCacheTest, FailedFactorizationKeepsThePlan) {
  io::SymmetricMatrix a = io::load("lap2d:5");
  StoredMatrix<double> negative = stored<double>(a);
  for (double& value : negative.values) value = -value;
  Solver<double> solver(on(Backend::host));
  solver.compute(negative.view());
  EXPECT_EQ(solver.status(), Status::not_positive_definite);
  Solver<double> next(on(Backend::host));
  next.compute(stored<double>(a).view());
  EXPECT_EQ(next.analyze_report().plan_source, PlanSource::cache);
  expect_solves(next, a);
}

TEST_F(PlanCacheTest, SwitchingRefinementOnKeepsTheReport) {
  const io::SymmetricMatrix a = io::load("lap2d:5");
  const StoredMatrix<double> matrix = stored<double>(a);
  analyzed(matrix);
  Solver<double> solver(on(Backend::host));
  solver.compute(matrix.view());
  Options options = on(Backend::host);
  options.refinement.max_steps = 1;
  solver.set_options(options);
  solver.factorize(matrix.view());
  EXPECT_EQ(solver.analyze_report().plan_source, PlanSource::cache);
  expect_solves(solver, a);
}

TEST_F(PlanCacheTest, ThreadsShareIt) {
  std::vector<io::SymmetricMatrix> a;
  for (const char* name : {"lap2d:6", "lap2d:7", "lap3d:4"}) a.push_back(io::load(name));
  set_plan_cache_limits({2, PlanCacheLimits().bytes});
  const std::int64_t before = plan_cache_info().hits + plan_cache_info().misses;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t k = 0; k < 24; ++k) {
        const io::SymmetricMatrix& mine = a[(k / 2 + t) % a.size()];
        Options options = on(Backend::host);
        options.threads = 1;
        Solver<double> solver(options);
        solver.compute(stored<double>(mine).view());
        expect_solves(solver, mine);
        if (k == 12) clear_plan_cache();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const PlanCacheInfo info = plan_cache_info();
  EXPECT_EQ(info.hits + info.misses - before, 4 * 24);
  EXPECT_GT(info.hits, 0);
  EXPECT_LE(info.plans, 2);
}

}  // namespace
}  // namespace gpusupernodal::test
