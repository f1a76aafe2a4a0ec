#pragma once

/// \file
/// Hermitian matrices rounded to a scalar type, solved on the device.

#include <complex>
#include <utility>
#include <vector>

#include "tests/kernels/cuda/device_array.hpp"
#include "tests/solver/api/hermitian.hpp"

namespace gpusupernodal::test {

inline Options on_cuda() {
  Options options;
  options.backend = Backend::cuda;
  options.threads = 2;
  return options;
}

/// A Hermitian matrix whose values are rounded to T, and right-hand sides.
template <class T>
struct Rounded {
  Rounded(Hermitian matrix, const Form& form = {}) : a(std::move(matrix)) {
    for (Complex& value : a.values) value = Complex(static_cast<T>(value));
    const StoredMatrix<Complex> of_double = stored(a, form);
    s = {form,
         of_double.n,
         of_double.offsets,
         of_double.indices,
         of_double.narrow_offsets,
         of_double.narrow_indices,
         std::vector<T>(of_double.values.begin(), of_double.values.end())};
  }

  Hermitian a;
  StoredMatrix<T> s;
};

template <class T>
std::vector<T> random_right(std::int64_t n, std::int64_t columns) {
  const std::vector<Complex> b = random_complex(n * columns, 21);
  return {b.begin(), b.end()};
}

template <class T>
std::vector<Complex> wide(const std::vector<T>& v) {
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

template <class T>
double bound(std::int64_t n) {
  return backward_error_bound<typename T::value_type>(n);
}

/// Every column's backward error is within 4·n·eps.
template <class T>
void expect_columns(Solver<T>& solver, const Hermitian& a, std::int64_t columns, double scale = 1.0, double shift = 0.0) {
  ASSERT_EQ(solver.status(), Status::success);
  const std::vector<T> right = random_right<T>(a.n(), columns);
  const std::vector<Complex> b = wide(right), x = wide(solve(solver, right));
  for (std::int64_t c = 0; c < columns; ++c) {
    ASSERT_LE(backward_error(a, x.data() + c * a.n(), b.data() + c * a.n(), scale, shift), bound<T>(a.n()))
        << "right-hand side " << c << " of " << columns;
  }
}

/// Fixture of tests with both complex scalars. Skips them without a device.
template <class T>
class ComplexOnDevice : public testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};
using ComplexScalars = testing::Types<std::complex<float>, std::complex<double>>;

}  // namespace gpusupernodal::test
