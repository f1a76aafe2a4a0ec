/// The status of LU can be trusted: no solution is returned that is not accurate.

#include <tuple>

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/lu_problems.hpp"
#include "tests/support/every.hpp"

namespace gpusupernodal::test {
namespace {

/// Values that drift until a pivot vanishes, with the rows in place and exchanged: whatever the status says, a solution that
/// is returned is accurate.
TEST(LuStatus, NeverReturnsAWrongSolutionWhileAPivotGoesToZero) {
  GeneralEntries a{2, {}};
  a(0, 0) = 1.0;
  a(0, 1) = 1.0;
  a(1, 0) = 1.0;
  a(1, 1) = 2.0;
  StoredGeneral<double> stored = store_general<double>(a);
  Solver<double> solver(lu_options());
  solver.compute(stored.view());
  const std::vector<double> b = {1.0, 3.0};
  int trusted = 0;
  constexpr double smallest_pivot = 1e-300;
  for (double pivot = 1.0; pivot > smallest_pivot; pivot *= 1e-4) {
    a(0, 0) = stored.values[0] = pivot;
    solver.refactorize(stored.values);
    if (solver.status() != Status::success) continue;
    ++trusted;
    EXPECT_LE(general_backward_error(a, solve(solver, b), b), bound<double>(2)) << pivot;
  }
  EXPECT_GT(trusted, 10) << "the matrix is well conditioned, and refinement mends small pivots";
}

TEST(LuStatus, NamesSingularMatrices) {
  GeneralEntries rank_one{3, {}};
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) rank_one(i, j) = 1.0;
  }
  GeneralEntries empty_column{3, {}};
  for (std::int64_t i = 0; i < 3; ++i) empty_column(i, i == 1 ? 0 : i) = 1.0;
  GeneralEntries zero{4, {}};
  GeneralEntries dependent{3, {}};  // The rows are 1 2 3, 4 5 6 and 7 8 9.
  for (std::int64_t i = 0; i < 9; ++i) dependent(i / 3, i % 3) = static_cast<double>(i + 1);
  for (const GeneralEntries& a : {rank_one, empty_column, zero, dependent}) {
    const StoredGeneral<double> stored = store_general<double>(a);
    Solver<double> solver(lu_options());
    solver.compute(stored.view());
    EXPECT_EQ(solver.status(), Status::singular);
    EXPECT_GE(solver.factor_report().failed_column, 0);
    EXPECT_THROW(solve(solver, std::vector<double>(static_cast<std::size_t>(a.n), 1.0)), NumericalFailure);
  }
}

/// In single precision the probe's solution is accurate although there is none: its backward error is that of a huge x.
TEST(LuStatus, NamesSingularMatricesInSinglePrecision) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    GeneralEntries a = random_entries(20, 3, 4.0, seed);
    const auto empty = static_cast<std::int64_t>(seed % 20);
    for (std::int64_t i = 0; i < 20; ++i) a.entries.erase({i, empty});
    Solver<float> solver(lu_options(1));
    solver.compute(store_general<float>(a).view());
    EXPECT_EQ(solver.status(), Status::singular) << seed;
  }
}

/// U stays small here while L grows to 1e7: a solve that trusted U alone would have a backward error of 1e-10.
TEST(LuStatus, VerifiesSolvesWhereOnlyLIsLarge) {
  if (always_exchanges_rows()) GTEST_SKIP() << "rows are exchanged";
  GeneralEntries a{3, {}};
  a(0, 0) = 1e-7;
  a(0, 1) = a(1, 1) = a(2, 0) = a(2, 2) = 1.0;
  Options options = lu_options(1);
  options.matching = MatchingRule::none;
  options.ordering = Ordering::natural;
  Solver<double> solver(options);
  solver.compute(store_general<double>(a).view());
  ASSERT_EQ(solver.status(), Status::success);
  EXPECT_EQ(solver.factor_report().perturbed_pivots, 0);
  EXPECT_GT(solver.factor_report().growth, 1e6);
  const std::vector<double> b = {1.0 + 1e-7, 1.0, 2.0};
  EXPECT_LE(general_backward_error(a, solve(solver, b), b), bound<double>(3));
}

/// A refinement that is content with less does not make verified solves fail.
TEST(LuStatus, VerifiesSolvesToItsOwnBoundWithALooserRefinement) {
  GeneralEntries a{2, {}};
  a(0, 1) = 1.0;
  a(1, 0) = 2.0;
  a(1, 1) = 1.0;
  Options options = lu_options(1);
  options.matching = MatchingRule::none;
  options.refinement.max_steps = 2;
  options.refinement.backward_error = 1e-3;
  Solver<double> solver(options);
  solver.compute(store_general<double>(a).view());
  expect_solves(solver, a, "loose refinement");
}

TEST(LuStatus, NamesTheEntryThatIsNotFinite) {
  GeneralEntries a = random_entries(30, 3, 4.0, 4);
  a(17, 23) = std::numeric_limits<double>::quiet_NaN();
  for (const Compression compression : {Compression::columns, Compression::rows}) {
    Solver<double> solver(lu_options());
    solver.compute(store_general<double>(a, compression).view());
    ASSERT_EQ(solver.status(), Status::non_finite_input);
    EXPECT_EQ(solver.factor_report().failed_row, 17);
    EXPECT_EQ(solver.factor_report().failed_column, 23);
  }
}

/// A x for a solution x of moderate size, so that the backward error is not divided by a large ‖x‖.
std::vector<double> product(const GeneralEntries& a, const std::vector<double>& x) {
  std::vector<double> b(x.size(), 0.0);
  for (const auto& [place, value] : a.entries)
    b[static_cast<std::size_t>(place.first)] += value * x[static_cast<std::size_t>(place.second)];
  return b;
}

/// Small random matrices, most of them ill suited to pivots on the diagonal: backward errors are within the bound wherever
/// the status is success and a solution is returned, and few are refused.
TEST(LuStatus, HoldsForManySmallMatrices) {
  int refused = 0;
  const int trials = static_cast<int>(4000 / every());
  for (int trial = 0; trial < trials; ++trial) {
    const std::int64_t n = 1 + trial % 30;
    const double diagonal = trial % 3 == 0 ? 0.0 : std::pow(10.0, -(trial % 17));
    GeneralEntries a = random_entries(n, 1 + trial % 5, diagonal, static_cast<std::uint64_t>(trial));
    for (std::int64_t i = 0; i < n; ++i) a(i, (i * 5 + trial) % n) += 0.5;
    const StoredGeneral<double> stored = store_general<double>(a);
    Options options = lu_options(1);
    if (trial % 4 == 1) options.matching = MatchingRule::none;
    Solver<double> solver(options);
    solver.compute(stored.view());
    if (solver.status() != Status::success) {
      ++refused;
      continue;
    }
    for (const std::vector<double>& b : {vector_of<double>(n, 3), product(a, vector_of<double>(n, 4))}) {
      try {
        ASSERT_LE(general_backward_error(a, solve(solver, b), b), bound<double>(n)) << "trial " << trial;
      } catch (const NumericalFailure&) {
        ++refused;
      }
    }
  }
  RecordProperty("refused", refused);
  EXPECT_LE(refused, trials / 5);  // Singular matrices are among them.
}

/// No pivot is replaced and nothing grows, but the solve is accurate for the scaled matrix only.
TEST(LuStatus, VerifiesSolvesWhereTheScalesDiffer) {
  const std::vector<std::tuple<int, int, double>> entries = {
      {0, 0, -.547}, {1, 1, -8.36e-7}, {1, 2, .0575}, {2, 0, -.162},  {2, 2, -1.04e-5}, {2, 5, -.304},
      {3, 0, -.424}, {3, 1, .392},     {3, 3, -.974}, {3, 4, -.462},  {4, 2, -.625},    {4, 3, .365},
      {4, 4, -.042}, {4, 5, .459},     {5, 0, -.992}, {5, 5, -.00036}};
  GeneralEntries a{6, {}};
  for (const auto& [i, j, value] : entries) a(i, j) = value;
  for (const MatchingRule rule : {MatchingRule::automatic, MatchingRule::product}) {
    Options options = lu_options(1);
    options.matching = rule;
    Solver<double> solver(options);
    solver.compute(store_general<double>(a).view());
    ASSERT_EQ(solver.status(), Status::success);
    const std::vector<double> b = product(a, std::vector<double>(6, 1.0));
    EXPECT_LE(general_backward_error(a, solve(solver, b), b), bound<double>(6));
    EXPECT_LE(general_backward_error(a, solve(solver, b, System::transposed), b, true), bound<double>(6));
  }
}

