#pragma once

/// \file
/// LU, LDLᴴ and LDLᵀ of complex matrices on the device: options, solves and their bounds.

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "gpusupernodal/solver.hpp"
#include "tests/kernels/cuda/device_array.hpp"
#include "tests/support/complex_entries.hpp"

namespace gpusupernodal::test {

inline constexpr System whole[] = {System::a, System::transposed, System::adjoint};

inline Options device_options(gpusupernodal::Form form) {
  Options options;
  options.form = form;
  options.backend = Backend::cuda;
  options.threads = 2;
  return options;
}

/// 100·sqrt(n)·eps, which verified solves reach or throw.
template <class T>
double trusted(std::int64_t n) {
  return 100.0 * std::sqrt(static_cast<double>(n)) *
         static_cast<double>(std::numeric_limits<typename T::value_type>::epsilon());
}

template <class T>
void expect_whole_solves(Solver<T>& solver, const ComplexEntries& a, const std::string& what, std::int64_t columns = 1) {
  ASSERT_EQ(solver.status(), Status::success) << what;
  const auto numbers = random_complex_numbers(a.n * columns, 31);
  const std::vector<T> b(numbers.begin(), numbers.end());
  for (const System system : whole) {
    std::vector<T> x(b.size());
    solver.solve(DenseView<const T>(b.data(), a.n, columns, a.n), DenseView<T>(x.data(), a.n, columns, a.n), system);
    for (std::int64_t c = 0; c < columns; ++c) {
      ASSERT_LE(complex_backward_error(a, x.data() + c * a.n, b.data() + c * a.n, system), trusted<T>(a.n))
          << what << ", system " << static_cast<int>(system) << ", column " << c;
    }
  }
}

/// Skips tests without a device.
template <class T>
class ComplexFormsOnDevice : public testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};
using ComplexFormScalars = testing::Types<std::complex<float>, std::complex<double>>;

}  // namespace gpusupernodal::test
