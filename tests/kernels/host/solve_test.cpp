/// \file
/// Compares the solve kernels with plain loops, for one and several right-hand sides.

#include "tests/kernels/host/guarded_matrix.hpp"

namespace gpusupernodal::test {
namespace {

/// Expects result(i, r) == start(i, r) − Σ_p a(i, p)·x(p, r) within the bound; `a` is a function of (i, p).
template <class T, class Matrix>
void expect_subtracted(const Matrix& a, std::int32_t terms, const GuardedMatrix<T>& x, const GuardedMatrix<T>& start,
                       const GuardedMatrix<T>& result) {
  for (std::int32_t r = 0; r < start.cols(); ++r) {
    for (std::int32_t i = 0; i < start.rows(); ++i) {
      long double value = start(i, r);
      long double magnitude = std::abs(value);
      for (std::int32_t p = 0; p < terms; ++p) {
        const long double term = static_cast<long double>(a(i, p)) * x(p, r);
        value -= term;
        magnitude += std::abs(term);
      }
      ASSERT_TRUE(std::abs(value - result(i, r)) <= inner_product_bound<T>(terms, magnitude)) << "at " << i << ", " << r;
    }
  }
  ASSERT_TRUE(result.guards_intact(false));
}

template <class T>
void check_times(const HostKernels<T>& kernels, std::int32_t m, std::int32_t n, std::int32_t nrhs) {
  SCOPED_TRACE(std::string(kernels.name) + " m " + std::to_string(m) + " n " + std::to_string(n) + " nrhs " +
               std::to_string(nrhs));
  const auto a = GuardedMatrix<T>(m, n, poison<T>()).randomize(1);
  const auto x = GuardedMatrix<T>(n, nrhs, poison<T>()).randomize(2);
  const auto y0 = GuardedMatrix<T>(m, nrhs, sentinel<T>()).randomize(3);
  auto y = y0;
  kernels.subtract_times(m, n, nrhs, a.data(), a.ld(), x.data(), x.ld(), y.data(), y.ld());
  expect_subtracted(a, n, x, y0, y);

  const auto right = GuardedMatrix<T>(m, nrhs, poison<T>()).randomize(4);
  const auto x0 = GuardedMatrix<T>(n, nrhs, sentinel<T>()).randomize(5);
  auto x1 = x0;
  kernels.subtract_transpose_times(m, n, nrhs, a.data(), a.ld(), right.data(), right.ld(), x1.data(), x1.ld());
  expect_subtracted([&](std::int32_t i, std::int32_t p) { return a(p, i); }, m, right, x0, x1);
}

/// Checks the backward error of each row of L X = B and of Lᵀ X = B.
template <class T>
void check_triangles(const HostKernels<T>& kernels, std::int32_t n, std::int32_t nrhs) {
  SCOPED_TRACE(std::string(kernels.name) + " n " + std::to_string(n) + " nrhs " + std::to_string(nrhs));
  const auto l = random_triangle<T>(n, poison<T>(), 8);
  const auto lower = [&](std::int32_t i, std::int32_t p) { return p <= i ? l(i, p) : T(0); };
  const auto upper = [&](std::int32_t i, std::int32_t p) { return i <= p ? l(p, i) : T(0); };
  const auto b = GuardedMatrix<T>(n, nrhs, sentinel<T>()).randomize(9);
  const auto check = [&](const auto& matrix, const GuardedMatrix<T>& x) {
    for (std::int32_t r = 0; r < nrhs; ++r) {
      for (std::int32_t i = 0; i < n; ++i) {
        long double value = b(i, r);
        long double magnitude = std::abs(value);
        for (std::int32_t p = 0; p < n; ++p) {
          const long double term = static_cast<long double>(matrix(i, p)) * x(p, r);
          value -= term;
          magnitude += std::abs(term);
        }
        ASSERT_TRUE(std::abs(value) <= inner_product_bound<T>(n, magnitude)) << "at " << i << ", " << r;
      }
    }
    ASSERT_TRUE(x.guards_intact(false));
  };
  auto x = b;
  kernels.forward_block(n, nrhs, l.data(), l.ld(), x.data(), x.ld());
  check(lower, x);
  x = b;
  kernels.backward_block(n, nrhs, l.data(), l.ld(), x.data(), x.ld());
  check(upper, x);
}

template <class T>
class HostSolve : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(HostSolve, Scalars, );

TYPED_TEST(HostSolve, ProductsAgreeWithLoops) {
  for (const auto* kernels : kernels_of_this_processor<TypeParam>()) {
    for (std::int32_t s = 0; s <= 70; ++s) {
      for (const std::int32_t nrhs : {1, 2, 5, 9}) {
        check_times(*kernels, s, 11, nrhs);
        check_times(*kernels, 37, s, nrhs);
        ASSERT_FALSE(this->HasFatalFailure());
      }
    }
    for (std::int32_t nrhs = 0; nrhs <= 20; ++nrhs) {
      check_times(*kernels, 29, 13, nrhs);
    }
    check_times(*kernels, 130, 300, 1);
    check_times(*kernels, 130, 300, 11);
    ASSERT_FALSE(this->HasFatalFailure());
  }
}

TYPED_TEST(HostSolve, TrianglesAreSolvedWithinTheBound) {
  for (const auto* kernels : kernels_of_this_processor<TypeParam>()) {
    for (std::int32_t n = 0; n <= 70; ++n) {
      for (const std::int32_t nrhs : {0, 1, 2, 3, 8, 13}) {
        check_triangles(*kernels, n, nrhs);
        ASSERT_FALSE(this->HasFatalFailure());
      }
    }
    check_triangles(*kernels, 261, 1);
    check_triangles(*kernels, 261, 9);
    ASSERT_FALSE(this->HasFatalFailure());
  }
}

}  // namespace
}  // namespace gpusupernodal::test