/// The last row of L doubles in each column, while U stays small.
TEST(LuStatus, SeesTheGrowthOfL) {
  if (always_exchanges_rows()) GTEST_SKIP() << "rows are exchanged";
  for (const std::int64_t n : {20, 60, 80}) {
    GeneralEntries a{n, {}};
    for (std::int64_t j = 0; j < n; ++j) {
      a(j, j) = 1.0;
      for (std::int64_t i = 0; i < j && j + 1 < n; ++i) a(i, j) = -1.0;
    }
    a(n - 1, 0) = 1.0;
    Options options = lu_options(1);
    options.ordering = Ordering::natural;
    options.matching = MatchingRule::none;
    Solver<double> solver(options);
    solver.compute(store_general<double>(a).view());
    EXPECT_GE(solver.factor_report().growth, std::ldexp(1.0, static_cast<int>(n) - 3));
    if (solver.status() != Status::success) continue;
    const std::vector<double> b = product(a, vector_of<double>(n, 9));
    try {
      EXPECT_LE(general_backward_error(a, solve(solver, b), b), bound<double>(n)) << n;
    } catch (const NumericalFailure&) {
    }
  }
}

/// One entry of a matched matrix grows by 1e8: its scales no longer suit the values, but its pivots do.
TEST(LuStatus, ScalesFollowTheValuesOfAMatchedMatrix) {
  constexpr std::int64_t n = 6;
  GeneralEntries a{n, {}};
  for (std::int64_t i = 0; i < n; ++i) {
    a(i, (i + 1) % n) = 1.0;
    a(i, (i + 3) % n) = 0.25;
  }
  StoredGeneral<double> stored = store_general<double>(a);
  Solver<double> solver(lu_options(1));
  solver.compute(stored.view());
  a(0, 1) = 1e8;
  stored = store_general<double>(a);
  solver.refactorize(stored.values);
  EXPECT_EQ(solver.factor_report().perturbed_pivots, 0);
  expect_solves(solver, a, "one large entry");
  a(0, 1) = 1.0;
  stored = store_general<double>(a);
  solver.refactorize(stored.values);
  EXPECT_EQ(solver.factor_report().perturbed_pivots, 0);
  expect_solves(solver, a, "the first values");
}

/// A tiny row is not a singular one: with scales, the second block of this matrix is 1.
TEST(LuStatus, DoesNotTakeSmallUnitsForSingularity) {
  GeneralEntries a{3, {}};
  a(0, 0) = 1e-9;
  a(0, 1) = a(1, 0) = 1.0;
  a(1, 1) = 2.0;
  a(2, 2) = 1e-18;
  Options options = lu_options(1);
  options.matching = MatchingRule::none;
  Solver<double> solver(options);
  solver.compute(store_general<double>(a).view());
  expect_solves(solver, a, "small units");
}

/// As for Cholesky, NaN in b becomes NaN in x if the check is off.
TEST(LuStatus, LetsNaNInTheRightHandSideThrough) {
  const GeneralEntries a = random_entries(10, 2, 4.0, 1);
  Options options = lu_options(1);
  options.check_right_hand_sides = false;
  Solver<double> solver(options);
  solver.compute(store_general<double>(a).view());
  std::vector<double> b(10, 1.0);
  b[4] = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> x = solve(solver, b);
  EXPECT_TRUE(std::any_of(x.begin(), x.end(), [](double value) { return std::isnan(value); }));
}

}  // namespace
}  // namespace gpusupernodal::test
