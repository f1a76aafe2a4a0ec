/// The status and the inertia of LDLᵀ can be trusted: no solution is returned that is not accurate, and no inertia is called
/// exact that is not.

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/ldlt_scenarios.hpp"
#include "tests/support/every.hpp"

namespace gpusupernodal::test::symmetric {
namespace {

/// Sparse, small, with a diagonal that is zero, tiny or ordinary, and magnitudes of 2^±scatter.
GeneralEntries random_symmetric(int trial) {
  std::mt19937_64 random(static_cast<std::uint64_t>(trial));
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  const std::int64_t n = 1 + trial % 24;
  const int per_row = 1 + trial % 7;
  const double scatter = trial % 5 == 0 ? 10.0 : 1.0;
  const double diagonal = trial % 3 == 0 ? 0.0 : std::pow(10.0, -(trial % 17));
  GeneralEntries a{n, {}};
  for (std::int64_t i = 0; i < n; ++i) {
    a(i, i) = trial % 2 == 0 ? value(random) : diagonal * value(random);
    for (int k = 0; k < per_row; ++k) {
      const auto j = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
      if (j != i) put(a, i, j, value(random) * std::exp2(scatter * value(random)));
    }
  }
  return a;
}

/// What eigenvalues of magnitude above `certain` say; the others are in `zero`.
Inertia inertia_of(const std::vector<double>& values, double certain) {
  Inertia inertia;
  for (const double value : values)
    ++(std::abs(value) <= certain ? inertia.zero : value < 0 ? inertia.negative : inertia.positive);
  return inertia;
}

TEST(LdltStatus, HoldsForManySmallMatrices) {
  const int trials = static_cast<int>(6000 / every());
  int refused = 0;
  int exact = 0;
  int regular = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const GeneralEntries a = random_symmetric(trial);
    const std::vector<double> values = eigenvalues(a);
    double largest = 0.0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    const Inertia reference = inertia_of(values, 1e-12 * largest);
    const bool is_regular = reference.zero == 0;
    regular += is_regular ? 1 : 0;
    Solver<double> solver(ldlt_on_host(1));
    compute(solver, a);
    const Status status = solver.status();
    const FactorReport report = solver.factor_report();
    if (report.inertia_exact) {
      ++exact;
      ASSERT_EQ(status, Status::success);
      if (is_regular) {
        ASSERT_EQ(report.inertia.negative, reference.negative) << "trial " << trial;
        ASSERT_EQ(report.inertia.positive, reference.positive) << "trial " << trial;
      }
    }
    ASSERT_EQ(report.inertia.positive + report.inertia.negative + report.inertia.zero, a.n) << "trial " << trial;
    if (status != Status::success) {
      if (is_regular) ++refused;
      continue;
    }
    const std::vector<double> b = right_hand_sides<double>(a.n, 3);
    try {
      ASSERT_LE(general_backward_error(a, solved(solver, b), b), bound<double>(a.n)) << "trial " << trial;
    } catch (const NumericalFailure&) {
      if (is_regular) ++refused;
    }
  }
  EXPECT_LE(refused, regular / 100);
  EXPECT_GE(exact, trials / 3);
  RecordProperty("refused", refused);
  RecordProperty("exact", exact);
}

TEST(LdltStatus, NeverReturnsAWrongSolutionWhileAPivotGoesToZero) {
  expect_accurate_while_a_pivot_vanishes(ldlt_options(1), false);
}

/// Chains whose leaves have zero pivots, each a supernode of one column: they are replaced, and refinement corrects the
/// solution.
TEST(LdltStatus, MendsReplacedPivotsByRefinement) {
  GeneralEntries a{9, {}};
  for (std::int64_t i = 0; i < 8; ++i) {
    put(a, i, 8, 1.0 + static_cast<double>(i));
    a(i, i) = i < 2 ? 0.0 : 1.0;
  }
  a(1, 1) = 2.0;
  a(8, 8) = 1.0;
  Options options = ldlt_options(1);
  options.ordering = Ordering::natural;
  options.merging = Merging::none;
  Solver<double> solver(options);
  compute(solver, a);
  ASSERT_EQ(solver.status(), Status::success);
  const FactorReport report = solver.factor_report();
  EXPECT_EQ(report.perturbed_pivots, 1);
  EXPECT_FALSE(report.inertia_exact);
  EXPECT_EQ(report.inertia.negative, 1);
  EXPECT_THROW(solver.log_determinant(), NumericalFailure);
  expect_accurate(solver, a, "replaced");
  EXPECT_GE(solver.solve_report().refinement_steps, 1);
}

TEST(LdltStatus, NamesTheNullPivotsOfFloatingSubdomains) { expect_null_pivots_of_floating_grids(ldlt_options(), 8); }

/// The null vector of a rank-one matrix and of dependent rows, in both precisions.
template <class T>
void expect_singular(const GeneralEntries& a, std::int64_t zero) {
  Solver<T> solver(ldlt_options(1));
  compute(solver, a);
  EXPECT_EQ(solver.status(), Status::singular);
  EXPECT_EQ(solver.factor_report().inertia.zero, zero);
  EXPECT_GE(solver.factor_report().failed_column, 0);
  EXPECT_FALSE(solver.factor_report().inertia_exact);
  EXPECT_THROW(solved(solver, std::vector<T>(static_cast<std::size_t>(a.n), T(1))), NumericalFailure);
}

TEST(LdltStatus, NamesSingularMatrices) {
  GeneralEntries rank_one{3, {}};
  for (std::int64_t i = 0; i < 9; ++i) rank_one(i / 3, i % 3) = 1.0;
  GeneralEntries zero{4, {}};
  GeneralEntries indefinite{3, {}};  // Rows 1 0 1, 0 −1 −1 and 1 −1 0: the third is the sum of the others.
  put(indefinite, 0, 0, 1.0);
  put(indefinite, 0, 2, 1.0);
  put(indefinite, 1, 1, -1.0);
  put(indefinite, 1, 2, -1.0);
  put(indefinite, 2, 2, 0.0);
  GeneralEntries edge{2, {}};  // Its range has the vector (1, −1), by which a probe could be deceived.
  for (std::int64_t i = 0; i < 4; ++i) edge(i / 2, i % 2) = i / 2 == i % 2 ? 1.0 : -1.0;
  expect_singular<double>(edge, 1);
  expect_singular<float>(edge, 1);
  expect_singular<double>(rank_one, 2);
  expect_singular<float>(rank_one, 2);
  expect_singular<double>(zero, 4);
  expect_singular<float>(zero, 4);
  expect_singular<double>(indefinite, 1);
  expect_singular<float>(indefinite, 1);
}

/// An eigenvalue that approaches zero: the inertia is called exact only while the pivot is larger than rounding errors.
TEST(LdltStatus, DoesNotCallTheInertiaOfANearlySingularMatrixExact) {
  constexpr std::int64_t n = 6;
  const double pi = std::acos(-1.0);
  const double eigenvalue = 3.0 * (2.0 - 2.0 * std::cos(3.0 * pi / static_cast<double>(n + 1)));
  constexpr double far_from_singular = 1e-2;
  constexpr double singular_up_to_rounding = 1e-15;
  for (const double distance : {far_from_singular, 1e-6, 1e-10, singular_up_to_rounding}) {
    for (const double side : {-1.0, 1.0}) {
      Solver<double> solver(ldlt_options());
      const double shift = eigenvalue * (1.0 + side * distance);
      compute(solver, laplacian(n, shift));
      const FactorReport report = solver.factor_report();
      if (report.inertia_exact || distance == far_from_singular) {
        EXPECT_EQ(report.inertia.negative, eigenvalues_below(n, shift)) << distance;
      }
      if (distance == singular_up_to_rounding) {
        EXPECT_FALSE(report.inertia_exact);
      }
    }
  }
}

TEST(LdltStatus, NamesTheEntryThatIsNotFinite) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    GeneralEntries a = laplacian(5, 1.0);
    put(a, 77, 76, bad);
    Solver<double> solver(ldlt_options());
    compute(solver, a);
    ASSERT_EQ(solver.status(), Status::non_finite_input);
    EXPECT_EQ(solver.factor_report().failed_row, 77);
    EXPECT_EQ(solver.factor_report().failed_column, 76);
    Options unchecked = ldlt_options();
    unchecked.check_finite = false;
    Solver<double> careless(unchecked);
    compute(careless, a);
    EXPECT_EQ(careless.status(), Status::unstable);
    compute(careless, laplacian(5, 1.0));
    EXPECT_EQ(careless.status(), Status::success) << "a later factorization";
  }
}

/// Rows and columns of very different magnitudes: scaling makes all pivots comparable.
TEST(LdltStatus, ScalesMatricesOfVeryDifferentMagnitudes) {
  GeneralEntries a = saddle(60, 12, 4);
  for (auto& [place, value] : a.entries)
    value *=
        std::exp2(static_cast<double>(place.first % 7) * 20.0) * std::exp2(static_cast<double>(place.second % 7) * 20.0);
  Solver<double> solver(ldlt_on_host());
  compute(solver, a);
  expect_accurate(solver, a, "scaled");
  EXPECT_EQ(solver.factor_report().inertia.negative, 12);
}

}  // namespace
}  // namespace gpusupernodal::test::symmetric
