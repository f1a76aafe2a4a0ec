/// The status of LU can be trusted: no solution is returned that is not accurate.

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/lu_problems.hpp"

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
  for (double pivot = 1.0; pivot > 1e-300; pivot *= 1e-4) {
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

/// U stays small here while L grows to 1e7: a solve that trusted U alone would have a backward error of 1e-10.
TEST(LuStatus, VerifiesSolvesWhereOnlyLIsLarge) {
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

/// Small random matrices, most of them ill suited to pivots on the diagonal: backward errors are within the bound wherever
/// the status is success and a solution is returned, and few are refused.
TEST(LuStatus, HoldsForManySmallMatrices) {
  int refused = 0;
  constexpr int trials = 4000;
  for (int trial = 0; trial < trials; ++trial) {
    const std::int64_t n = 1 + trial % 12;
    const double diagonal = trial % 3 == 0 ? 0.0 : std::pow(10.0, -(trial % 17));
    GeneralEntries a = random_entries(n, 1 + trial % 5, diagonal, static_cast<std::uint64_t>(trial));
    for (std::int64_t i = 0; i < n; ++i) a(i, (i * 5 + trial) % n) += 0.5;
    const StoredGeneral<double> stored = store_general<double>(a);
    Options options = lu_options(1);
    if (trial % 4 == 1) options.matching = MatchingRule::none;
    Solver<double> solver(options);
    solver.compute(stored.view());
    const std::vector<double> b = vector_of<double>(n, 3);
    if (solver.status() != Status::success) {
      ++refused;
      continue;
    }
    try {
      ASSERT_LE(general_backward_error(a, solve(solver, b), b), bound<double>(n)) << "trial " << trial;
    } catch (const NumericalFailure&) {
      ++refused;
    }
  }
  RecordProperty("refused", refused);
  EXPECT_LE(refused, trials / 5);  // Singular matrices are among them.
}

}  // namespace
}  // namespace gpusupernodal::test
