/// Pivots of LU on dense storage: traps, singular and nearly singular matrices, determinants, conditioning, growth.

#include "gpusupernodal/batch.hpp"
#include "gpusupernodal/error.hpp"
#include "tests/solver/api/dense/dense_systems.hpp"

namespace gpusupernodal::test {
namespace {

Solver<double> factorized(const GeneralEntries& a, const Options& options = lu_options(1)) {
  Solver<double> solver(options);
  solver.compute(store_general<double>(a).view());
  return solver;
}

/// KLU's refactorization reports success here and returns a solution with a residual of 1.
TEST(LuDensePivots, NoWrongSolutionIsReturnedWhileAPivotVanishes) {
  GeneralEntries a{2, {}};
  a(0, 0) = a(0, 1) = a(1, 0) = 1.0;
  a(1, 1) = 2.0;
  StoredGeneral<double> stored = store_general<double>(a);
  Solver<double> solver(lu_options(1));
  solver.compute(stored.view());
  constexpr double smallest_pivot = 1e-300;
  for (double pivot = 1.0; pivot > smallest_pivot; pivot *= 1e-4) {
    a(0, 0) = stored.values[0] = pivot;
    solver.refactorize(stored.values);
    EXPECT_EQ(solver.factor_report().perturbed_pivots, 0) << pivot;
    expect_solves(solver, a, std::to_string(pivot));
  }
}

TEST(LuDensePivots, PermutationsAndZeroDiagonalsAreSolvedExactly) {
  for (const std::int64_t n : {2, 5, 63, 64, 65, 200}) {
    GeneralEntries a{n, {}};
    for (std::int64_t i = 0; i < n; ++i) a((i * 3 + 1) % n, i) = 1.0;
    if (n % 3 == 0) continue;  // Not a permutation then.
    Solver<double> solver = factorized(a);
    expect_solves(solver, a, "permutation of " + std::to_string(n));
    EXPECT_EQ(solver.log_determinant(), 0.0);
    EXPECT_EQ(solver.factor_report().growth, 1.0);
  }
}

/// The sign of a permutation matrix is that of its permutation: a cycle of n rows is even if n is odd.
TEST(LuDensePivots, DeterminantsHaveTheirSign) {
  for (const std::int64_t n : {1, 2, 3, 4, 64, 65, 100}) {
    GeneralEntries cycle{n, {}};
    for (std::int64_t i = 0; i < n; ++i) cycle((i + 1) % n, i) = i == 0 ? -2.0 : 1.0;
    Solver<double> solver = factorized(cycle);
    EXPECT_EQ(solver.determinant_sign(), n % 2 == 0 ? 1.0 : -1.0) << n;
    EXPECT_NEAR(solver.log_determinant(), std::log(2.0), log_determinant_bound(n)) << n;
  }
  GeneralEntries a = random_entries(120, 30, 1.0, 17);
  Options other = lu_options(1);
  other.lu_schedule = LuSchedule::supernodes;
  Solver<double> dense = factorized(a);
  Solver<double> supernodes = factorized(a, other);
  ASSERT_EQ(supernodes.status(), Status::success);
  EXPECT_EQ(dense.determinant_sign(), supernodes.determinant_sign());
  EXPECT_NEAR(dense.log_determinant(), supernodes.log_determinant(), log_determinant_bound(a.n));
}

/// det [0 i; 2 0] = −2i: its direction is −i.
TEST(LuDensePivots, ComplexDeterminantsHaveTheirDirection) {
  const std::vector<std::int64_t> offsets = {0, 1, 2};
  const std::vector<std::int64_t> rows = {1, 0};
  const std::vector<std::complex<double>> values = {2.0, {0.0, 1.0}};
  MatrixView<std::complex<double>> a;
  a.n = 2;
  a.offsets = offsets.data();
  a.indices = rows.data();
  a.values = values.data();
  a.part = StoredPart::full;
  Solver<std::complex<double>> solver(lu_options(1));
  solver.compute(a);
  constexpr double eps = std::numeric_limits<double>::epsilon();
  EXPECT_LE(std::abs(solver.determinant_sign() - std::complex<double>(0.0, -1.0)), 10 * eps);
  EXPECT_NEAR(solver.log_determinant(), std::log(2.0), 10 * eps);
}

/// An empty row, an empty column, two rows with one column between them, and equal rows.
TEST(LuDensePivots, SingularMatricesAreNamed) {
  const GeneralEntries base = random_entries(90, 20, 4.0, 5);
  GeneralEntries empty_row = base, empty_column = base, one_column = base, equal_rows = base;
  for (std::int64_t k = 0; k < 90; ++k) {
    empty_row.entries.erase({31, k});
    empty_column.entries.erase({k, 77});
    one_column.entries.erase({3, k});
    one_column.entries.erase({50, k});
    equal_rows.entries.erase({3, k});
    if (base.entries.count({50, k}) != 0) equal_rows(3, k) = base.entries.at({50, k});
  }
  one_column(3, 20) = one_column(50, 20) = 1.0;
  for (const GeneralEntries& a : {empty_row, empty_column, one_column, equal_rows}) {
    Solver<double> solver = factorized(a);
    EXPECT_EQ(solver.status(), Status::singular);
    EXPECT_GE(solver.factor_report().failed_column, 0);
    EXPECT_EQ(solver.factor_report().repivoted, 0);
    EXPECT_THROW(solve(solver, std::vector<double>(90, 1.0)), NumericalFailure);
  }
}

/// A rank-one matrix plus `distance` times the identity. Whatever the status says, no wrong solution is returned.
TEST(LuDensePivots, NearlySingularMatricesAreSolvedOrRefused) {
  constexpr std::int64_t n = 40;
  int solved = 0;
  constexpr double smallest_distance = 1e-19;
  constexpr double lost_in_rounding = 1e-17;  // Adding it to an entry near 1 changes nothing.
  for (double distance = 1.0; distance > smallest_distance; distance *= 1e-1) {
    GeneralEntries a{n, {}};
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j)
        a(i, j) = std::cos(static_cast<double>(i)) * std::sin(1.0 + static_cast<double>(j));
      a(i, i) += distance;
    }
    Solver<double> solver = factorized(a);
    if (distance < lost_in_rounding) {
      EXPECT_EQ(solver.status(), Status::singular) << distance;
    }
    if (solver.status() != Status::success) continue;
    const std::vector<double> b = vector_of<double>(n, 2);
    try {
      EXPECT_LE(general_backward_error(a, solve(solver, b), b), bound<double>(n)) << distance;
      ++solved;
    } catch (const NumericalFailure&) {
    }
  }
  EXPECT_GE(solved, 12);
}

