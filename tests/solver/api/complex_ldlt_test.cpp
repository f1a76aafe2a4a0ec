/// \file
/// LDLᵀ of complex matrices on the host: Hermitian ones with their inertia, and symmetric ones.

#include <gtest/gtest.h>

#include <limits>

#include "gpusupernodal/error.hpp"
#include "gpusupernodal/names.hpp"
#include "tests/solver/api/ldlt_problems.hpp"
#include "tests/support/allow_threads.hpp"
#include "tests/support/complex_entries.hpp"

namespace gpusupernodal::test::complex_ldlt {
namespace {

constexpr System whole_systems[] = {System::a, System::transposed, System::adjoint};
constexpr Symmetry both_symmetries[] = {Symmetry::hermitian, Symmetry::symmetric};

template <class T>
class ComplexLdlt : public ::testing::Test {};
using Scalars = ::testing::Types<std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ComplexLdlt, Scalars);

Options options_for(Symmetry symmetry, int threads = 2) {
  Options options = symmetric::ldlt_on_host(threads);
  options.symmetry = symmetry;
  return options;
}

/// 100·sqrt(n)·eps, which every solve that returns has reached.
template <class T>
double trusted_error(std::int64_t n) {
  return symmetric::bound<typename T::value_type>(n);
}

template <class T>
std::vector<T> right_hand_sides(std::int64_t n, std::int64_t columns) {
  const auto v = random_complex_numbers(n * columns, 31);
  std::vector<T> b;
  for (const auto& entry : v) b.push_back(static_cast<T>(entry));
  return b;
}

template <class T>
void expect_whole_solves(Solver<T>& solver, const ComplexEntries& a, const std::string& what, std::int64_t columns = 2) {
  ASSERT_EQ(solver.status(), Status::success) << what;
  const std::vector<T> b = right_hand_sides<T>(a.n, columns);
  for (const System system : whole_systems) {
    const std::vector<T> x = symmetric::solved(solver, b, system);
    for (std::int64_t c = 0; c < columns; ++c) {
      ASSERT_LE(complex_backward_error(a, x.data() + c * a.n, b.data() + c * a.n, system), trusted_error<T>(a.n))
          << what << ", system " << static_cast<int>(system) << ", column " << c;
    }
  }
}

/// Sets (i, j), and (j, i) as the symmetry says.
void put(ComplexEntries& a, Symmetry symmetry, std::int64_t i, std::int64_t j, std::complex<double> value) {
  a(i, j) = value;
  a(j, i) = symmetry == Symmetry::hermitian ? std::conj(value) : value;
}

/// About `per_row` entries per row in random directions, and a diagonal of which every third entry is zero.
ComplexEntries random_matrix(Symmetry symmetry, std::int64_t n, int per_row, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto values = random_complex_numbers(n * (per_row + 1), seed);
  auto next = values.begin();
  ComplexEntries a{n, {}};
  for (std::int64_t i = 0; i < n; ++i) {
    const std::complex<double> diagonal = *next++;
    a(i, i) = i % 3 == 1 ? 0.0 : symmetry == Symmetry::hermitian ? diagonal.real() : diagonal;
    for (int k = 0; k < per_row; ++k, ++next) {
      const auto j = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
      if (j != i) put(a, symmetry, i, j, *next);
    }
  }
  return a;
}

/// The real symmetric matrix [Re A, −Im A; Im A, Re A], which has each eigenvalue of the Hermitian A twice.
GeneralEntries real_form(const ComplexEntries& a) {
  GeneralEntries real{2 * a.n, {}};
  for (const auto& [place, value] : a.entries) {
    const auto [i, j] = place;
    real(i, j) = real(i + a.n, j + a.n) = value.real();
    real(i + a.n, j) = value.imag();
    real(i, j + a.n) = -value.imag();
  }
  return real;
}

TYPED_TEST(ComplexLdlt, SolvesRandomMatricesInEveryStorage) {
  for (const Symmetry symmetry : both_symmetries) {
    for (const std::int64_t n : {1, 2, 3, 10, 57, 200}) {
      const ComplexEntries a = random_matrix(symmetry, n, n < 10 ? 4 : 2, static_cast<std::uint64_t>(n) + 5);
      for (const StoredPart part : {StoredPart::lower, StoredPart::upper, StoredPart::full}) {
        for (const Compression compression : {Compression::columns, Compression::rows}) {
          Solver<TypeParam> solver(options_for(symmetry));
          solver.compute(store_complex<TypeParam>(a, part, compression).view());
          expect_whole_solves(solver, a, std::string(name_of(symmetry)) + ", n = " + std::to_string(n), n == 57 ? 70 : 2);
        }
      }
    }
  }
}

TYPED_TEST(ComplexLdlt, InertiaCountsTheEigenvaluesOfHermitianMatrices) {
  int exact = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto n = static_cast<std::int64_t>(1 + seed % 9);
    const ComplexEntries a = random_matrix(Symmetry::hermitian, n, 3, seed);
    Solver<TypeParam> solver(options_for(Symmetry::hermitian, 1));
    solver.compute(store_complex<TypeParam>(a, StoredPart::lower).view());
    if (solver.status() != Status::success || !solver.factor_report().inertia_exact) continue;
    ++exact;
    const std::vector<double> twice = symmetric::eigenvalues(real_form(a));
    const auto negative = std::count_if(twice.begin(), twice.end(), [](double value) { return value < 0.0; });
    EXPECT_EQ(2 * solver.factor_report().inertia.negative, negative) << "seed " << seed;
    EXPECT_EQ(solver.factor_report().inertia.positive + solver.factor_report().inertia.negative, n) << "seed " << seed;
  }
  EXPECT_GE(exact, 200);
}

