/// LU of general matrices: accuracy in every storage, refactorization, transposed solves, and a status that can be trusted.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "gpusupernodal/error.hpp"
#include "gpusupernodal/solver.hpp"
#include "tests/support/allow_threads.hpp"
#include "tests/support/general_entries.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

Options lu_options(int threads = 2) {
  Options options;
  options.form = gpusupernodal::Form::lu;
  options.threads = threads;
  return options;
}

/// 100·sqrt(n)·eps: what solves with a doubtful factor have to reach, and what others stay below.
template <class T>
double bound(std::int64_t n) {
  return 100.0 * std::sqrt(static_cast<double>(std::max<std::int64_t>(n, 1))) *
         static_cast<double>(std::numeric_limits<T>::epsilon());
}

template <class T>
std::vector<T> vector_of(std::int64_t n, std::uint64_t seed) {
  const std::vector<double> v = random_vector(n, seed);
  return {v.begin(), v.end()};
}

template <class T>
std::vector<T> solve(Solver<T>& solver, const std::vector<T>& b, System part = System::a) {
  const std::int64_t n = solver.order();
  const std::int64_t columns = n > 0 ? static_cast<std::int64_t>(b.size()) / n : 1;
  std::vector<T> x(b.size());
  solver.solve(DenseView<const T>(b.data(), n, columns, n), DenseView<T>(x.data(), n, columns, n), part);
  return x;
}

/// Solves with A and Aᵀ and compares the backward errors with the bound.
template <class T>
void expect_solves(Solver<T>& solver, const GeneralEntries& a, const std::string& what) {
  ASSERT_EQ(solver.status(), Status::success) << what;
  const std::vector<T> b = vector_of<T>(a.n, 5);
  EXPECT_LE(general_backward_error(a, solve(solver, b), b), bound<T>(a.n)) << what;
  EXPECT_LE(general_backward_error(a, solve(solver, b, System::transposed), b, true), bound<T>(a.n))
      << what << ", transposed";
}

template <class T>
class Lu : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Lu, Scalars);

TYPED_TEST(Lu, SolvesRandomMatricesInEveryStorage) {
  for (const std::int64_t n : {1, 2, 3, 10, 57, 300}) {
    for (const Compression compression : {Compression::columns, Compression::rows}) {
      for (const int threads : {1, 2}) {
        const GeneralEntries a = random_entries(n, 3, 4.0, static_cast<std::uint64_t>(n));
        const StoredGeneral<TypeParam> stored = store_general<TypeParam>(a, compression);
        Solver<TypeParam> solver(lu_options(threads));
        solver.compute(stored.view());
        expect_solves(solver, a, "n = " + std::to_string(n));
      }
    }
  }
}

/// A dense matrix is one supernode of several block columns, and its factorization uses the tasks of the graph.
TYPED_TEST(Lu, SolvesDenseMatricesWiderThanABlockColumn) {
  allow_threads(4);
  constexpr std::int64_t n = 700;
  GeneralEntries a{n, {}};
  const std::vector<double> values = random_vector(n * n, 3);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) a(i, j) = values[static_cast<std::size_t>(i + j * n)] + (i == j ? 40.0 : 0.0);
  }
  const StoredGeneral<TypeParam> stored = store_general<TypeParam>(a);
  for (const int threads : {1, 4}) {
    Solver<TypeParam> solver(lu_options(threads));
    solver.compute(stored.view());
    expect_solves(solver, a, "dense");
  }
}

/// Convection and diffusion on an n×n×n grid: supernodes of all widths.
GeneralEntries convection(std::int64_t n, double wind) {
  GeneralEntries a{n * n * n, {}};
  const auto at = [n](std::int64_t x, std::int64_t y, std::int64_t z) { return x + n * (y + n * z); };
  for (std::int64_t z = 0; z < n; ++z) {
    for (std::int64_t y = 0; y < n; ++y) {
      for (std::int64_t x = 0; x < n; ++x) {
        const std::int64_t i = at(x, y, z);
        a(i, i) = 6.0;
        if (x > 0) a(i, at(x - 1, y, z)) = -1.0 - wind;
        if (x + 1 < n) a(i, at(x + 1, y, z)) = -1.0 + wind;
        if (y > 0) a(i, at(x, y - 1, z)) = -1.0 - wind / 2;
        if (y + 1 < n) a(i, at(x, y + 1, z)) = -1.0 + wind / 2;
        if (z > 0) a(i, at(x, y, z - 1)) = -1.0;
        if (z + 1 < n) a(i, at(x, y, z + 1)) = -1.0;
      }
    }
  }
  return a;
}