/// Singular values from 1 to 1/condition between two reflections, by which the matrix is dense.
GeneralEntries conditioned(std::int64_t n, double condition, std::uint64_t seed) {
  const std::vector<double> u = random_vector(n, seed), v = random_vector(n, seed + 1);
  double uu = 0.0, vv = 0.0, uv = 0.0;
  std::vector<double> s(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < s.size(); ++i) {
    s[i] = std::pow(condition, -static_cast<double>(i) / static_cast<double>(n - 1));
    uu += u[i] * u[i];
    vv += v[i] * v[i];
    uv += u[i] * s[i] * v[i];
  }
  GeneralEntries a{n, {}};  // (I − 2uuᵀ/uᵀu) S (I − 2vvᵀ/vᵀv)
  for (std::size_t i = 0; i < s.size(); ++i) {
    for (std::size_t j = 0; j < s.size(); ++j) {
      a(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)) = (i == j ? s[i] : 0.0) - 2.0 * u[i] * u[j] * s[j] / uu -
                                                                      2.0 * s[i] * v[i] * v[j] / vv +
                                                                      4.0 * u[i] * uv * v[j] / (uu * vv);
    }
  }
  return a;
}

/// Backward errors do not depend on the condition; forward errors do, up to c·n·eps·condition.
TEST(LuDensePivots, ErrorsAreThoseOfPartialPivotingForEveryCondition) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  constexpr double c = 10.0;
  for (const std::int64_t n : {20, 100, 200}) {
    for (double condition = 1.0; condition < 1e14; condition *= 1e3) {
      const GeneralEntries a = conditioned(n, condition, static_cast<std::uint64_t>(n));
      Solver<double> solver = factorized(a);
      expect_solves(solver, a, "condition " + std::to_string(condition));
      EXPECT_EQ(solver.factor_report().perturbed_pivots, 0);
      const std::vector<double> exact(static_cast<std::size_t>(n), 1.0);
      std::vector<double> b(exact.size(), 0.0);
      for (const auto& [place, value] : a.entries) b[static_cast<std::size_t>(place.first)] += value;
      const std::vector<double> x = solve(solver, b);
      double error = 0.0;
      for (std::size_t i = 0; i < x.size(); ++i) error = std::max(error, std::abs(x[i] - exact[i]));
      EXPECT_LE(error, c * static_cast<double>(n) * eps * condition) << n << ", condition " << condition;
    }
  }
}

TEST(LuDensePivots, GrowthByTheThresholdIsUndoneByLargestPivots) {
  const GeneralEntries a = growing_by_threshold(40);
  Options options = lu_options(1);
  options.ordering = Ordering::natural;
  Solver<double> solver = factorized(a, options);
  EXPECT_LE(solver.factor_report().growth, 100.0);
  expect_solves(solver, a, "growing by the threshold");
}

template <class T>
class LuDenseSingular : public ::testing::Test {};
using SingularScalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(LuDenseSingular, SingularScalars);

/// The last pivot is a rounding error, which may be too large to be replaced.
TYPED_TEST(LuDenseSingular, FullMatricesOfRankOneLessAreFound) {
  constexpr std::int64_t systems = 2;
  for (const std::int64_t n : {65, 300}) {
    for (const bool strong : {false, true}) {
      const DenseSystem<TypeParam> a = of_rank_one_less<TypeParam>(n, strong);
      const std::string what = "n = " + std::to_string(n) + (strong ? ", strong diagonal" : "");
      for (const LuSchedule schedule :
           {LuSchedule::dense, LuSchedule::supernodes, LuSchedule::columns, LuSchedule::automatic}) {
        // In single precision, other schedules may find a solution with a small backward error, and no null vector.
        const bool is_dense = schedule == LuSchedule::dense || (schedule == LuSchedule::automatic && n >= 200);
        if (!is_dense && sizeof(typename ScalarTraits<TypeParam>::Real) < sizeof(double)) continue;
        Options options = lu_options(1);
        options.lu_schedule = schedule;
        Solver<TypeParam> solver(options);
        solver.compute(a.view());
        EXPECT_EQ(solver.status(), Status::singular) << what << ", schedule " << static_cast<int>(schedule);
      }
      BatchSolver<TypeParam> batch(lu_options(1));
      batch.analyze(a.view(), systems);
      const auto entries = static_cast<std::int64_t>(a.values.size());
      std::vector<TypeParam> values = random_numbers<TypeParam>(entries, 5);
      values.insert(values.end(), a.values.begin(), a.values.end());
      batch.refactorize({values.data(), entries, systems});
      EXPECT_EQ(batch.statuses()[0], BatchStatus::success) << what;
      EXPECT_EQ(batch.statuses()[1], BatchStatus::singular) << what;
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
