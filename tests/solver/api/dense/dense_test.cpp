/// LU on dense storage: all scalars and orders, densities, threads, new values, batches.

#include <cstring>
#include <set>

#include "gpusupernodal/batch.hpp"
#include "gpusupernodal/error.hpp"
#include "tests/solver/api/counted_new.hpp"
#include "tests/solver/api/dense/dense_systems.hpp"
#include "tests/support/allow_threads.hpp"

namespace gpusupernodal::test {
namespace {

template <class T>
class LuDense : public ::testing::Test {};
using AllScalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(LuDense, AllScalars);

/// Orders around the width of a panel, and densities from few entries to all of them.
TYPED_TEST(LuDense, SolvesSystemsOfAllOrdersAndDensities) {
  allow_threads(3);
  for (const std::int64_t n : {1, 2, 3, 8, 9, 63, 64, 65, 130, 300}) {
    for (const double density : {0.0, 0.05, 0.5, 1.0}) {
      const DenseSystem<TypeParam> a(n, density, static_cast<std::uint64_t>(n));
      const std::string what = "n = " + std::to_string(n) + ", density " + std::to_string(density);
      Solver<TypeParam> solver(lu_options(3));
      solver.compute(a.view());
      EXPECT_EQ(solver.analyze_report().lu_schedule, LuSchedule::dense);
      EXPECT_EQ(solver.factor_report().perturbed_pivots, 0) << what;
      expect_all_solves(solver, a, 1, what);
      expect_all_solves(solver, a, 11, what);
    }
  }
}

/// More than one panel of the wider kind.
TEST(LuDenseWide, SolvesSystemsOfWidePanels) {
  allow_threads(2);
  for (const double density : {0.02, 1.0}) {
    const DenseSystem<double> a(900, density, 4);
    Solver<double> solver(lu_options(2));
    solver.compute(a.view());
    expect_all_solves(solver, a, 3, "density " + std::to_string(density));
  }
}

TYPED_TEST(LuDense, TakesTheEmptyMatrix) {
  MatrixView<TypeParam> empty;
  const std::int64_t offset = 0;
  empty.offsets = &offset;
  empty.part = StoredPart::full;
  Solver<TypeParam> solver(lu_options());
  solver.compute(empty);
  EXPECT_EQ(solver.status(), Status::success);
  EXPECT_EQ(solver.log_determinant(), 0.0);
  EXPECT_EQ(solver.determinant_sign(), TypeParam(1));
  solver.solve(DenseView<const TypeParam>(nullptr, 0, 2, 0), DenseView<TypeParam>(nullptr, 0, 2, 0));
}

/// Equal bits of L, U and of solutions, on any number of threads and from run to run.
TYPED_TEST(LuDense, EqualValuesGiveEqualBitsOnAnyNumberOfThreads) {
  allow_threads(5);
  for (const double density : {0.03, 1.0}) {
    const DenseSystem<TypeParam> a(330, density, 8);
    const std::vector<TypeParam> b = random_numbers<TypeParam>(a.n * 19, 2);
    std::vector<TypeParam> first;
    for (const int threads : {1, 2, 5, 5}) {
      Solver<TypeParam> solver(lu_options(threads));
      solver.compute(a.view());
      std::vector<TypeParam> x = solve(solver, b);
      const std::vector<TypeParam> adjoint = solve(solver, b, System::adjoint);
      x.insert(x.end(), adjoint.begin(), adjoint.end());
      if (first.empty()) first = x;
      EXPECT_EQ(std::memcmp(first.data(), x.data(), x.size() * sizeof(TypeParam)), 0) << threads << " threads";
    }
  }
}

/// Values that need other pivots each time; nothing is allocated, and nothing is counted as repeated.
TYPED_TEST(LuDense, RefactorizesWithOtherPivotsAndWithoutAllocation) {
  DenseSystem<TypeParam> a(150, 0.1, 12);
  Options options = lu_options(2);
  Solver<TypeParam> solver(options);
  solver.compute(a.view());
  expect_all_solves(solver, a, 2, "the first values");
  std::mt19937_64 random(9);
  for (int step = 1; step <= 4; ++step) {
    for (TypeParam& value : a.values) value = random_number<TypeParam>(random);
    const std::int64_t before = new_calls();
    solver.refactorize(a.values);
    const Status status = solver.status();
    if (step > 1) {  // The first call starts the threads.
      EXPECT_EQ(new_calls(), before) << step;
    }
    EXPECT_EQ(status, Status::success);
    expect_all_solves(solver, a, 2, "step " + std::to_string(step));
    EXPECT_EQ(solver.factor_report().repivoted, 0);
    EXPECT_EQ(solver.factor_report().factorizations, step + 1);
  }
}

/// Another pattern needs another analysis, and refactorize refuses it.
TYPED_TEST(LuDense, TakesAnotherPatternAfterAnotherAnalysis) {
  const DenseSystem<TypeParam> first(40, 0.3, 1);
  const DenseSystem<TypeParam> second(70, 0.6, 2);
  Solver<TypeParam> solver(lu_options(1));
  solver.compute(first.view());
  EXPECT_THROW(solver.factorize(second.view()), InvalidInput);
  expect_all_solves(solver, first, 1, "the first pattern");
  solver.compute(second.view());
  expect_all_solves(solver, second, 1, "the second pattern");
}

/// Rows and columns in an order of the caller's, which only changes how many zeros are left out.
TEST(LuDenseOrder, FollowsTheOrderThatIsAskedFor) {
  const GeneralEntries a = convection(6, 0.5);
  const StoredGeneral<double> stored = store_general<double>(a);
  for (const Ordering ordering : {Ordering::natural, Ordering::amd, Ordering::nested_dissection, Ordering::user}) {
    Options options = lu_options();
    options.ordering = ordering;
    for (std::int64_t i = 0; i < a.n && ordering == Ordering::user; ++i) options.permutation.push_back(a.n - 1 - i);
    Solver<double> solver(options);
    solver.compute(stored.view());
    EXPECT_EQ(solver.analyze_report().ordering, ordering);
    if (ordering == Ordering::user) {
      EXPECT_EQ(solver.old_of_new(), options.permutation);
    }
    expect_solves(solver, a, "ordering " + std::to_string(static_cast<int>(ordering)));
  }
}

/// Columns stay in their groups, and rows are exchanged across them: here all pivots of the first group lie in rows of the
/// last one.
TEST(LuDenseOrder, LastRowsAreLastColumns) {
  constexpr std::int64_t n = 80;
  GeneralEntries a{n, {}};
  for (std::int64_t k = 0; k < n; ++k) {
    a((k + n / 2) % n, k) = 2.0;
    a(k, (k + 3) % n) = 1.0;
  }
  Options options = lu_options(1);
  options.last_rows = {{1, 5, 7}, {0, 30}};
  Solver<double> solver = [&] {
    Solver<double> made(options);
    made.compute(store_general<double>(a).view());
    return made;
  }();
  const std::vector<std::int64_t> order = solver.old_of_new();
  EXPECT_EQ(std::set<std::int64_t>(order.end() - 5, order.end() - 2), (std::set<std::int64_t>{1, 5, 7}));
  EXPECT_EQ(std::set<std::int64_t>(order.end() - 2, order.end()), (std::set<std::int64_t>{0, 30}));
  expect_solves(solver, a, "last rows");
}

/// Each system of a batch gets its own pivots, and the result that a Solver computes.
TYPED_TEST(LuDense, BatchesExchangeRowsInEachSystem) {
  allow_threads(3);
  for (const std::int64_t n : {16, 90}) {
    constexpr std::int64_t systems = 7;
    DenseSystem<TypeParam> a(n, 0.4, 3);
    BatchSolver<TypeParam> batch(lu_options(3));
    batch.analyze(a.view(), systems);
    EXPECT_EQ(batch.analyze_report().lu_schedule, LuSchedule::dense);
    const auto entries = static_cast<std::int64_t>(a.values.size());
    std::vector<TypeParam> values = random_numbers<TypeParam>(entries * systems, 6);
    std::fill_n(values.begin() + 2 * entries, entries, TypeParam(0));  // System 2 is singular.
    batch.refactorize({values.data(), entries, systems});
    EXPECT_EQ(batch.failed(), 1);
    const std::vector<TypeParam> b = random_numbers<TypeParam>(n * systems, 7);
    std::vector<TypeParam> x(b.size());
    batch.solve({b.data(), n, systems}, {x.data(), n, systems});
    for (std::int64_t s = 0; s < systems; ++s) {
      Solver<TypeParam> solver(lu_options(1));
      solver.analyze(a.view());  // Scales of the analysis are kept while they suit the values.
      solver.refactorize(std::vector<TypeParam>(values.begin() + s * entries, values.begin() + (s + 1) * entries));
      ASSERT_EQ(static_cast<int>(batch.statuses()[static_cast<std::size_t>(s)]), static_cast<int>(solver.status())) << s;
      if (s == 2) continue;
      const std::vector<TypeParam> alone = solve(solver, std::vector<TypeParam>(b.begin() + s * n, b.begin() + (s + 1) * n));
      EXPECT_EQ(std::memcmp(alone.data(), x.data() + s * n, alone.size() * sizeof(TypeParam)), 0) << s;
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
