/// What LU on dense storage reports and refuses while it works: progress, values that are not finite, cancelled calls.

#include <cmath>

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/dense/dense_systems.hpp"

namespace gpusupernodal::test {
namespace {

TEST(LuDenseRefusals, AFactorizationReportsProgressAndCanBeCancelled) {
  const DenseSystem<double> a(400, 0.5, 3);
  std::vector<double> fractions;
  double cancel_after = 2.0;
  Options options = lu_options(1);
  options.factor_progress = [&](const Progress& progress) {
    fractions.push_back(progress.fraction);
    return progress.fraction <= cancel_after || progress.fraction >= 1.0;
  };
  Solver<double> solver(options);
  solver.compute(a.view());
  EXPECT_GE(fractions.size(), 5U);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_EQ(fractions.front(), 0.0);
  EXPECT_EQ(fractions.back(), 1.0);
  cancel_after = 0.3;
  EXPECT_THROW(solver.refactorize(a.values), Cancelled);
  EXPECT_FALSE(solver.is_factorized());
  cancel_after = 2.0;
  solver.refactorize(a.values);
  expect_all_solves(solver, a, 1, "after a cancelled factorization");
}

/// The second factorization, with partial pivoting, reports the fractions that are left.
TEST(LuDenseRefusals, ARepeatedFactorizationReportsProgressAndCanBeCancelled) {
  const GeneralEntries a = growing_by_threshold(400);  // Seven panels.
  const StoredGeneral<double> stored = store_general<double>(a);
  std::vector<double> fractions;
  std::size_t most_calls = 100;
  Options options = lu_options(1);
  options.ordering = Ordering::natural;
  options.factor_progress = [&](const Progress& progress) {
    fractions.push_back(progress.fraction);
    return fractions.size() < most_calls;
  };
  Solver<double> solver(options);
  solver.compute(stored.view());
  EXPECT_GT(fractions.size(), 9U) << "one factorization has at most a report for each panel, and one at either end";
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_EQ(fractions.back(), 1.0);
  most_calls = fractions.size() - 2;
  fractions.clear();
  EXPECT_THROW(solver.refactorize(stored.values), Cancelled);
  EXPECT_FALSE(solver.is_factorized());
  fractions.clear();
  most_calls = 100;
  solver.refactorize(stored.values);
  expect_solves(solver, a, "after a cancelled repetition");
}

TEST(LuDenseRefusals, AnAnalysisCanBeCancelled) {
  const DenseSystem<double> a(100, 0.1, 3);
  for (const char* const step : {"ordering", "layout"}) {
    Options options = lu_options(1);
    options.progress = [step](const Progress& progress) { return std::string(progress.phase) != step; };
    Solver<double> solver(options);
    EXPECT_THROW(solver.compute(a.view()), Cancelled) << step;
  }
}

/// Values that overflow on the way are not success.
TEST(LuDenseRefusals, ValuesThatAreNotFiniteAreFound) {
  DenseSystem<double> a(80, 0.6, 3);
  const double before = a.values[100];
  Options options = lu_options(1);
  Solver<double> solver(options);
  for (const double wrong : {std::nan(""), HUGE_VAL}) {
    a.values[100] = wrong;
    solver.compute(a.view());
    EXPECT_EQ(solver.status(), Status::non_finite_input);
    EXPECT_EQ(solver.factor_report().failed_row, a.rows[100]);
  }
  options.check_finite = false;
  Solver<double> unchecked(options);
  unchecked.compute(a.view());
  EXPECT_NE(unchecked.status(), Status::success);
  try {
    solve(unchecked, std::vector<double>(80, 1.0));
    FAIL() << "a solve with NaN in A returned";
  } catch (const NumericalFailure& error) {
    EXPECT_NE(std::string(error.what()).find("rows were exchanged by partial pivoting, so no other pivots are tried"),
              std::string::npos)
        << error.what();
  }
  a.values[100] = before;
  unchecked.refactorize(a.values);
  expect_all_solves(unchecked, a, 1, "finite again");
}

/// NaN in the last column and in a row whose column of L is zero reaches no pivot.
TEST(LuDenseRefusals, NaNThatReachesNoPivotIsFound) {
  constexpr std::int64_t n = 70;
  GeneralEntries a{n, {}};
  for (std::int64_t k = 0; k < n; ++k) a(k, k) = 1.0;
  a(0, n - 1) = 1.0;
  StoredGeneral<double> stored = store_general<double>(a);
  Options options = lu_options(1);
  options.check_finite = false;
  Solver<double> solver(options);
  solver.compute(stored.view());
  ASSERT_EQ(solver.status(), Status::success);
  for (double& value : stored.values) {
    const double before = value;
    value = std::nan("");
    solver.refactorize(stored.values);
    EXPECT_NE(solver.status(), Status::success);
    value = before;
  }
}

/// A tiny and a huge matrix: scales keep pivots in range.
TEST(LuDenseRefusals, ScalesKeepExtremeValuesInRange) {
  for (const double unit : {1e-290, 1e290}) {
    DenseSystem<double> a(60, 0.6, 3);
    for (double& value : a.values) value *= unit;
    Solver<double> solver(lu_options(1));
    solver.compute(a.view());
    EXPECT_EQ(solver.status(), Status::success) << unit;
    EXPECT_EQ(solver.factor_report().perturbed_pivots, 0) << unit;
    EXPECT_LE(solver.factor_report().growth, 100.0) << unit;
  }
}

/// Values on a device are refused, shifts are refused, and so are parts of a solve.
TEST(LuDenseRefusals, CallsThatLuLacksAreRefused) {
  const DenseSystem<double> a(20, 0.6, 3);
  Solver<double> solver(lu_options(1));
  solver.compute(a.view());
  std::vector<double> b(20, 1.0), x(20);
  EXPECT_THROW(solver.solve({b.data(), 20}, {x.data(), 20}, System::l), InvalidInput);
  EXPECT_THROW(solver.extract_l(), InvalidInput);
  solver.set_shift(0.5);
  EXPECT_THROW(solver.refactorize(a.values), InvalidInput);
}

}  // namespace
}  // namespace gpusupernodal::test