/// D A D* has the eigenvalues of A, 6 − 2 Σ cos(kπ/(n+1)) − shift for the Laplacian of a grid.
TYPED_TEST(ComplexLdlt, InertiaOfShiftedGridsIsThatOfTheClosedForm) {
  constexpr std::int64_t n = 7;
  constexpr double shift = 3.3, pi = 3.14159265358979323846;
  std::int64_t negative = 0;
  for (std::int64_t i = 0; i < n * n * n; ++i) {
    double value = 6.0 - shift;
    for (const std::int64_t k : {i % n, i / n % n, i / (n * n)})
      value -= 2.0 * std::cos(static_cast<double>(k + 1) * pi / static_cast<double>(n + 1));
    negative += value < 0.0 ? 1 : 0;
  }
  const ComplexEntries a = with_random_phases(shifted_laplacian(n, shift), 8);
  for (const int threads : {1, 4}) {
    allow_threads(4);
    Solver<TypeParam> solver(options_for(Symmetry::hermitian, threads));
    solver.compute(store_complex<TypeParam>(a, StoredPart::lower).view());
    expect_whole_solves(solver, a, "threads " + std::to_string(threads));
    EXPECT_EQ(solver.factor_report().inertia.negative, negative);
    EXPECT_EQ(solver.factor_report().inertia.positive, a.n - negative);
  }
}

/// A dense matrix is one supernode of several block columns, whose tasks run on several threads.
TYPED_TEST(ComplexLdlt, SolvesADenseMatrixWiderThanABlockColumn) {
  constexpr std::int64_t n = 530;
  allow_threads(4);
  for (const Symmetry symmetry : both_symmetries) {
    const auto values = random_complex_numbers(n * n, 3);
    ComplexEntries a{n, {}};
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = j; i < n; ++i) {
        const std::complex<double> value = values[static_cast<std::size_t>(i + j * n)];
        put(a, symmetry, i, j, i == j && symmetry == Symmetry::hermitian ? value.real() : value);
      }
    }
    std::vector<TypeParam> first;
    for (const int threads : {1, 4}) {
      Solver<TypeParam> solver(options_for(symmetry, threads));
      solver.compute(store_complex<TypeParam>(a, StoredPart::lower).view());
      expect_whole_solves(solver, a, "threads " + std::to_string(threads), 1);
      const std::vector<TypeParam> x = symmetric::solved(solver, right_hand_sides<TypeParam>(n, 1));
      if (first.empty()) first = x;
      EXPECT_EQ(x, first) << "bits depend on the number of threads";
    }
  }
}

/// As a Helmholtz equation with damping: complex symmetric, with new values of the same pattern.
TYPED_TEST(ComplexLdlt, RefactorizesSymmetricGrids) {
  allow_threads(4);
  for (const std::int32_t block_width : {0, 32}) {
    for (const int threads : {1, 4}) {
      Options options = options_for(Symmetry::symmetric, threads);
      options.block_width = block_width;
      Solver<TypeParam> solver(options);
      solver.analyze(store_complex<TypeParam>(shifted_laplacian(10, 0.0), StoredPart::upper).view());
      for (const std::complex<double> shift : {std::complex<double>(1.3, 0.4), {5.0, -0.1}, {-1.0, 7.0}}) {
        const ComplexEntries a = shifted_laplacian(10, shift);
        solver.refactorize(store_complex<TypeParam>(a, StoredPart::upper).values);
        expect_whole_solves(solver, a, "block width " + std::to_string(block_width));
        const FactorReport report = solver.factor_report();
        EXPECT_EQ(report.inertia.positive + report.inertia.negative + report.inertia.zero, 0);
        EXPECT_FALSE(report.inertia_exact);
      }
    }
  }
}

