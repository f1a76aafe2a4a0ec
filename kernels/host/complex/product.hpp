#pragma once

/// \file
/// C −= A·B or A·conj(B) of complex matrices, whole or lower trapezoid, into a dense or an indexed target. Operands are read
/// in place.

#include "kernels/host/complex/tile.hpp"

namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE {

/// Columns of A per pass: a tile's rows of them (32 KiB at most) stay in the L1 cache beside the tiles of C.
inline constexpr std::int32_t kComplexDepth = 256;

/// Target of a product: entry (i, j) is c[2·(i + j·ld)].
template <class R>
struct ComplexDense {
  R* c;
  std::int64_t ld;
  [[gnu::always_inline]] R* at(std::int32_t i, std::int32_t j) const { return c + 2 * (i + j * ld); }
};

/// Target of a product: entry (i, j) is c[2·(rows[i] + cols[j]·ld)].
template <class R>
struct ComplexIndexed {
  R* c;
  std::int64_t ld;
  const std::int32_t* rows;
  const std::int32_t* cols;
  [[gnu::always_inline]] R* at(std::int32_t i, std::int32_t j) const { return c + 2 * (rows[i] + cols[j] * ld); }
};

/// Subtracts a tile of columns × rows sums from the target at (i, j); of the lower trapezoid only if kLower.
template <bool kLower, class R, class Target>
[[gnu::always_inline]] inline void subtract_sums(const ComplexSums<R>& sums, std::int32_t i, std::int32_t rows,
                                                 std::int32_t j, std::int32_t columns, const Target& to) {
  for (std::int32_t c = 0; c < columns; ++c) {
    const R* const column = sums.entries + 2 * c * sums.ld;
    for (std::int32_t r = kLower ? larger(0, j + c - i) : 0; r < rows; ++r) {
      R* const entry = to.at(i + r, j + c);
      entry[0] -= column[2 * r];
      entry[1] -= column[2 * r + 1];
    }
  }
}

/// C (m×n) −= A (m×k) · B (k×n), B conjugated if kConjugate; if kLower, for i ≥ j only.
template <bool kLower, bool kConjugate, class R, class Target>
void complex_product(std::int32_t m, std::int32_t n, std::int32_t k, const R* a, std::int64_t lda, const ComplexRight<R>& b,
                     const Target& to) {
  ComplexSums<R> sums;
  for (std::int32_t first = 0; first < k; first += kComplexDepth) {
    const std::int32_t depth = smaller(kComplexDepth, k - first);
    for (std::int32_t i = 0; i < m; i += kComplexTileRows<R>) {
      const std::int32_t rows = smaller(kComplexTileRows<R>, m - i);
      const R* const left = a + 2 * (i + first * lda);
      const std::int32_t end = kLower ? smaller(n, i + rows) : n;
      std::int32_t j = 0;
      const auto right = [&] {
        return ComplexRight<R>{b.entries + 2 * (first * b.depth_stride + j * b.column_stride), b.depth_stride,
                               b.column_stride};
      };
      for (; j + kComplexTileColumns <= end; j += kComplexTileColumns) {
        complex_tile_rows<kComplexTileColumns, kConjugate>(rows, depth, left, lda, right(), sums);
        subtract_sums<kLower>(sums, i, rows, j, kComplexTileColumns, to);
      }
      for (; j < end; ++j) {
        complex_tile_rows<1, kConjugate>(rows, depth, left, lda, right(), sums);
        subtract_sums<kLower>(sums, i, rows, j, 1, to);
      }
    }
  }
}

/// x(j) −= A(:, j)ᴴ y for kColumns columns of A.
template <int kColumns, class R>
[[gnu::noinline]] void complex_dots(std::int32_t m, const R* a, std::int64_t lda, const R* y, R* x) {
  Vec<R> straight[kColumns] = {};  // Lanes (ar·yr, ai·yi).
  Vec<R> crossed[kColumns] = {};   // Lanes (ar·yi, ai·yr).
  const auto add = [&](const auto& from) {
    const Vec<R> right = from(y);
    const Vec<R> swapped = swap_parts(right);
    GPUSUPERNODAL_UNROLL
    for (int j = 0; j < kColumns; ++j) {
      const Vec<R> left = from(a + 2 * j * lda);
      straight[j] += left * right;
      crossed[j] += left * swapped;
    }
  };
  std::int32_t i = 0;
  for (; i + kComplexLanes<R> <= m; i += kComplexLanes<R>) add([&](const R* column) { return load(column + 2 * i); });
  if (i < m) {
    const FirstLanes<R> tail(2 * (m - i));
    add([&](const R* column) { return load_first(column + 2 * i, tail); });
  }
  const Vec<R> sign = alternating(R(1), R(-1));
  GPUSUPERNODAL_UNROLL
  for (int j = 0; j < kColumns; ++j) {
    x[2 * j] -= sum_lanes<R>(straight[j]);
    x[2 * j + 1] -= sum_lanes<R>(sign * crossed[j]);
  }
}

/// X (n×nrhs) −= A (m×n)ᴴ · Y (m×nrhs).
template <class R>
void complex_adjoint_product(std::int32_t m, std::int32_t n, std::int32_t nrhs, const R* a, std::int64_t lda, const R* y,
                             std::int64_t ldy, R* x, std::int64_t ldx) {
  constexpr int columns = 4;
  std::int32_t j = 0;
  for (; j + columns <= n; j += columns) {
    for (std::int32_t r = 0; r < nrhs; ++r) {
      complex_dots<columns>(m, a + 2 * j * lda, lda, y + 2 * r * ldy, x + 2 * (j + r * ldx));
    }
  }
  for (; j < n; ++j) {
    for (std::int32_t r = 0; r < nrhs; ++r) complex_dots<1>(m, a + 2 * j * lda, lda, y + 2 * r * ldy, x + 2 * (j + r * ldx));
  }
}

}  // namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE
