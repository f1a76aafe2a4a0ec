/// What docs/lu-columns.md promises of the refactorization by columns, a test for each row of its table.

#include "solver/plan/column_plan.hpp"
#include "tests/solver/api/counted_new.hpp"
#include "tests/solver/api/lu_problems.hpp"
#include "tests/solver/backend/counting_allocator.hpp"
#include "tests/support/allow_threads.hpp"

namespace gpusupernodal::test {
namespace {

Options columns_options(int threads = 2) {
  Options options = lu_options(threads);
  options.lu_schedule = LuSchedule::columns;
  options.backend = Backend::host;
  return options;
}

/// Rows that need exchanges, at places that are far from symmetric.
GeneralEntries unsymmetric(std::int64_t n, std::uint64_t seed) {
  GeneralEntries a = random_entries(n, 2, 0.0, seed);
  for (std::int64_t i = 0; i < n; ++i) a(i, (i + 1) % n) += 3.0;
  return a;
}

/// "Static pattern, no allocation, values of A mapped into M": refactorize and solve take no memory, the plan stays, and
/// zeros where there were values are values of the pattern.
TEST(LuColumnsPromise, RefactorizesInAStaticPatternWithoutAllocation) {
  GeneralEntries a = unsymmetric(400, 1);
  StoredGeneral<double> stored = store_general<double>(a);
  const auto memory = std::make_shared<CountingAllocator>();
  Options options = columns_options(1);
  options.host_allocator = memory;
  Solver<double> solver(options);
  solver.compute(stored.view());
  ASSERT_EQ(solver.status(), Status::success);
  const auto plan = solver.plan();
  const std::vector<double> b = vector_of<double>(a.n, 2);
  std::vector<double> x(b.size());
  solver.refactorize(stored.values);
  std::vector<std::size_t> small;
  for (std::size_t e = 0; e < stored.values.size(); ++e) {
    if (std::abs(stored.values[e]) < 1.0) small.push_back(e);
  }
  ASSERT_GE(small.size(), 4U);
  const std::int64_t requests = memory->requests(), calls = new_calls();
  for (std::size_t step = 0; step < 4; ++step) {
    stored.values[small[step]] = 0.0;
    solver.refactorize(stored.values);
    if (solver.status() != Status::success) break;
    solver.solve(DenseView<const double>(b.data(), a.n), DenseView<double>(x.data(), a.n));
  }
  EXPECT_EQ(memory->requests(), requests);
  EXPECT_EQ(new_calls(), calls);
  EXPECT_EQ(solver.plan(), plan);
  EXPECT_EQ(solver.status(), Status::success);
}

/// "A first factorization with pivoting": rows are exchanged as its pivots ask, so that no pivot needs to be replaced where
/// a matching alone would leave bad ones.
TEST(LuColumnsPromise, TheFirstFactorizationExchangesRowsByThresholdPivoting) {
  GeneralEntries a{120, {}};
  for (std::int64_t k = 0; k < a.n; k += 3) {  // Blocks whose diagonal has the largest product and a second pivot of 1e-10.
    for (std::int64_t i = 0; i < 3; ++i) {
      for (std::int64_t j = 0; j < 3; ++j) a(k + i, k + j) = 1.0;
    }
    a(k + 1, k + 1) += 1e-10;
    a(k + 2, k + 2) -= 1e-10;
  }
  Solver<double> solver(columns_options());
  solver.compute(store_general<double>(a).view());
  expect_solves(solver, a, "weak pivots");
  EXPECT_LE(solver.factor_report().growth, 100.0);
}

/// "Levels of columns": levels are few where many columns do not depend on one another, and a chain has as many as columns.
TEST(LuColumnsPromise, WorksByLevelsOfColumns) {
  GeneralEntries independent{200, {}}, chain{200, {}};
  for (std::int64_t i = 0; i < 200; ++i) {
    independent(i, i) = chain(i, i) = 4.0;
    independent(199, i) = independent(i, 199) = i == 199 ? 300.0 : 1.0;
    if (i > 0) chain(i, i - 1) = chain(i - 1, i) = 1.0;
  }
  Options options = columns_options();
  options.ordering = Ordering::natural;
  const auto levels = [&](const GeneralEntries& a) {
    Solver<double> solver(options);
    solver.compute(store_general<double>(a).view());
    expect_solves(solver, a, "levels");
    return solver.analyze_report().tree_height;
  };
  EXPECT_EQ(levels(independent), 2);
  EXPECT_EQ(levels(chain), 200);
}

/// "The dense bottom-right corner packed and factorized dense, without pivoting."
TEST(LuColumnsPromise, FactorizesTheDenseCornerDense) {
  allow_threads(4);
  const GeneralEntries a = convection(9, 0.7);
  for (const int threads : {1, 4}) {
    Solver<double> solver(columns_options(threads));
    solver.compute(store_general<double>(a).view());
    EXPECT_GT(solver.analyze_report().largest_width, 64) << "columns of the tail";
    expect_solves(solver, a, "tail");
  }
}

/// "Merged CSR-CSC": transposed solves go through the positions that columns have in the values of the rows.
TEST(LuColumnsPromise, ColumnsAndRowsShareTheirValues) {
  for (const Compression compression : {Compression::columns, Compression::rows}) {
    const GeneralEntries a = unsymmetric(150, 7);
    Solver<double> solver(columns_options());
    solver.compute(store_general<double>(a, compression).view());
    expect_solves(solver, a, "both directions");
    const FactorStructure& structure = solver.plan()->structure();
    EXPECT_EQ(structure.columns->rows.size(), structure.columns->columns.size());
    EXPECT_EQ(structure.factor_values(), structure.columns->values()) << "there is one array of values";
  }
}

/// "Launch size per level; two kernels a level": multipliers and updates of a level are two parts of one launch, because a
/// row belongs to one warp or CTA; column_launches_test.cpp runs the launches. A plan has them without a device.
TEST(LuColumnsPromise, LaunchesHaveTheSizeOfTheirLevel) {
  const GeneralEntries a = convection(8, 0.4);
  PlanOptions options;
  options.cuda = CudaPlanOptions();
  const StoredGeneral<double> stored = store_general<double>(a);
  const MatrixView<double> view = stored.view();
  const auto plan = make_column_plan({view.n, view.offsets, view.indices, view.part, view.compression}, stored.values.data(),
                                     MatchingRule::automatic, options);
  const cuda::ColumnLaunches& launches = *plan->cuda().columns;
  ASSERT_FALSE(launches.launches.empty());
  std::int64_t tasks = 0, levels = 0;
  for (const cuda::ColumnLaunch& launch : launches.launches) {
    levels += launch.is_merged() ? launch.levels_end - launch.levels_begin : 1;
    tasks += launch.short_count + launch.long_count;
  }
  EXPECT_EQ(levels, launches.levels());
  EXPECT_LE(tasks, static_cast<std::int64_t>(launches.tasks.size()));
}

/// "For sequences, refactor instead of factor": equal values give equal bits, on any number of threads and after others.
TEST(LuColumnsPromise, EqualValuesGiveEqualBitsOnAnyNumberOfThreads) {
  allow_threads(4);
  const GeneralEntries a = convection(8, 0.9);
  const StoredGeneral<double> stored = store_general<double>(a);
  const std::vector<double> b = vector_of<double>(a.n, 4);
  std::vector<double> expected;
  for (const int threads : {1, 2, 4}) {
    Solver<double> solver(columns_options(threads));
    solver.compute(stored.view());
    const std::vector<double> first = solve(solver, b);
    std::vector<double> other = stored.values;
    for (double& value : other) value *= 1.25;
    solver.refactorize(other);
    solver.refactorize(stored.values);
    EXPECT_EQ(solve(solver, b), first);
    if (expected.empty()) expected = first;
    EXPECT_EQ(first, expected) << threads << " threads";
  }
}

}  // namespace
}  // namespace gpusupernodal::test
