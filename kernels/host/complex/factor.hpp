#pragma once

/// \file
/// Cholesky factorization L·Lᴴ of a dense Hermitian matrix, and triangular solves with L. All go by blocks of columns, whose
/// products do most of the work. The diagonal of L is real; imaginary parts on it are neither read nor kept.

#include "kernels/host/complex/product.hpp"

namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE {

inline constexpr std::int32_t kComplexBlock = 16;

/// x (of m complex entries) −= factor · y, or conj(factor) · y.
template <bool kConjugate>
[[gnu::always_inline]] inline void complex_axpy(std::int32_t m, const double* factor, const double* y, double* x) {
  const double real = factor[0];
  const double imaginary = kConjugate ? -factor[1] : factor[1];
  for (std::int32_t i = 0; i < m; ++i) {
    x[2 * i] -= real * y[2 * i] - imaginary * y[2 * i + 1];
    x[2 * i + 1] -= real * y[2 * i + 1] + imaginary * y[2 * i];
  }
}

/// Factorizes a diagonal block, column by column; returns as complex_factor_diagonal.
inline std::int32_t complex_factor_block(std::int32_t n, double* a, std::int64_t lda, double* pivot) {
  for (std::int32_t j = 0; j < n; ++j) {
    double* const column = a + 2 * j * lda;
    const double value = column[2 * j];
    if (!(value > 0.0) || !__builtin_isfinite(value)) {
      *pivot = value;
      return j;
    }
    const double root = __builtin_sqrt(value);
    const double inverse = 1.0 / root;
    column[2 * j] = root;
    column[2 * j + 1] = 0.0;
    for (std::int32_t i = 2 * (j + 1); i < 2 * n; ++i) column[i] *= inverse;
    for (std::int32_t k = j + 1; k < n; ++k)
      complex_axpy<true>(n - k, column + 2 * k, column + 2 * k, a + 2 * (k + k * lda));
  }
  return -1;
}

/// B (m×n) := B · L⁻ᴴ; L is n×n lower triangular.
inline void complex_solve_below(std::int32_t m, std::int32_t n, const double* l, std::int64_t ldl, double* b,
                                std::int64_t ldb) {
  for (std::int32_t first = 0; first < n; first += kComplexBlock) {
    const std::int32_t columns = smaller(kComplexBlock, n - first);
    double* const block = b + 2 * first * ldb;
    complex_product<false, true>(m, columns, first, b, ldb, {l + 2 * first, ldl, 1}, ComplexDense{block, ldb});
    for (std::int32_t j = 0; j < columns; ++j) {
      double* const column = block + 2 * j * ldb;
      const double* const row = l + 2 * (first + j + first * ldl);
      for (std::int32_t k = 0; k < j; ++k) complex_axpy<true>(m, row + 2 * k * ldl, block + 2 * k * ldb, column);
      const double inverse = 1.0 / row[2 * j * ldl];
      for (std::int32_t i = 0; i < 2 * m; ++i) column[i] *= inverse;
    }
  }
}

/// HostKernels::factor_panel; with m = n HostKernels::factor_diagonal. Left-looking by blocks.
inline std::int32_t complex_factor_panel(std::int32_t m, std::int32_t n, double* a, std::int64_t lda, double* pivot) {
  for (std::int32_t first = 0; first < n; first += kComplexBlock) {
    const std::int32_t columns = smaller(kComplexBlock, n - first);
    double* const block = a + 2 * (first + first * lda);
    complex_product<true, true>(m - first, columns, first, a + 2 * first, lda, {a + 2 * first, lda, 1},
                                ComplexDense{block, lda});
    const std::int32_t failed = complex_factor_block(columns, block, lda, pivot);
    const std::int32_t done = failed < 0 ? columns : failed;
    complex_solve_below(m - first - columns, done, block, lda, block + 2 * columns, lda);
    if (failed >= 0) return first + failed;
  }
  return -1;
}

/// X (n×nrhs) := L⁻¹ X.
inline void complex_forward_block(std::int32_t n, std::int32_t nrhs, const double* l, std::int64_t ldl, double* x,
                                  std::int64_t ldx) {
  for (std::int32_t first = 0; first < n; first += kComplexBlock) {
    const std::int32_t rows = smaller(kComplexBlock, n - first);
    complex_product<false, false>(rows, nrhs, first, l + 2 * first, ldl, {x, 1, ldx}, ComplexDense{x + 2 * first, ldx});
    for (std::int32_t r = 0; r < nrhs; ++r) {
      double* const y = x + 2 * (first + r * ldx);
      for (std::int32_t j = 0; j < rows; ++j) {
        const double* const column = l + 2 * (first + j + (first + j) * ldl);
        y[2 * j] /= column[0];
        y[2 * j + 1] /= column[0];
        complex_axpy<false>(rows - j - 1, y + 2 * j, column + 2, y + 2 * (j + 1));
      }
    }
  }
}

/// X (n×nrhs) := L⁻ᴴ X.
inline void complex_backward_block(std::int32_t n, std::int32_t nrhs, const double* l, std::int64_t ldl, double* x,
                                   std::int64_t ldx) {
  for (std::int32_t first = (n - 1) / kComplexBlock * kComplexBlock; first >= 0 && n > 0; first -= kComplexBlock) {
    const std::int32_t rows = smaller(kComplexBlock, n - first);
    const std::int32_t next = first + rows;
    complex_adjoint_product(n - next, rows, nrhs, l + 2 * (next + first * ldl), ldl, x + 2 * next, ldx, x + 2 * first, ldx);
    for (std::int32_t r = 0; r < nrhs; ++r) {
      double* const y = x + 2 * (first + r * ldx);
      for (std::int32_t j = rows - 1; j >= 0; --j) {
        const double* const column = l + 2 * (first + j + (first + j) * ldl);
        complex_dots<1>(rows - j - 1, column + 2, ldl, y + 2 * (j + 1), y + 2 * j);
        y[2 * j] /= column[0];
        y[2 * j + 1] /= column[0];
      }
    }
  }
}

}  // namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE
