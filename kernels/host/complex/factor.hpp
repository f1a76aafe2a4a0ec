#pragma once

/// \file
/// Cholesky factorization L·Lᴴ of a dense Hermitian matrix, and triangular solves with any L. All go by blocks of columns,
/// whose products do most of the work. The diagonal of a Cholesky factor is real: imaginary parts on the diagonal of the
/// matrix are not read, and those of L are zero.

#include "kernels/host/complex/product.hpp"
#include "kernels/host/isa/factor.hpp"

namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE {

inline constexpr std::int32_t kComplexBlock = 16;

/// x (of m complex entries) −= factor · y, or conj(factor) · y.
template <bool kConjugate, class R>
[[gnu::always_inline]] inline void complex_axpy(std::int32_t m, const R* factor, const R* y, R* x) {
  const R real = factor[0];
  const R imaginary = kConjugate ? -factor[1] : factor[1];
  for (std::int32_t i = 0; i < m; ++i) {
    x[2 * i] -= real * y[2 * i] - imaginary * y[2 * i + 1];
    x[2 * i + 1] -= real * y[2 * i + 1] + imaginary * y[2 * i];
  }
}

[[gnu::always_inline]] inline double complex_magnitude(const double* x) { return __builtin_hypot(x[0], x[1]); }
[[gnu::always_inline]] inline float complex_magnitude(const float* x) { return __builtin_hypotf(x[0], x[1]); }

/// x (of m complex entries) := x / d, or x / conj(d). First by the direction of d, then by its magnitude: 1 / d could
/// overflow.
template <bool kConjugate, class R>
[[gnu::always_inline]] inline void complex_divide(std::int32_t m, const R* d, R* x) {
  if (d[1] == R(0)) {
    for (std::int32_t i = 0; i < 2 * m; ++i) x[i] /= d[0];
    return;
  }
  const R size = complex_magnitude(d);
  const R real = d[0] / size;
  const R imaginary = (kConjugate ? -d[1] : d[1]) / size;
  for (std::int32_t i = 0; i < m; ++i) {
    const R x_real = x[2 * i];
    const R x_imaginary = x[2 * i + 1];
    x[2 * i] = (x_real * real + x_imaginary * imaginary) / size;
    x[2 * i + 1] = (x_imaginary * real - x_real * imaginary) / size;
  }
}

/// Factorizes a diagonal block, column by column; returns as complex_factor_diagonal.
template <class R>
std::int32_t complex_factor_block(std::int32_t n, R* a, std::int64_t lda, R* pivot) {
  for (std::int32_t j = 0; j < n; ++j) {
    R* const column = a + 2 * j * lda;
    const R value = column[2 * j];
    if (!(value > R(0)) || !__builtin_isfinite(value)) {
      *pivot = value;
      return j;
    }
    const R root = square_root(value);
    const R inverse = 1 / root;
    column[2 * j] = root;
    column[2 * j + 1] = R(0);
    for (std::int32_t i = 2 * (j + 1); i < 2 * n; ++i) column[i] *= inverse;
    for (std::int32_t k = j + 1; k < n; ++k)
      complex_axpy<true>(n - k, column + 2 * k, column + 2 * k, a + 2 * (k + k * lda));
  }
  return -1;
}

/// B (m×n) := B · L⁻ᴴ; L is n×n lower triangular.
template <class R>
void complex_solve_below(std::int32_t m, std::int32_t n, const R* l, std::int64_t ldl, R* b, std::int64_t ldb) {
  for (std::int32_t first = 0; first < n; first += kComplexBlock) {
    const std::int32_t columns = smaller(kComplexBlock, n - first);
    R* const block = b + 2 * first * ldb;
    complex_product<false, true>(m, columns, first, b, ldb, {l + 2 * first, ldl, 1}, ComplexDense<R>{block, ldb});
    for (std::int32_t j = 0; j < columns; ++j) {
      R* const column = block + 2 * j * ldb;
      const R* const row = l + 2 * (first + j + first * ldl);
      for (std::int32_t k = 0; k < j; ++k) complex_axpy<true>(m, row + 2 * k * ldl, block + 2 * k * ldb, column);
      const R* const diagonal = row + 2 * j * ldl;
      if (diagonal[1] != R(0)) {
        complex_divide<true>(m, diagonal, column);
        continue;
      }
      const R inverse = 1 / diagonal[0];
      for (std::int32_t i = 0; i < 2 * m; ++i) column[i] *= inverse;
    }
  }
}

/// HostKernels::factor_panel; with m = n HostKernels::factor_diagonal. Left-looking by blocks.
template <class R>
std::int32_t complex_factor_panel(std::int32_t m, std::int32_t n, R* a, std::int64_t lda, R* pivot) {
  for (std::int32_t first = 0; first < n; first += kComplexBlock) {
    const std::int32_t columns = smaller(kComplexBlock, n - first);
    R* const block = a + 2 * (first + first * lda);
    complex_product<true, true>(m - first, columns, first, a + 2 * first, lda, {a + 2 * first, lda, 1},
                                ComplexDense<R>{block, lda});
    const std::int32_t failed = complex_factor_block(columns, block, lda, pivot);
    const std::int32_t done = failed < 0 ? columns : failed;
    complex_solve_below(m - first - columns, done, block, lda, block + 2 * columns, lda);
    if (failed >= 0) return first + failed;
  }
  return -1;
}

/// X (n×nrhs) := L⁻¹ X.
template <class R>
void complex_forward_block(std::int32_t n, std::int32_t nrhs, const R* l, std::int64_t ldl, R* x, std::int64_t ldx) {
  for (std::int32_t first = 0; first < n; first += kComplexBlock) {
    const std::int32_t rows = smaller(kComplexBlock, n - first);
    complex_product<false, false>(rows, nrhs, first, l + 2 * first, ldl, {x, 1, ldx}, ComplexDense<R>{x + 2 * first, ldx});
    for (std::int32_t r = 0; r < nrhs; ++r) {
      R* const y = x + 2 * (first + r * ldx);
      for (std::int32_t j = 0; j < rows; ++j) {
        const R* const column = l + 2 * (first + j + (first + j) * ldl);
        complex_divide<false>(1, column, y + 2 * j);
        complex_axpy<false>(rows - j - 1, y + 2 * j, column + 2, y + 2 * (j + 1));
      }
    }
  }
}

/// X (n×nrhs) := L⁻ᴴ X.
template <class R>
void complex_backward_block(std::int32_t n, std::int32_t nrhs, const R* l, std::int64_t ldl, R* x, std::int64_t ldx) {
  for (std::int32_t first = (n - 1) / kComplexBlock * kComplexBlock; first >= 0 && n > 0; first -= kComplexBlock) {
    const std::int32_t rows = smaller(kComplexBlock, n - first);
    const std::int32_t next = first + rows;
    complex_adjoint_product(n - next, rows, nrhs, l + 2 * (next + first * ldl), ldl, x + 2 * next, ldx, x + 2 * first, ldx);
    for (std::int32_t r = 0; r < nrhs; ++r) {
      R* const y = x + 2 * (first + r * ldx);
      for (std::int32_t j = rows - 1; j >= 0; --j) {
        const R* const column = l + 2 * (first + j + (first + j) * ldl);
        complex_dots<1>(rows - j - 1, column + 2, ldl, y + 2 * (j + 1), y + 2 * j);
        complex_divide<true>(1, column, y + 2 * j);
      }
    }
  }
}

}  // namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE
