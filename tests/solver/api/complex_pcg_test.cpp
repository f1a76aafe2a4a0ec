/// \file
/// Conjugate gradients for Hermitian matrices: gauge transforms of real ones, residuals, breakdowns, refusals.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "gpusupernodal/pcg.hpp"
#include "io/generators.hpp"
#include "tests/solver/api/hermitian.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

constexpr Preconditioner all_preconditioners[] = {
    Preconditioner::automatic, Preconditioner::none, Preconditioner::jacobi, Preconditioner::block_jacobi,
    Preconditioner::ssor_ai,   Preconditioner::fsai, Preconditioner::ic0,    Preconditioner::factor};

PcgOptions pcg_on_host(Preconditioner preconditioner = Preconditioner::automatic) {
  PcgOptions options;
  options.backend = Backend::host;
  options.preconditioner = preconditioner;
  options.threads = 2;
  return options;
}

/// The matrix in T, in any form.
template <class T>
StoredMatrix<T> stored_as(const Hermitian& a, const Form& form = {}) {
  StoredMatrix<Complex> from = stored(a, form);
  StoredMatrix<T> to{form, from.n, from.offsets, from.indices, from.narrow_offsets, from.narrow_indices, {}};
  for (const Complex value : from.values) to.values.push_back(static_cast<T>(value));
  return to;
}

/// A random matrix whose diagonal entries are twice those of a diagonally dominant one: ssor_ai is refused for less.
Hermitian dominant_hpd(const io::SymmetricMatrix& pattern, std::uint64_t seed) {
  Hermitian a = random_hpd(pattern, seed);
  for (std::size_t j = 0; j < static_cast<std::size_t>(a.n()); ++j)
    a.values[static_cast<std::size_t>(a.pattern.offsets[j])] *= 2.0;
  return a;
}

template <class T>
DenseView<const T> input(const std::vector<T>& v) {
  return {v.data(), static_cast<std::int64_t>(v.size())};
}
template <class T>
DenseView<T> output(std::vector<T>& v) {
  return {v.data(), static_cast<std::int64_t>(v.size())};
}

template <class T>
double norm(const std::vector<T>& v) {
  double sum = 0.0;
  for (const T& value : v) sum += std::norm(static_cast<Complex>(value));
  return std::sqrt(sum);
}

/// ‖b − A x‖₂ with A rounded to T.
template <class T>
double residual(const Hermitian& a, const std::vector<T>& x, const std::vector<T>& b) {
  std::vector<Complex> r(b.begin(), b.end());
  a.for_each([&](std::int64_t i, std::int64_t j, Complex entry) {
    const Complex value(static_cast<T>(entry));
    r[static_cast<std::size_t>(i)] -= value * Complex(x[static_cast<std::size_t>(j)]);
    if (i != j) r[static_cast<std::size_t>(j)] -= std::conj(value) * Complex(x[static_cast<std::size_t>(i)]);
  });
  return norm(r);
}

/// D* A D x' = D* b has x' = D* x. With powers of i as D, products by D are exact, so that sums have the bits of the real
/// ones, and so have iterations and solutions.
TEST(ComplexPcg, IsTheRealIterationOfAGaugeTransform) {
  const io::SymmetricMatrix real = io::load("lap2d:23");
  const auto n = static_cast<std::size_t>(real.n);
  const Complex units[] = {{1.0, 0.0}, {0.0, 1.0}, {-1.0, 0.0}, {0.0, -1.0}};
  std::vector<Complex> d(n);
  for (std::size_t i = 0; i < n; ++i) d[i] = units[(i * i + i / 7) % 4];
  const Hermitian a = rotated(real, d);
  const std::vector<double> b = random_vector(real.n, 5);
  std::vector<Complex> c(n);
  for (std::size_t i = 0; i < n; ++i) c[i] = std::conj(d[i]) * b[i];
  for (const Preconditioner preconditioner : all_preconditioners) {
    SCOPED_TRACE(name_of(preconditioner));
    Pcg<double> one(pcg_on_host(preconditioner));
    Pcg<Complex> other(pcg_on_host(preconditioner));
    one.compute(real.view());
    other.compute(stored(a).view());
    std::vector<double> x(n);
    std::vector<Complex> y(n);
    const PcgReport of_one = one.solve(input(b), output(x)), of_other = other.solve(input(c), output(y));
    ASSERT_TRUE(of_one.converged());
    ASSERT_TRUE(of_other.converged());
    EXPECT_EQ(of_other.iterations, of_one.iterations);
    if (preconditioner == Preconditioner::factor) continue;  // Its kernels for complex numbers add in another order.
    EXPECT_EQ(of_other.residual, of_one.residual);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(d[i] * y[i], Complex(x[i])) << "row " << i;
  }
}

template <class T>
class ComplexPcgs : public ::testing::Test {};
using ComplexScalars = ::testing::Types<std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ComplexPcgs, ComplexScalars);

/// ‖b − A x‖ ≤ tolerance·‖b‖, up to the rounding of the residual: n·eps·(‖A‖·‖x‖ + ‖b‖).
TYPED_TEST(ComplexPcgs, ReduceTheResidualWithEveryPreconditionerAndForm) {
  using T = TypeParam;
  const Hermitian a = dominant_hpd(random_spd(400, 1200, 3), 11);
  double norm_of_a = 0.0;  // Twice the largest diagonal entry, since the diagonal dominates.
  a.for_each([&](std::int64_t, std::int64_t, Complex value) { norm_of_a = std::max(norm_of_a, 2.0 * std::abs(value)); });
  const std::vector<Complex> wide = random_complex(2 * a.n(), 4);
  std::vector<T> b;
  for (const Complex value : wide) b.push_back(static_cast<T>(value));
  for (const Preconditioner preconditioner : all_preconditioners) {
    for (const StoredPart part : {StoredPart::lower, StoredPart::upper, StoredPart::full}) {
      const Form form{part, part == StoredPart::full ? Compression::rows : Compression::columns, false, true};
      SCOPED_TRACE(std::string(name_of(preconditioner)) + " " + form.name());
      PcgOptions options = pcg_on_host(preconditioner);
      options.tolerance = std::is_same_v<T, Complex> ? 1e-11 : 1e-5;
      Pcg<T> pcg(options);
      pcg.compute(stored_as<T>(a, form).view());
      ASSERT_EQ(pcg.setup_report().status, PcgStatus::converged);
      std::vector<T> x(b.size());
      const DenseView<const T> from(b.data(), a.n(), 2, a.n());
      ASSERT_TRUE(pcg.solve(from, DenseView<T>(x.data(), a.n(), 2, a.n())).converged());
      constexpr auto eps = static_cast<double>(std::numeric_limits<typename T::value_type>::epsilon());
      for (std::ptrdiff_t c = 0; c < 2; ++c) {
        const auto first = c * a.n();
        const std::vector<T> xc(x.begin() + first, x.begin() + first + a.n()),
            bc(b.begin() + first, b.begin() + first + a.n());
        const double rounding = static_cast<double>(a.n()) * eps * (norm_of_a * norm(xc) + norm(bc));
        EXPECT_LE(residual(a, xc, bc), options.tolerance * norm(bc) + rounding);
      }
    }
  }
}

/// ⟨M⁻¹ r, s⟩ = ⟨r, M⁻¹ s⟩, and ⟨M⁻¹ r, r⟩ is positive, up to n·eps·‖M⁻¹ r‖·‖s‖ and as much for s.
TEST(ComplexPcg, PreconditionersAreHermitianAndPositive) {
  const Hermitian a = dominant_hpd(random_spd(300, 900, 3), 12);
  const std::vector<Complex> r = random_complex(a.n(), 1), s = random_complex(a.n(), 2);
  const auto dot = [](const std::vector<Complex>& x, const std::vector<Complex>& y) {
    Complex sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += std::conj(x[i]) * y[i];
    return sum;
  };
  for (const Preconditioner preconditioner : all_preconditioners) {
    SCOPED_TRACE(name_of(preconditioner));
    Pcg<Complex> pcg(pcg_on_host(preconditioner));
    pcg.compute(stored(a).view());
    std::vector<Complex> u(r.size()), v(r.size());
    pcg.precondition(input(r), output(u));
    pcg.precondition(input(s), output(v));
    const double bound = 300 * std::numeric_limits<double>::epsilon() * (norm(u) * norm(s) + norm(v) * norm(r));
    EXPECT_LE(std::abs(dot(u, s) - dot(r, v)), bound);
    EXPECT_GT(dot(u, r).real(), 0.0);
    EXPECT_LE(std::abs(dot(u, r).imag()), bound);
  }
}

TEST(ComplexPcg, UsesAFactorInSinglePrecision) {
  const Hermitian a = random_hpd(random_spd(300, 900, 3), 13);
  PcgOptions options = pcg_on_host(Preconditioner::factor);
  options.factor_precision = FactorPrecision::single;
  Pcg<Complex> pcg(options);
  pcg.compute(stored(a).view());
  const std::vector<Complex> b = random_complex(a.n(), 1);
  std::vector<Complex> x(b.size());
  const PcgReport report = pcg.solve(input(b), output(x));
  EXPECT_TRUE(report.converged());
  EXPECT_LE(report.iterations, 4);
  EXPECT_LE(residual(a, x, b), 1e-9 * norm(b));
}

/// [1 2i; −2i 1] has the eigenvalues 3 and −1.
Hermitian indefinite() {
  io::SymmetricMatrix pattern;
  pattern.n = 2;
  pattern.offsets = {0, 2, 3};
  pattern.indices = {0, 1, 1};
  pattern.values = {1.0, 1.0, 1.0};
  return {pattern, {1.0, {0.0, -2.0}, 1.0}};
}

TEST(ComplexPcg, BreaksDownOnIndefiniteMatrices) {
  Pcg<Complex> plain(pcg_on_host(Preconditioner::none));
  plain.compute(stored(indefinite()).view());
  const std::vector<Complex> b{{1.0, 0.0}, {0.0, 1.0}};  // The eigenvector of −1.
  std::vector<Complex> x(2);
  EXPECT_EQ(plain.solve(input(b), output(x)).status, PcgStatus::breakdown);
  for (const Preconditioner preconditioner : {Preconditioner::ic0, Preconditioner::factor, Preconditioner::block_jacobi}) {
    SCOPED_TRACE(name_of(preconditioner));
    Pcg<Complex> pcg(pcg_on_host(preconditioner));
    pcg.compute(stored(indefinite()).view());
    EXPECT_EQ(pcg.setup_report().status, PcgStatus::breakdown);
    EXPECT_GE(pcg.setup_report().bad_row, 0);
  }
}

template <class Error, class Call>
void expect_refusal(const Call& call, const std::string& part) {
  try {
    call();
    FAIL() << "nothing was thrown; expected '" << part << "'";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(ComplexPcg, NamesADiagonalEntryThatIsNotReal) {
  const Hermitian a = random_hpd(chain_spd(50), 3);
  StoredMatrix<Complex> wrong = stored(a);
  const auto place = static_cast<std::size_t>(wrong.narrow_offsets[30]);
  const Complex before = wrong.values[place];
  wrong.values[place] += Complex(0.0, 1e-3);
  Pcg<Complex> pcg(pcg_on_host());
  expect_refusal<InvalidInput>([&] { pcg.compute(wrong.view()); }, "the diagonal entry of row 30 (counted from 0)");
  wrong.values[place] = before + Complex(0.0, 1e-17);  // As rounding leaves it.
  pcg.update(wrong.values);
  const std::vector<Complex> b = random_complex(50, 1);
  std::vector<Complex> x(50);
  EXPECT_TRUE(pcg.solve(input(b), output(x)).converged());
}

TEST(ComplexPcg, BreaksDownIfAFunctionIsNotHermitian) {
  Pcg<Complex> pcg(pcg_on_host(Preconditioner::none));
  const auto times = [](Complex factor) {
    return [factor](const DenseView<const Complex>& v, const DenseView<Complex>& y, void*) {
      for (std::int64_t i = 0; i < v.rows; ++i) y.data[i] = factor * v.data[i];
    };
  };
  const std::vector<Complex> b = random_complex(20, 1);
  std::vector<Complex> x(20);
  pcg.set_operator(20, times(2.0));
  EXPECT_TRUE(pcg.solve(input(b), output(x)).converged());
  pcg.set_operator(20, times({1.0, 1.0}));
  EXPECT_EQ(pcg.solve(input(b), output(x)).status, PcgStatus::breakdown);
  pcg.set_operator(20, times(2.0));
  pcg.set_preconditioner(times({1.0, -1.0}));
  EXPECT_EQ(pcg.solve(input(b), output(x)).status, PcgStatus::breakdown);
}

TEST(ComplexPcg, RunsOnTheHostOnly) {
  const Hermitian a = random_hpd(chain_spd(10), 3);
  PcgOptions options = pcg_on_host();
  options.backend = Backend::automatic;
  Pcg<Complex> pcg(options);
  pcg.compute(stored(a).view());
  EXPECT_EQ(pcg.backend(), Backend::host);
  options.backend = Backend::cuda;
  pcg.set_options(options);
  expect_refusal<BackendUnavailable>([&] { pcg.compute(stored(a).view()); },
                                     "conjugate gradients with complex matrices run on the host only");
}

TEST(ComplexPcg, ScalesNumbersThatWouldOverflow) {
  const Hermitian a = random_hpd(chain_spd(60), 3);
  for (const double scale : {1e200, 1e-200}) {
    Pcg<Complex> pcg(pcg_on_host(Preconditioner::jacobi));
    pcg.compute(stored(a).view());
    std::vector<Complex> b = random_complex(a.n(), 1), x(b.size());
    for (Complex& value : b) value *= scale;
    ASSERT_TRUE(pcg.solve(input(b), output(x)).converged());
    for (Complex& value : b) value /= scale;
    for (Complex& value : x) value /= scale;
    EXPECT_LE(residual(a, x, b), 2e-10 * norm(b));
  }
}

}  // namespace
}  // namespace gpusupernodal::test
