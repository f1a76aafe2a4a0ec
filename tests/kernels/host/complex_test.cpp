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

using Entry = std::complex<double>;
using Kernels = HostKernels<Entry>;

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr Entry sentinel{777.25, -333.5};  ///< What kernels must not write.
constexpr Entry poison{std::numeric_limits<double>::quiet_NaN(), 0.0};

/// Column-major with three entries between columns.
struct Matrix {
  std::int32_t rows;
  std::int32_t cols;
  std::int64_t ld;
  std::vector<Entry> entries;

  Matrix(std::int32_t m, std::int32_t n, Entry fill)
      : rows(m), cols(n), ld(m + 3), entries(static_cast<std::size_t>(ld * n), fill) {}
  Matrix(std::int32_t m, std::int32_t n, std::uint32_t seed) : Matrix(m, n, sentinel) {
    std::minstd_rand generator(seed + 1);
    std::uniform_real_distribution<double> value(-1.0, 1.0);
    for (std::int32_t j = 0; j < n; ++j) {
      for (std::int32_t i = 0; i < m; ++i) (*this)(i, j) = {value(generator), value(generator)};
    }
  }
  Entry& operator()(std::int64_t i, std::int64_t j) { return entries[static_cast<std::size_t>(i + j * ld)]; }
  Entry operator()(std::int64_t i, std::int64_t j) const { return entries[static_cast<std::size_t>(i + j * ld)]; }
  Entry* data() { return entries.data(); }
  const Entry* data() const { return entries.data(); }
};

std::vector<const Kernels*> all_kernels() {
  std::vector<const Kernels*> all;
  for (const HostIsa isa : {HostIsa::baseline, HostIsa::v2, HostIsa::v3, HostIsa::v4}) {
    if (const Kernels* const kernels = host_kernels<Entry>(isa)) all.push_back(kernels);
  }
  return all;
}

/// |computed − exact| ≤ c (k + 1) eps Σ|terms|, c = 4 for complex products [Higham02, §3.6].
void expect_close(Entry computed, Entry exact, double magnitude, std::int32_t k) {
  ASSERT_LE(std::abs(computed - exact), 4.0 * (k + 1) * eps * magnitude);
}

