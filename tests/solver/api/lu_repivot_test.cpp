/// Other rows as pivots where LU is unstable (Options::repivot).

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/lu_problems.hpp"

namespace gpusupernodal::test {
namespace {

/// A ring of rows, each with a large entry beside the diagonal; `on` moves it onto the diagonal.
GeneralEntries ring(bool on) {
  constexpr std::int64_t n = 12;
  GeneralEntries a{n, {}};
  for (std::int64_t i = 0; i < n; ++i) {
    a(i, i) = on ? 4.0 : 0.0;
    a(i, (i + 1) % n) = on ? 0.0 : 4.0;
    a(i, (i + 5) % n) = 1.0;
  }
  return a;
}

/// Blocks [1 1 1; 1 1+d 1; 1 1 1−d] with a small d: the diagonal has the largest product, and its second pivot is d.
GeneralEntries blocks_with_weak_pivots(std::int64_t blocks, double d) {
  GeneralEntries a{3 * blocks, {}};
  for (std::int64_t k = 0; k < a.n; k += 3) {
    for (std::int64_t i = 0; i < 3; ++i) {
      for (std::int64_t j = 0; j < 3; ++j) a(k + i, k + j) = 1.0;
    }
    a(k + 1, k + 1) += d;
    a(k + 2, k + 2) -= d;
  }
  return a;
}

TEST(LuRepivot, ExchangesRowsForNewValues) {
  const StoredGeneral<double> diagonal = store_general<double>(ring(true));
  const StoredGeneral<double> beside = store_general<double>(ring(false));
  Solver<double> solver(lu_options());
  solver.compute(diagonal.view());
  expect_solves(solver, ring(true), "the first values");
  EXPECT_EQ(solver.factor_report().repivoted, 0);
  solver.refactorize(beside.values);
  expect_solves(solver, ring(false), "the second values");
  const FactorReport report = solver.factor_report();
  EXPECT_GE(report.repivoted, 1);
  EXPECT_EQ(report.factorizations, 2);
  EXPECT_EQ(report.perturbed_pivots, 0);
  const std::int64_t before = report.repivoted;
  solver.refactorize(beside.values);
  expect_solves(solver, ring(false), "the same values");
  EXPECT_EQ(solver.factor_report().repivoted, before) << "these pivots suit";
  solver.refactorize(diagonal.view());  // The pattern is still the caller's.
  expect_solves(solver, ring(true), "the first values again");
}

TEST(LuRepivot, ReportsOnlyIfAsked) {
  Options options = lu_options();
  options.repivot = Repivot::report;
  Solver<double> solver(options);
  solver.compute(store_general<double>(ring(true)).view());
  solver.refactorize(store_general<double>(ring(false)).values);
  EXPECT_EQ(solver.status(), Status::unstable);
  EXPECT_EQ(solver.factor_report().repivoted, 0);
  EXPECT_THROW(solve(solver, std::vector<double>(12, 1.0)), NumericalFailure);
}

TEST(LuRepivot, LeavesRowsInPlaceWithoutMatching) {
  Options options = lu_options();
  options.matching = MatchingRule::none;
  Solver<double> solver(options);
  solver.compute(store_general<double>(ring(false)).view());
  EXPECT_EQ(solver.status(), Status::unstable);
}

/// Values that come after the analysis: the rows were never exchanged.
TEST(LuRepivot, TakesValuesThatTheAnalysisDidNotHave) {
  const StoredGeneral<double> stored = store_general<double>(ring(false));
  MatrixView<double> pattern = stored.view();
  pattern.values = nullptr;
  Solver<double> solver(lu_options());
  solver.analyze(pattern);
  solver.factorize(stored.view());
  expect_solves(solver, ring(false), "no values in the analysis");
}

template <class T>
class LuRepivotOf : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(LuRepivotOf, Scalars);

/// Random matrices without a diagonal and with pivots of all sizes: what dense elimination solves is solved here.
TYPED_TEST(LuRepivotOf, SolvesWhereAMatchingIsNotEnough) {
  int repivoted = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto n = static_cast<std::int64_t>(30 + seed);
    GeneralEntries a = random_entries(n, 3, 0.0, seed);
    for (std::int64_t i = 0; i < n; ++i) a(i, (7 * i + 1) % n) += i % 2 == 0 ? 1.0 : 1e-3;
    for (std::int64_t i = 0; i + 1 < n; i += 2) {  // Pairs of rows that differ little.
      for (const std::int64_t j : {i, i + 1}) a(i, j) = a(i + 1, j) = 1.0;
      a(i + 1, i + 1) = 1.0 + std::pow(static_cast<double>(std::numeric_limits<TypeParam>::epsilon()), 0.75);
    }
    Solver<TypeParam> solver(lu_options(1));
    solver.compute(store_general<TypeParam>(a).view());
    if (solver.status() == Status::singular) continue;
    expect_solves(solver, a, "seed " + std::to_string(seed));
    repivoted += solver.factor_report().repivoted > 0 ? 1 : 0;
  }
  EXPECT_GT(repivoted, 0) << "some of them need it";
}

/// Without the exchange all of these pivots are replaced, and refinement diverges.
TEST(LuRepivot, KeepsSmallPivotsOfIllConditionedMatrices) {
  const GeneralEntries a = blocks_with_weak_pivots(40, 1e-10);
  Solver<double> solver(lu_options());
  solver.compute(store_general<double>(a).view());
  expect_solves(solver, a, "weak pivots");
  EXPECT_GE(solver.factor_report().repivoted, 1);
  EXPECT_EQ(solver.factor_report().perturbed_pivots, 0);
}

}  // namespace
}  // namespace gpusupernodal::test