/// With a shift and rows without a stored diagonal entry.
TYPED_TEST(ComplexLdlt, AddsTheShiftToTheDiagonal) {
  for (const Symmetry symmetry : both_symmetries) {
    ComplexEntries a = random_matrix(symmetry, 40, 3, 17);
    for (std::int64_t i = 1; i < 40; i += 3) a.entries.erase({i, i});
    Solver<TypeParam> solver(options_for(symmetry));
    solver.set_shift(2.5, -0.5);
    solver.compute(store_complex<TypeParam>(a, StoredPart::lower).view());
    for (auto& [place, value] : a.entries) value *= -0.5;
    for (std::int64_t i = 0; i < 40; ++i) a(i, i) += 2.5;
    expect_whole_solves(solver, a, name_of(symmetry));
  }
}

/// Imaginary parts that are ignored are ignored by residuals, too. The bound of verified solves is far below them.
TYPED_TEST(ComplexLdlt, ResidualsIgnoreWhatTheFactorIgnores) {
  using T = TypeParam;
  for (const double shift : {0.0, 1.0}) {
    const ComplexEntries a = with_random_phases(shifted_laplacian(10, 2.2), 9);
    ComplexEntries impure = a;
    const double part =
        50.0 * static_cast<double>(a.n) * static_cast<double>(std::numeric_limits<typename T::value_type>::epsilon());
    for (std::int64_t i = 0; i < a.n; ++i) {
      const double re = a.entries.at({i, i}).real();
      impure(i, i) = {re, (i % 2 == 0 ? part : -part) * re};
    }
    Solver<T> solver(options_for(Symmetry::hermitian));
    solver.set_shift(shift);
    solver.compute(store_complex<T>(impure).view());
    ComplexEntries shifted = a;
    for (std::int64_t i = 0; i < a.n; ++i) shifted(i, i) += shift;
    expect_whole_solves(solver, shifted, "shift " + std::to_string(shift));
  }
}

/// det (D A D*) = det A, and det (e^{iθ} A) = e^{inθ} det A.
TYPED_TEST(ComplexLdlt, DeterminantIsThatOfTheClosedForm) {
  using Real = typename TypeParam::value_type;
  ComplexEntries a{4, {}};  // Two blocks of determinants −3 and −8.
  for (const Symmetry symmetry : both_symmetries) {
    put(a, symmetry, 0, 0, 1.0);
    put(a, symmetry, 0, 1, 2.0);
    put(a, symmetry, 1, 1, 1.0);
    put(a, symmetry, 2, 2, 1.0);
    put(a, symmetry, 2, 3, 3.0);
    put(a, symmetry, 3, 3, 1.0);
    constexpr double angle = 0.4;
    ComplexEntries turned = a;
    for (auto& [place, value] : turned.entries) value *= std::polar(1.0, angle);
    const bool hermitian = symmetry == Symmetry::hermitian;
    Solver<TypeParam> solver(options_for(symmetry));
    solver.compute(store_complex<TypeParam>(hermitian ? with_random_phases(a, 3) : turned, StoredPart::lower).view());
    const double rounding = 8.0 * 4.0 * static_cast<double>(std::numeric_limits<Real>::epsilon());
    EXPECT_NEAR(solver.log_determinant(), std::log(24.0), rounding) << name_of(symmetry);
    const auto sign = static_cast<std::complex<double>>(solver.determinant_sign());
    EXPECT_LE(std::abs(sign - (hermitian ? std::complex<double>(1.0) : std::polar(1.0, 4.0 * angle))), rounding);
  }
}

TYPED_TEST(ComplexLdlt, NeverReturnsAWrongSolutionWhileAPivotGoesToZero) {
  for (const Symmetry symmetry : both_symmetries) {
    const double eps = std::numeric_limits<double>::epsilon();
    for (double pivot = 1.0; pivot > eps * eps; pivot *= 1e-4) {
      ComplexEntries a{2, {}};
      put(a, symmetry, 0, 0, symmetry == Symmetry::hermitian ? pivot : std::polar(pivot, 0.7));
      put(a, symmetry, 0, 1, std::polar(1.0, 2.0));
      put(a, symmetry, 1, 1, 2.0);
      Options options = options_for(symmetry);
      options.ordering = Ordering::natural;
      Solver<TypeParam> solver(options);
      solver.compute(store_complex<TypeParam>(a, StoredPart::lower).view());
      expect_whole_solves(solver, a, std::to_string(pivot));
    }
  }
}