TYPED_TEST(Lu, SolvesGridsWithSupernodesOfAllWidths) {
  allow_threads(4);
  const GeneralEntries a = convection(14, 0.75);
  const StoredGeneral<TypeParam> stored = store_general<TypeParam>(a, Compression::rows);
  for (const std::int32_t block_width : {0, 32}) {
    for (const int threads : {1, 4}) {
      Options options = lu_options(threads);
      options.block_width = block_width;
      Solver<TypeParam> solver(options);
      solver.compute(stored.view());
      EXPECT_EQ(solver.factor_report().perturbed_pivots, 0);
      expect_solves(solver, a, "grid");
    }
  }
}

TYPED_TEST(Lu, RefactorizesWithNewValues) {
  GeneralEntries a = convection(6, 0.3);
  StoredGeneral<TypeParam> stored = store_general<TypeParam>(a);
  Solver<TypeParam> solver(lu_options());
  solver.compute(stored.view());
  for (int step = 1; step <= 3; ++step) {
    std::size_t e = 0;
    for (auto& value : stored.values) value *= TypeParam(1) + TypeParam(0.05) * static_cast<TypeParam>((e++ * 7 + step) % 5);
    // store_general lists by columns what the map lists by rows, so the entries are read back by position.
    for (std::int64_t j = 0; j < stored.n; ++j) {
      for (auto k = stored.offsets[static_cast<std::size_t>(j)]; k < stored.offsets[static_cast<std::size_t>(j) + 1]; ++k)
        a(stored.indices[static_cast<std::size_t>(k)], j) = static_cast<double>(stored.values[static_cast<std::size_t>(k)]);
    }
    solver.refactorize(stored.values);
    expect_solves(solver, a, "step " + std::to_string(step));
  }
  EXPECT_EQ(solver.factor_report().factorizations, 4);
}

TYPED_TEST(Lu, SolvesSeveralRightHandSides) {
  const GeneralEntries a = random_entries(200, 4, 5.0, 11);
  const StoredGeneral<TypeParam> stored = store_general<TypeParam>(a);
  Solver<TypeParam> solver(lu_options());
  solver.compute(stored.view());
  for (const System part : {System::a, System::transposed}) {
    const std::vector<TypeParam> b = vector_of<TypeParam>(a.n * 70, 8);
    const std::vector<TypeParam> x = solve(solver, b, part);
    for (std::int64_t c = 0; c < 70; ++c) {
      const auto column = [&](const std::vector<TypeParam>& v) {
        return std::vector<TypeParam>(v.begin() + c * a.n, v.begin() + (c + 1) * a.n);
      };
      ASSERT_LE(general_backward_error(a, column(x), column(b), part == System::transposed), bound<TypeParam>(a.n)) << c;
    }
  }
}

/// Modified nodal analysis gives such matrices: the diagonal is zero, and only an exchange of rows makes pivots.
TEST(LuMatching, ExchangesRowsOfAZeroDiagonal) {
  for (const std::int64_t n : {2, 5, 40, 200}) {
    GeneralEntries a = random_entries(n, 2, 0.0, static_cast<std::uint64_t>(n) + 1);
    for (std::int64_t i = 0; i < n; ++i) a(i, (i + 1) % n) = 3.0;
    const StoredGeneral<double> stored = store_general<double>(a);
    Solver<double> solver(lu_options());
    solver.compute(stored.view());
    EXPECT_EQ(solver.factor_report().perturbed_pivots, 0) << n;
    expect_solves(solver, a, "zero diagonal, n = " + std::to_string(n));
  }
}

TEST(LuMatching, WithoutItPivotsAreReplacedAndSolvesVerified) {
  GeneralEntries a{2, {}};
  a(0, 1) = 1.0;
  a(1, 0) = 2.0;
  a(1, 1) = 1.0;
  const StoredGeneral<double> stored = store_general<double>(a);
  Options options = lu_options();
  options.matching = MatchingRule::none;
  Solver<double> solver(options);
  solver.compute(stored.view());
  EXPECT_GE(solver.factor_report().perturbed_pivots, 1);
  expect_solves(solver, a, "replaced pivots");
  EXPECT_GE(solver.solve_report().backward_error, 0.0) << "the solve was not verified";
}