/// Every entry of c is c0 − A·op(B) or untouched. `get` returns op(B)(p, j).
template <class Get>
void expect_product(const Matrix& a, const Get& get, const Matrix& c0, const Matrix& c,
                    const std::vector<std::int32_t>& rows, const std::vector<std::int32_t>& cols, bool lower) {
  Matrix rest = c;
  for (std::size_t j = 0; j < cols.size(); ++j) {
    for (std::size_t i = lower ? j : 0; i < rows.size(); ++i) {
      Entry sum = c0(rows[i], cols[j]);
      double magnitude = std::abs(sum);
      for (std::int32_t p = 0; p < a.cols; ++p) {
        const Entry term = a(static_cast<std::int64_t>(i), p) * get(p, static_cast<std::int32_t>(j));
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

TEST(ComplexKernels, ProductsAgreeWithLoops) {
  for (const Kernels* const kernels : all_kernels()) {
    for (const auto& [m, n, k] : sizes()) {
      SCOPED_TRACE(testing::Message() << kernels->name << ": " << m << " x " << n << ", depth " << k);
      const Matrix a(m, k, 1U);
      const Matrix b(n, k, 2U);
      const auto adjoint = [&](std::int32_t p, std::int32_t j) { return std::conj(b(j, p)); };
      const Matrix c0(m, n, 3U);
      Matrix c = c0;
      kernels->subtract_product(m, n, k, a.data(), a.ld, b.data(), b.ld, c.data(), c.ld);
      expect_product(a, adjoint, c0, c, identity(m), identity(n), false);
      const Matrix wide0(m + m / 3 + 1, n + n / 3 + 1, 4U);
      Matrix wide = wide0;
      const auto rows = with_gaps(m);
      const auto cols = with_gaps(n);
      kernels->subtract_product_indexed(m, n, k, a.data(), a.ld, b.data(), b.ld, wide.data(), wide.ld, rows.data(),
                                        cols.data());
      expect_product(a, adjoint, wide0, wide, rows, cols, false);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(ComplexKernels, LowerProductsAgreeWithLoops) {
  for (const Kernels* const kernels : all_kernels()) {
    for (const auto& [m, n, k] : sizes()) {
      if (n > m) continue;
      SCOPED_TRACE(testing::Message() << kernels->name << ": " << m << " x " << n << ", depth " << k);
      const Matrix a(m, k, 1U);
      const auto adjoint = [&](std::int32_t p, std::int32_t j) { return std::conj(a(j, p)); };
      const Matrix c0(m, n, 3U);
      Matrix c = c0;
      kernels->subtract_product_lower(m, n, k, a.data(), a.ld, a.data(), a.ld, c.data(), c.ld);
      expect_product(a, adjoint, c0, c, identity(m), identity(n), true);
      const Matrix wide0(m + m / 3 + 1, n + n / 3 + 1, 4U);
      Matrix wide = wide0;
      const auto rows = with_gaps(m);
      kernels->subtract_product_lower_indexed(m, n, k, a.data(), a.ld, a.data(), a.ld, wide.data(), wide.ld, rows.data(),
                                              rows.data());
      expect_product(a, adjoint, wide0, wide, rows, with_gaps(n), true);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(ComplexKernels, ProductsOfSolvesAgreeWithLoops) {
  for (const Kernels* const kernels : all_kernels()) {
    for (const auto& [m, n, k] : sizes()) {
      SCOPED_TRACE(testing::Message() << kernels->name << ": " << m << " x " << k << ", " << n << " right-hand sides");
      const Matrix a(m, k, 1U);
      const Matrix x(k, n, 2U);
      const Matrix y0(m, n, 3U);
      Matrix y = y0;
      kernels->subtract_times(m, k, n, a.data(), a.ld, x.data(), x.ld, y.data(), y.ld);
      expect_product(
          a, [&](std::int32_t p, std::int32_t j) { return x(p, j); }, y0, y, identity(m), identity(n), false);
      Matrix adjoint(k, m, sentinel);
      for (std::int32_t j = 0; j < k; ++j) {
        for (std::int32_t i = 0; i < m; ++i) adjoint(j, i) = std::conj(a(i, j));
      }
      Matrix left = x;
      kernels->subtract_transpose_times(m, k, n, a.data(), a.ld, y0.data(), y0.ld, left.data(), left.ld);
      expect_product(
          adjoint, [&](std::int32_t p, std::int32_t j) { return y0(p, j); }, x, left, identity(k), identity(n), false);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// Hermitian, diagonally dominant; above the diagonal and in the imaginary parts of the diagonal lies NaN.
Matrix positive_definite(std::int32_t m, std::int32_t n) {
  Matrix a(m, n, 5U);
  for (std::int32_t j = 0; j < n; ++j) {
    a(j, j) = {2.0 * m + 1.0, std::numeric_limits<double>::quiet_NaN()};
    for (std::int32_t i = 0; i < j; ++i) a(i, j) = poison;
  }
  return a;
}

/// A − L Lᴴ in the first `done` columns of the m×n panel; what lies above the diagonal is untouched.
void expect_factor(const Matrix& a, const Matrix& l, std::int32_t done) {
  for (std::int32_t j = 0; j < done; ++j) {
    ASSERT_EQ(l(j, j).imag(), 0.0);
    ASSERT_GT(l(j, j).real(), 0.0);
    for (std::int32_t i = 0; i < j; ++i) ASSERT_TRUE(std::isnan(l(i, j).real()));
    for (std::int32_t i = j; i < a.rows; ++i) {
      Entry sum = 0.0;
      double magnitude = 0.0;
      for (std::int32_t p = 0; p <= j; ++p) {
        sum += l(i, p) * std::conj(l(j, p));
        magnitude += std::abs(l(i, p)) * std::abs(l(j, p));
      }
      expect_close(sum, i == j ? a(i, j).real() : a(i, j), magnitude, 2 * j + 2);
    }
  }
}

TEST(ComplexKernels, FactorDiagonalBlocksAndPanels) {
  for (const Kernels* const kernels : all_kernels()) {
    for (const std::int32_t n : {0, 1, 2, 3, 7, 15, 16, 17, 33, 70}) {
      for (const std::int32_t below : {0, 1, 5, 40}) {
        SCOPED_TRACE(testing::Message() << kernels->name << ": " << n << " columns, " << below << " rows below");
        const Matrix a = positive_definite(n + below, n);
        Matrix panel = a;
        double pivot = 0.0;
        ASSERT_EQ(kernels->factor_panel(n + below, n, panel.data(), panel.ld, &pivot), -1);
        expect_factor(a, panel, n);
        Matrix parts = a;
        ASSERT_EQ(kernels->factor_diagonal(n, parts.data(), parts.ld, &pivot), -1);
        kernels->solve_below(below, n, parts.data(), parts.ld, parts.data() + n, parts.ld);
        expect_factor(a, parts, n);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(ComplexKernels, ReportAFailedPivotAtEveryColumn) {
  constexpr std::int32_t n = 37;
  constexpr std::int32_t below = 4;
  for (const Kernels* const kernels : all_kernels()) {
    for (std::int32_t k = 0; k < n; ++k) {
      for (const double bad :
           {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        Matrix a = positive_definite(n + below, n);
        a(k, k) = bad;
        Matrix panel = a;
        double pivot = 1.0;
        ASSERT_EQ(kernels->factor_panel(n + below, n, panel.data(), panel.ld, &pivot), k) << kernels->name;
        ASSERT_FALSE(pivot > 0.0 && std::isfinite(pivot));
        expect_factor(a, panel, k);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(ComplexKernels, TriangularSolvesMeetTheBound) {
  for (const Kernels* const kernels : all_kernels()) {
    for (const std::int32_t n : {0, 1, 2, 3, 15, 16, 17, 50}) {
      for (const std::int32_t nrhs : {1, 2, 5, 16}) {
        SCOPED_TRACE(testing::Message() << kernels->name << ": order " << n << ", " << nrhs << " right-hand sides");
        Matrix l = positive_definite(n, n);
        for (std::int32_t j = 0; j < n; ++j) l(j, j) = 2.0 + j;
        const Matrix b(n, nrhs, 6U);
        for (const bool backward : {false, true}) {
          Matrix x = b;
          (backward ? kernels->backward_block : kernels->forward_block)(n, nrhs, l.data(), l.ld, x.data(), x.ld);
          for (std::int32_t r = 0; r < nrhs; ++r) {
            for (std::int32_t i = 0; i < n; ++i) {
              Entry sum = 0.0;
              double magnitude = std::abs(b(i, r));
              for (std::int32_t p = backward ? i : 0; p < (backward ? n : i + 1); ++p) {
                const Entry factor = backward ? std::conj(l(p, i)) : l(i, p);
                sum += factor * x(p, r);
                magnitude += std::abs(factor) * std::abs(x(p, r));
              }
              expect_close(sum, b(i, r), magnitude, 2 * n);
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