/// A path of nodes whose last difference is turned, without a fixed point: D A D* for its Laplacian A. One null pivot.
TYPED_TEST(ComplexLdlt, NamesNullPivots) {
  for (const Symmetry symmetry : both_symmetries) {
    constexpr std::int64_t n = 30;
    ComplexEntries a{n, {}};
    for (std::int64_t i = 0; i + 1 < n; ++i) {
      a(i, i) += 1.0;
      a(i + 1, i + 1) += 1.0;
      put(a, symmetry, i, i + 1, -1.0);
    }
    if (symmetry == Symmetry::hermitian) {
      a = with_random_phases(a, 5);
    } else {
      for (auto& [place, value] : a.entries) value *= std::polar(1.0, 0.3);
    }
    Solver<TypeParam> solver(options_for(symmetry));
    solver.compute(store_complex<TypeParam>(a, StoredPart::lower).view());
    ASSERT_EQ(solver.status(), Status::singular) << name_of(symmetry);
    const FactorReport report = solver.factor_report();
    EXPECT_EQ(report.null_pivots.size(), 1u);
    EXPECT_EQ(report.inertia.zero, 1);
    EXPECT_EQ(report.inertia.positive, symmetry == Symmetry::hermitian ? n - 1 : 0);
    EXPECT_EQ(report.inertia.negative, 0);
    EXPECT_THROW(symmetric::solved(solver, right_hand_sides<TypeParam>(n, 1)), NumericalFailure);
  }
}

TYPED_TEST(ComplexLdlt, ExtractsPivotsOfTheSymmetry) {
  for (const Symmetry symmetry : both_symmetries) {
    ComplexEntries a{2, {}};
    put(a, symmetry, 1, 0, {0.0, 2.0});
    put(a, symmetry, 0, 0, 0.0);
    put(a, symmetry, 1, 1, 0.0);
    Options options = options_for(symmetry);
    options.ordering = Ordering::natural;
    Solver<TypeParam> solver(options);
    solver.compute(store_complex<TypeParam>(a, StoredPart::lower).view());
    const PivotBlocks<TypeParam> d = solver.extract_d();
    EXPECT_EQ(d.diagonal, (std::vector<TypeParam>{TypeParam(0), TypeParam(0)}));
    EXPECT_EQ(static_cast<std::complex<double>>(d.beside[0]), std::complex<double>(0.0, 2.0)) << name_of(symmetry);
  }
}

TEST(ComplexLdltInput, IsRefusedClearly) {
  ComplexEntries a = random_matrix(Symmetry::symmetric, 6, 2, 3);
  const StoredComplex<std::complex<double>> stored = store_complex<std::complex<double>>(a, StoredPart::lower);
  Options options = options_for(Symmetry::symmetric);
  options.form = Form::llt;
  Solver<std::complex<double>> cholesky(options);
  EXPECT_THROW(cholesky.analyze(stored.view()), InvalidInput);
  Solver<std::complex<double>> hermitian(options_for(Symmetry::hermitian));
  try {
    hermitian.compute(stored.view());
    FAIL() << "a complex symmetric matrix was taken for a Hermitian one";
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("symmetry to symmetric"), std::string::npos) << error.what();
  }
  options = options_for(Symmetry::hermitian);
  options.backend = Backend::cuda;
  Solver<std::complex<double>> device(options);
  EXPECT_THROW(device.analyze(stored.view()), BackendUnavailable);
}

/// Real matrices are symmetric and Hermitian, so the option changes nothing.
TEST(ComplexLdltInput, RealMatricesIgnoreTheSymmetry) {
  GeneralEntries a{2, {}};
  symmetric::put(a, 0, 1, 3.0);
  symmetric::put(a, 1, 1, 1.0);
  for (const Form form : {Form::ldlt, Form::lu}) {
    Options options = options_for(Symmetry::symmetric);
    options.form = form;
    Solver<double> solver(options);
    solver.compute(store_general<double>(a).view());
    symmetric::expect_accurate(solver, a, name_of(form));
  }
}

}  // namespace
}  // namespace gpusupernodal::test::complex_ldlt