/// Values that drift until a pivot vanishes: whatever the status says, a solution that is returned is accurate.
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
  for (const GeneralEntries& a : {rank_one, empty_column, zero}) {
    const StoredGeneral<double> stored = store_general<double>(a);
    Solver<double> solver(lu_options());
    solver.compute(stored.view());
    EXPECT_TRUE(solver.status() == Status::singular || solver.status() == Status::unstable);
    EXPECT_GE(solver.factor_report().failed_column, 0);
    EXPECT_THROW(solve(solver, std::vector<double>(static_cast<std::size_t>(a.n), 1.0)), NumericalFailure);
  }
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

TEST(LuDeterminant, IsThatOfAClosedForm) {
  // A permuted bidiagonal matrix: |det A| = |∏ d_i ± ∏ e_i|.
  constexpr std::int64_t n = 6;
  GeneralEntries a{n, {}};
  double d = 1.0;
  double e = 1.0;
  for (std::int64_t i = 0; i < n; ++i) {
    d *= a((i + 2) % n, i) = 2.0 + static_cast<double>(i);
    e *= a((i + 3) % n, i) = 0.5;
  }
  Solver<double> solver(lu_options());
  solver.compute(store_general<double>(a).view());
  // The cycle of n entries e has the sign (−1)^(n−1) relative to the product of the entries d.
  EXPECT_NEAR(solver.log_determinant(), std::log(d - e), 20 * n * std::numeric_limits<double>::epsilon());
}

TEST(LuOptions, PerturbationDecidesWhichPivotsAreReplaced) {
  GeneralEntries a = random_entries(20, 2, 4.0, 6);
  const StoredGeneral<double> stored = store_general<double>(a);
  Options options = lu_options();
  std::int64_t replaced = 0;
  for (const double perturbation : {0.0, 1e-12, 1.0}) {
    options.perturbation = perturbation;
    Solver<double> solver(options);
    solver.compute(stored.view());
    replaced = solver.factor_report().perturbed_pivots;
    if (perturbation < 1.0) {
      EXPECT_EQ(replaced, 0) << perturbation;
    }
  }
  EXPECT_GT(replaced, 0) << "pivots below the largest entry of the scaled matrix are replaced";
  options.perturbation = 1.5;
  EXPECT_THROW(Solver<double>{options}, InvalidInput);
}

TEST(LuErrors, SayWhatIsNotAvailable) {
  const GeneralEntries a = random_entries(10, 2, 4.0, 1);
  const StoredGeneral<double> stored = store_general<double>(a);
  Solver<double> solver(lu_options());
  MatrixView<double> half = stored.view();
  half.part = StoredPart::lower;
  EXPECT_THROW(solver.analyze(half), InvalidInput);
  solver.compute(stored.view());
  const std::vector<double> b(10, 1.0);
  EXPECT_THROW(solve(solver, b, System::l), InvalidInput);
  EXPECT_THROW(solver.extract_l(), InvalidInput);
  EXPECT_THROW(solver.reciprocal_condition(stored.view()), InvalidInput);
  solver.set_shift(1.0);
  EXPECT_THROW(solver.factorize(stored.view()), InvalidInput);
  Options cuda = lu_options();
  cuda.backend = Backend::cuda;
  EXPECT_THROW(Solver<double>(cuda).analyze(stored.view()), BackendUnavailable);
  Solver<std::complex<double>> complex(lu_options());
  EXPECT_THROW(complex.analyze(MatrixView<std::complex<double>>()), InvalidInput);
}

TEST(LuErrors, PlansOfOneFormAreNotTakenForTheOther) {
  const GeneralEntries a = random_entries(10, 2, 4.0, 1);
  const StoredGeneral<double> stored = store_general<double>(a);
  Solver<double> lu(lu_options());
  lu.analyze(stored.view());
  Solver<double> llt;
  EXPECT_THROW(llt.analyze(stored.view(), lu.plan()), InvalidInput);
  llt.analyze(stored.view());
  EXPECT_THROW(lu.analyze(stored.view(), llt.plan()), InvalidInput);
  Solver<double> other(lu_options());
  other.analyze(stored.view(), lu.plan());
  other.factorize(stored.view());
  expect_solves(other, a, "shared plan");
}

}  // namespace
}  // namespace gpusupernodal::test
