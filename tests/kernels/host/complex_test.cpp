/// \file
/// The complex kernels of every instruction set against plain loops, at sizes around vector, tile and block edges.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "kernels/host/host_kernels.hpp"

namespace gpusupernodal::test {
namespace {

template <class R>
using Entry = std::complex<R>;

template <class R>
constexpr double eps = static_cast<double>(std::numeric_limits<R>::epsilon());
template <class R>
constexpr Entry<R> sentinel{R(777.25), R(-333.5)};  ///< What kernels must not write.
template <class R>
constexpr Entry<R> poison{std::numeric_limits<R>::quiet_NaN(), R(0)};

template <class R>
class ComplexKernels : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ComplexKernels, Precisions);

/// Column-major with three entries between columns.
template <class R>
struct Matrix {
  std::int32_t rows;
  std::int32_t cols;
  std::int64_t ld;
  std::vector<Entry<R>> entries;

  Matrix(std::int32_t m, std::int32_t n, Entry<R> fill)
      : rows(m), cols(n), ld(m + 3), entries(static_cast<std::size_t>(ld * n), fill) {}
  Matrix(std::int32_t m, std::int32_t n, std::uint32_t seed) : Matrix(m, n, sentinel<R>) {
    std::minstd_rand generator(seed + 1);
    std::uniform_real_distribution<R> value(R(-1), R(1));
    for (std::int32_t j = 0; j < n; ++j) {
      for (std::int32_t i = 0; i < m; ++i) (*this)(i, j) = {value(generator), value(generator)};
    }
  }
  Entry<R>& operator()(std::int64_t i, std::int64_t j) { return entries[static_cast<std::size_t>(i + j * ld)]; }
  Entry<R> operator()(std::int64_t i, std::int64_t j) const { return entries[static_cast<std::size_t>(i + j * ld)]; }
  Entry<R>* data() { return entries.data(); }
  const Entry<R>* data() const { return entries.data(); }
};

template <class R>
std::vector<const HostKernels<Entry<R>>*> all_kernels() {
  std::vector<const HostKernels<Entry<R>>*> all;
  for (const HostIsa isa : {HostIsa::baseline, HostIsa::v2, HostIsa::v3, HostIsa::v4}) {
    if (const auto* const kernels = host_kernels<Entry<R>>(isa)) all.push_back(kernels);
  }
  return all;
}

/// |computed − exact| ≤ c (k + 1) eps Σ|terms|, c = 4 for complex products [Higham02, §3.6].
template <class R>
void expect_close(Entry<R> computed, Entry<double> exact, double magnitude, std::int32_t k) {
  ASSERT_LE(std::abs(Entry<double>(computed) - exact), 4.0 * (k + 1) * eps<R> * magnitude);
}

/// Every entry of c is c0 − A·op(B) or untouched. `get` returns op(B)(p, j).
template <class R, class Get>
void expect_product(const Matrix<R>& a, const Get& get, const Matrix<R>& c0, const Matrix<R>& c,
                    const std::vector<std::int32_t>& rows, const std::vector<std::int32_t>& cols, bool lower) {
  Matrix<R> rest = c;
  for (std::size_t j = 0; j < cols.size(); ++j) {
    for (std::size_t i = lower ? j : 0; i < rows.size(); ++i) {
      Entry<double> sum(c0(rows[i], cols[j]));
      double magnitude = std::abs(sum);
      for (std::int32_t p = 0; p < a.cols; ++p) {
        const Entry<double> term =
            Entry<double>(a(static_cast<std::int64_t>(i), p)) * Entry<double>(get(p, static_cast<std::int32_t>(j)));
        sum -= term;
        magnitude += std::abs(term);
      }
      expect_close(c(rows[i], cols[j]), sum, magnitude, a.cols);
      rest(rows[i], cols[j]) = c0(rows[i], cols[j]);
    }
  }
  ASSERT_EQ(rest.entries, c0.entries) << "written outside of the product";
}

std::vector<std::int32_t> identity(std::int32_t n) {
  std::vector<std::int32_t> at(static_cast<std::size_t>(n));
  std::iota(at.begin(), at.end(), 0);
  return at;
}

std::vector<std::int32_t> with_gaps(std::int32_t n) {
  std::vector<std::int32_t> at = identity(n);
  for (std::size_t i = 0; i < at.size(); ++i) at[i] += static_cast<std::int32_t>(i / 3);
  return at;
}

struct Size {
  std::int32_t m, n, k;
};
std::vector<Size> sizes() {
  std::vector<Size> all{{40, 33, 257}, {70, 5, 300}, {33, 33, 600}};
  for (std::int32_t s = 0; s <= 19; ++s) all.insert(all.end(), {{s, 5, 3}, {s, s, s}, {17, s, 2}, {9, 3, s}});
  return all;
}

TYPED_TEST(ComplexKernels, ProductsAgreeWithLoops) {
  using R = TypeParam;
  for (const auto* const kernels : all_kernels<R>()) {
    for (const auto& [m, n, k] : sizes()) {
      SCOPED_TRACE(testing::Message() << kernels->name << ": " << m << " x " << n << ", depth " << k);
      const Matrix<R> a(m, k, 1U);
      const Matrix<R> b(n, k, 2U);
      const auto adjoint = [&](std::int32_t p, std::int32_t j) { return std::conj(b(j, p)); };
      const Matrix<R> c0(m, n, 3U);
      Matrix<R> c = c0;
      kernels->subtract_product(m, n, k, a.data(), a.ld, b.data(), b.ld, c.data(), c.ld);
      expect_product(a, adjoint, c0, c, identity(m), identity(n), false);
      const Matrix<R> wide0(m + m / 3 + 1, n + n / 3 + 1, 4U);
      Matrix<R> wide = wide0;
      const auto rows = with_gaps(m);
      const auto cols = with_gaps(n);
      kernels->subtract_product_indexed(m, n, k, a.data(), a.ld, b.data(), b.ld, wide.data(), wide.ld, rows.data(),
                                        cols.data());
      expect_product(a, adjoint, wide0, wide, rows, cols, false);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(ComplexKernels, LowerProductsAgreeWithLoops) {
  using R = TypeParam;
  for (const auto* const kernels : all_kernels<R>()) {
    for (const auto& [m, n, k] : sizes()) {
      if (n > m) continue;
      SCOPED_TRACE(testing::Message() << kernels->name << ": " << m << " x " << n << ", depth " << k);
      const Matrix<R> a(m, k, 1U);
      const auto adjoint = [&](std::int32_t p, std::int32_t j) { return std::conj(a(j, p)); };
      const Matrix<R> c0(m, n, 3U);
      Matrix<R> c = c0;
      kernels->subtract_product_lower(m, n, k, a.data(), a.ld, a.data(), a.ld, c.data(), c.ld);
      expect_product(a, adjoint, c0, c, identity(m), identity(n), true);
      const Matrix<R> wide0(m + m / 3 + 1, n + n / 3 + 1, 4U);
      Matrix<R> wide = wide0;
      const auto rows = with_gaps(m);
      kernels->subtract_product_lower_indexed(m, n, k, a.data(), a.ld, a.data(), a.ld, wide.data(), wide.ld, rows.data(),
                                              rows.data());
      expect_product(a, adjoint, wide0, wide, rows, with_gaps(n), true);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(ComplexKernels, ProductsOfSolvesAgreeWithLoops) {
  using R = TypeParam;
  for (const auto* const kernels : all_kernels<R>()) {
    for (const auto& [m, n, k] : sizes()) {
      SCOPED_TRACE(testing::Message() << kernels->name << ": " << m << " x " << k << ", " << n << " right-hand sides");
      const Matrix<R> a(m, k, 1U);
      const Matrix<R> x(k, n, 2U);
      const Matrix<R> y0(m, n, 3U);
      Matrix<R> y = y0;
      kernels->subtract_times(m, k, n, a.data(), a.ld, x.data(), x.ld, y.data(), y.ld);
      expect_product(
          a, [&](std::int32_t p, std::int32_t j) { return x(p, j); }, y0, y, identity(m), identity(n), false);
      Matrix<R> adjoint(k, m, sentinel<R>);
      for (std::int32_t j = 0; j < k; ++j) {
        for (std::int32_t i = 0; i < m; ++i) adjoint(j, i) = std::conj(a(i, j));
      }
      Matrix<R> left = x;
      kernels->subtract_transpose_times(m, k, n, a.data(), a.ld, y0.data(), y0.ld, left.data(), left.ld);
      expect_product(
          adjoint, [&](std::int32_t p, std::int32_t j) { return y0(p, j); }, x, left, identity(k), identity(n), false);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// Hermitian, diagonally dominant; above the diagonal and in the imaginary parts of the diagonal lies NaN.
template <class R>
Matrix<R> positive_definite(std::int32_t m, std::int32_t n) {
  Matrix<R> a(m, n, 5U);
  for (std::int32_t j = 0; j < n; ++j) {
    a(j, j) = {static_cast<R>(2 * m + 1), std::numeric_limits<R>::quiet_NaN()};
    for (std::int32_t i = 0; i < j; ++i) a(i, j) = poison<R>;
  }
  return a;
}

/// A − L Lᴴ in the first `done` columns of the m×n panel; what lies above the diagonal is untouched.
template <class R>
void expect_factor(const Matrix<R>& a, const Matrix<R>& l, std::int32_t done) {
  for (std::int32_t j = 0; j < done; ++j) {
    ASSERT_EQ(l(j, j).imag(), 0.0);
    ASSERT_GT(l(j, j).real(), 0.0);
    for (std::int32_t i = 0; i < j; ++i) ASSERT_TRUE(std::isnan(l(i, j).real()));
    for (std::int32_t i = j; i < a.rows; ++i) {
      Entry<double> sum = 0.0;
      double magnitude = 0.0;
      for (std::int32_t p = 0; p <= j; ++p) {
        const Entry<double> term = Entry<double>(l(i, p)) * std::conj(Entry<double>(l(j, p)));
        sum += term;
        magnitude += std::abs(term);
      }
      expect_close<R>(i == j ? a(i, j).real() : a(i, j), sum, magnitude, 2 * j + 2);
    }
  }
}

TYPED_TEST(ComplexKernels, FactorDiagonalBlocksAndPanels) {
  using R = TypeParam;
  for (const auto* const kernels : all_kernels<R>()) {
    for (const std::int32_t n : {0, 1, 2, 3, 7, 15, 16, 17, 33, 70}) {
      for (const std::int32_t below : {0, 1, 5, 40}) {
        SCOPED_TRACE(testing::Message() << kernels->name << ": " << n << " columns, " << below << " rows below");
        const Matrix<R> a = positive_definite<R>(n + below, n);
        Matrix<R> panel = a;
        R pivot = 0;
        ASSERT_EQ(kernels->factor_panel(n + below, n, panel.data(), panel.ld, &pivot), -1);
        expect_factor(a, panel, n);
        Matrix<R> parts = a;
        ASSERT_EQ(kernels->factor_diagonal(n, parts.data(), parts.ld, &pivot), -1);
        kernels->solve_below(below, n, parts.data(), parts.ld, parts.data() + n, parts.ld);
        expect_factor(a, parts, n);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TYPED_TEST(ComplexKernels, ReportAFailedPivotAtEveryColumn) {
  using R = TypeParam;
  constexpr std::int32_t n = 37;
  constexpr std::int32_t below = 4;
  for (const auto* const kernels : all_kernels<R>()) {
    for (std::int32_t k = 0; k < n; ++k) {
      for (const R bad : {R(-1), R(0), std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::infinity()}) {
        Matrix<R> a = positive_definite<R>(n + below, n);
        a(k, k) = bad;
        Matrix<R> panel = a;
        R pivot = 1;
        ASSERT_EQ(kernels->factor_panel(n + below, n, panel.data(), panel.ld, &pivot), k) << kernels->name;
        ASSERT_FALSE(pivot > R(0) && std::isfinite(pivot));
        expect_factor(a, panel, k);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TYPED_TEST(ComplexKernels, TriangularSolvesMeetTheBound) {
  using R = TypeParam;
  for (const auto* const kernels : all_kernels<R>()) {
    for (const std::int32_t n : {0, 1, 2, 3, 15, 16, 17, 50}) {
      for (const std::int32_t nrhs : {1, 2, 5, 16}) {
        SCOPED_TRACE(testing::Message() << kernels->name << ": order " << n << ", " << nrhs << " right-hand sides");
        Matrix<R> l = positive_definite<R>(n, n);
        for (std::int32_t j = 0; j < n; ++j) l(j, j) = {static_cast<R>(2 + j), static_cast<R>(j % 3)};
        const Matrix<R> b(n, nrhs, 6U);
        for (const bool backward : {false, true}) {
          Matrix<R> x = b;
          (backward ? kernels->backward_block : kernels->forward_block)(n, nrhs, l.data(), l.ld, x.data(), x.ld);
          for (std::int32_t r = 0; r < nrhs; ++r) {
            for (std::int32_t i = 0; i < n; ++i) {
              Entry<double> sum = 0.0;
              double magnitude = std::abs(b(i, r));
              for (std::int32_t p = backward ? i : 0; p < (backward ? n : i + 1); ++p) {
                const Entry<double> factor(backward ? std::conj(l(p, i)) : l(i, p));
                const Entry<double> term = factor * Entry<double>(x(p, r));
                sum += term;
                magnitude += std::abs(term);
              }
              expect_close<R>(b(i, r), sum, magnitude, 2 * n);
            }
          }
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
