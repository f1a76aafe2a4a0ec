/// \file
/// What solvers of complex matrices on the device report of matrices that they cannot factorize.

#include <cmath>
#include <limits>

#include "gpusupernodal/error.hpp"
#include "io/generators.hpp"
#include "tests/solver/api/cuda/complex_on_device.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

template <class T>
using ComplexFailures = ComplexOnDevice<T>;
TYPED_TEST_SUITE(ComplexFailures, ComplexScalars);

std::size_t diagonal_entry(const Hermitian& a, std::int64_t row) {
  std::size_t place = 0, e = 0;
  a.for_each([&](std::int64_t i, std::int64_t j, Complex) {
    if (i == row && j == row) place = e;
    ++e;
  });
  return place;
}

TYPED_TEST(ComplexFailures, NamesTheFailedColumn) {
  using T = TypeParam;
  for (const auto& pattern : {dense_spd(33, 2), random_spd(40, 120, 4), dense_spd(150, 2), io::generate("elas:2")}) {
    const Hermitian a = random_hpd(pattern, 6);
    Solver<T> solver(on_cuda());
    solver.analyze(Rounded<T>(a).s.view());
    const std::vector<std::int64_t> order = solver.old_of_new();
    for (std::int64_t row = 0; row < a.n(); row += 7) {
      Hermitian bad = a;
      bad.values[diagonal_entry(a, row)] = -1.0;
      const Rounded<T> m(bad);
      solver.factorize(m.s.view());
      DenseComplex reference = permuted(m.a, order);
      const std::int64_t failed = dense_cholesky(reference);
      ASSERT_EQ(solver.status(), Status::not_positive_definite);
      ASSERT_GE(failed, 0);
      ASSERT_EQ(solver.factor_report().failed_column, order[static_cast<std::size_t>(failed)]);
      EXPECT_LE(solver.factor_report().failed_value, 0.0);
      EXPECT_THROW(solve(solver, random_right<T>(a.n(), 1)), NumericalFailure);
    }
    const Rounded<T> sound(a);
    solver.factorize(sound.s.view());
    expect_columns(solver, sound.a, 1);
  }
}

TYPED_TEST(ComplexFailures, NamesNonFiniteEntries) {
  using T = TypeParam;
  const Hermitian sound = random_hpd(io::generate("lap2d:7"), 6);
  Solver<T> solver(on_cuda());
  solver.analyze(Rounded<T>(sound).s.view());
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Complex bad : {Complex(nan, 0.0), Complex(0.0, nan), Complex(1.0, std::numeric_limits<double>::infinity())}) {
    std::size_t e = 0;
    sound.for_each([&](std::int64_t i, std::int64_t j, Complex) {
      Hermitian a = sound;
      a.values[e++] = bad;
      if (e % 3 != 0) return;
      solver.factorize(Rounded<T>(a).s.view());
      const FactorReport report = solver.factor_report();
      ASSERT_EQ(report.status, Status::non_finite_input);
      ASSERT_EQ(report.failed_row, i);
      ASSERT_EQ(report.failed_column, j);
      ASSERT_FALSE(std::isfinite(report.failed_value));
    });
  }
}

/// Values in host memory are refused; those in device memory fail where the diagonal is not real.
template <class T>
void refuse_imaginary_diagonal(gpusupernodal::Form form, Status failure) {
  using Real = typename T::value_type;
  const Hermitian sound = random_hpd(io::generate("lap2d:7"), 6);
  Rounded<T> m(sound);
  Options options = on_cuda();
  options.form = form;
  Solver<T> solver(options);
  solver.compute(m.s.view());
  T& entry = m.s.values[diagonal_entry(sound, 20)];
  entry = {entry.real(), Real(0.5)};
  EXPECT_THROW(solver.factorize(m.s.view()), InvalidInput);
  EXPECT_EQ(solver.status(), Status::success);
  if (form == gpusupernodal::Form::llt) expect_columns(solver, m.a, 1);  // The factor is kept.
  {
    const DeviceArray<T> values(m.s.values);
    solver.refactorize(Span<const T>(values.get(), m.s.values.size()), MemorySpace::device);
    EXPECT_EQ(solver.status(), failure);
    EXPECT_EQ(solver.factor_report().failed_column, 20);
  }
  entry = {entry.real(), entry.real() * std::numeric_limits<Real>::epsilon()};
  const DeviceArray<T> values(m.s.values);
  solver.refactorize(Span<const T>(values.get(), m.s.values.size()), MemorySpace::device);
  ASSERT_EQ(solver.status(), Status::success);
  if (form == gpusupernodal::Form::llt) {
    expect_columns(solver, m.a, 1);
  } else {
    EXPECT_NO_THROW(solve(solver, random_right<T>(m.a.n(), 1)));  // It is verified.
  }
}

TYPED_TEST(ComplexFailures, DoesNotTakeAnImaginaryDiagonal) {
  refuse_imaginary_diagonal<TypeParam>(gpusupernodal::Form::llt, Status::not_positive_definite);
}
TYPED_TEST(ComplexFailures, DoesNotTakeAnImaginaryDiagonalAsLdlt) {
  refuse_imaginary_diagonal<TypeParam>(gpusupernodal::Form::ldlt, Status::unstable);
}

}  // namespace
}  // namespace gpusupernodal::test
