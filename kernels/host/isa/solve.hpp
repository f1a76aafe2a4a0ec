#pragma once

/// \file
/// Triangular solves with a diagonal block, and products with the rows below it. One right-hand side is bound by the
/// memory traffic of A: several columns of A are read together, each once.

#include "kernels/host/isa/factor.hpp"

namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE {

/// Columns of A read together for one right-hand side.
inline constexpr std::int32_t kSweepColumns = 8;

/// y −= A(:, 0…N−1) · x.
template <class T, int N>
[[gnu::noinline]] void subtract_columns(std::int32_t m, const T* a, std::int64_t lda, const T* x, T* y) {
  T factor[N];
  GPUSUPERNODAL_UNROLL
  for (int j = 0; j < N; ++j) {
    factor[j] = x[j];
  }
  std::int32_t i = 0;
  for (; i + kLanes<T> <= m; i += kLanes<T>) {
    Vec<T> sum = load(y + i);
    GPUSUPERNODAL_UNROLL
    for (int j = 0; j < N; ++j) {
      sum -= load(a + i + j * lda) * factor[j];
    }
    store(y + i, sum);
  }
  if (i < m) {
    const FirstLanes<T> tail(m - i);
    Vec<T> sum = load_first(y + i, tail);
    GPUSUPERNODAL_UNROLL
    for (int j = 0; j < N; ++j) {
      sum -= load_first(a + i + j * lda, tail) * factor[j];
    }
    store_first(y + i, sum, tail);
  }
}

/// x[j + r·ldx] −= A(:, j)ᵀ · Y(:, r), j < N, r < R.
template <class T, int N, int R>
[[gnu::noinline]] void subtract_dots(std::int32_t m, const T* a, std::int64_t lda, const T* y, std::int64_t ldy, T* x,
                                     std::int64_t ldx) {
  Vec<T> sum[N][R] = {};
  std::int32_t i = 0;
  for (; i + kLanes<T> <= m; i += kLanes<T>) {
    Vec<T> right[R];
    GPUSUPERNODAL_UNROLL
    for (int r = 0; r < R; ++r) {
      right[r] = load(y + i + r * ldy);
    }
    GPUSUPERNODAL_UNROLL
    for (int j = 0; j < N; ++j) {
      const Vec<T> left = load(a + i + j * lda);
      GPUSUPERNODAL_UNROLL
      for (int r = 0; r < R; ++r) {
        sum[j][r] += left * right[r];
      }
    }
  }
  if (i < m) {
    const FirstLanes<T> tail(m - i);
    GPUSUPERNODAL_UNROLL
    for (int r = 0; r < R; ++r) {
      const Vec<T> right = load_first(y + i + r * ldy, tail);
      GPUSUPERNODAL_UNROLL
      for (int j = 0; j < N; ++j) {
        sum[j][r] += load_first(a + i + j * lda, tail) * right;
      }
    }
  }
  GPUSUPERNODAL_UNROLL
  for (int r = 0; r < R; ++r) {
    GPUSUPERNODAL_UNROLL
    for (int j = 0; j < N; ++j) {
      x[j + r * ldx] -= sum_lanes<T>(sum[j][r]);
    }
  }
}

/// y −= A · x.
template <class T>
void subtract_times_one(std::int32_t m, std::int32_t n, const T* a, std::int64_t lda, const T* x, T* y) {
  std::int32_t j = 0;
  for (; j + kSweepColumns <= n; j += kSweepColumns) {
    subtract_columns<T, kSweepColumns>(m, a + j * lda, lda, x + j, y);
  }
  if (j + 4 <= n) {
    subtract_columns<T, 4>(m, a + j * lda, lda, x + j, y);
    j += 4;
  }
  if (j + 2 <= n) {
    subtract_columns<T, 2>(m, a + j * lda, lda, x + j, y);
    j += 2;
  }
  if (j < n) {
    subtract_columns<T, 1>(m, a + j * lda, lda, x + j, y);
  }
}

/// X(:, 0…R−1) −= Aᵀ · Y(:, 0…R−1), N columns of A per pass.
template <class T, int N, int R>
void subtract_transpose_strip(std::int32_t m, std::int32_t n, const T* a, std::int64_t lda, const T* y, std::int64_t ldy,
                              T* x, std::int64_t ldx) {
  std::int32_t j = 0;
  for (; j + N <= n; j += N) {
    subtract_dots<T, N, R>(m, a + j * lda, lda, y, ldy, x + j, ldx);
  }
  if constexpr (N > 4) {
    if (j + 4 <= n) {
      subtract_dots<T, 4, R>(m, a + j * lda, lda, y, ldy, x + j, ldx);
      j += 4;
    }
  }
  if (j + 2 <= n) {
    subtract_dots<T, 2, R>(m, a + j * lda, lda, y, ldy, x + j, ldx);
    j += 2;
  }
  if (j < n) {
    subtract_dots<T, 1, R>(m, a + j * lda, lda, y, ldy, x + j, ldx);
  }
}

template <class T>
void subtract_transpose_times(std::int32_t m, std::int32_t n, std::int32_t nrhs, const T* a, std::int64_t lda, const T* y,
                              std::int64_t ldy, T* x, std::int64_t ldx) {
  constexpr int kTogether = kTileColumns / 2;  // right-hand sides per pass; 4 × kTogether sums stay in registers
  std::int32_t r = 0;
  for (; r + kTogether <= nrhs; r += kTogether) {
    subtract_transpose_strip<T, 4, kTogether>(m, n, a, lda, y + r * ldy, ldy, x + r * ldx, ldx);
  }
  for (; r < nrhs; ++r) {
    subtract_transpose_strip<T, kSweepColumns, 1>(m, n, a, lda, y + r * ldy, ldy, x + r * ldx, ldx);
  }
}

/// Y(:, 0…columns−1) −= A · X(:, 0…columns−1), columns ≤ kTileColumns. X is copied row by row, as a tile reads it.
template <class T>
[[gnu::noinline]] void subtract_times_strip(std::int32_t m, std::int32_t n, std::int32_t columns, const T* a,
                                            std::int64_t lda, const T* x, std::int64_t ldx, T* y, std::int64_t ldy) {
  T rows_of_x[kBlockDepth * kTileColumns];
  for (std::int32_t p = 0; p < n; p += kBlockDepth) {
    const std::int32_t depth = smaller(kBlockDepth, n - p);
    for (std::int32_t r = 0; r < columns; ++r) {
      for (std::int32_t q = 0; q < depth; ++q) {
        rows_of_x[q * kTileColumns + r] = x[p + q + r * ldx];
      }
    }
    for (std::int32_t i = 0; i < m; i += kTileRows<T>) {
      const Operands<T> from = {depth, a + i + p * lda, lda, rows_of_x, kTileColumns};
      subtract_any_tile(from, DenseTarget<T>{y + i, ldy}, smaller(kTileRows<T>, m - i), columns, kNoDiagonal);
    }
  }
}

template <class T>
void subtract_times(std::int32_t m, std::int32_t n, std::int32_t nrhs, const T* a, std::int64_t lda, const T* x,
                    std::int64_t ldx, T* y, std::int64_t ldy) {
  std::int32_t r = 0;
  for (; r + 1 < nrhs; r += smaller(kTileColumns, nrhs - r)) {
    subtract_times_strip(m, n, smaller(kTileColumns, nrhs - r), a, lda, x + r * ldx, ldx, y + r * ldy, ldy);
  }
  if (r < nrhs) {
    subtract_times_one(m, n, a, lda, x + r * ldx, y + r * ldy);
  }
}

/// A number of columns that is known at compile time.
template <int N>
struct Width {};

/// Computes 1 / diagonal of an N×N triangle; the divisions are independent of each other.
template <class T, int N>
[[gnu::always_inline]] inline void invert_diagonal(const T* l, std::int64_t ldl, T (&inverse)[N]) {
  GPUSUPERNODAL_UNROLL
  for (int j = 0; j < N; ++j) {
    inverse[j] = T(1) / l[j + j * ldl];
  }
}

/// Calls leaf(Width<n>()) for 1 ≤ n ≤ kSweepColumns and does nothing for 0: loops of known length keep x in registers.
template <class Leaf>
[[gnu::always_inline]] inline void with_known_width(std::int32_t n, const Leaf& leaf) {
  switch (n) {
    case 0:
      return;
    case 1:
      return leaf(Width<1>{});
    case 2:
      return leaf(Width<2>{});
    case 3:
      return leaf(Width<3>{});
    case 4:
      return leaf(Width<4>{});
    case 5:
      return leaf(Width<5>{});
    case 6:
      return leaf(Width<6>{});
    case 7:
      return leaf(Width<7>{});
    default:
      return leaf(Width<8>{});
  }
}

/// X := L⁻¹ X for n = N.
template <class T, int N>
void forward_leaf(Width<N>, std::int32_t nrhs, const T* l, std::int64_t ldl, T* x, std::int64_t ldx) {
  T inverse[N];
  invert_diagonal(l, ldl, inverse);
  for (std::int32_t r = 0; r < nrhs; ++r) {
    T* column = x + r * ldx;
    T value[N];
    GPUSUPERNODAL_UNROLL
    for (int i = 0; i < N; ++i) {
      value[i] = column[i];
    }
    GPUSUPERNODAL_UNROLL
    for (int j = 0; j < N; ++j) {
      value[j] *= inverse[j];
      GPUSUPERNODAL_UNROLL
      for (int i = j + 1; i < N; ++i) {
        value[i] -= l[i + j * ldl] * value[j];
      }
    }
    GPUSUPERNODAL_UNROLL
    for (int i = 0; i < N; ++i) {
      column[i] = value[i];
    }
  }
}

/// X := L⁻ᵀ X for n = N. Sums begin with the entries known longest, so only their last terms are waited for.
template <class T, int N>
void backward_leaf(Width<N>, std::int32_t nrhs, const T* l, std::int64_t ldl, T* x, std::int64_t ldx) {
  T inverse[N];
  invert_diagonal(l, ldl, inverse);
  for (std::int32_t r = 0; r < nrhs; ++r) {
    T* column = x + r * ldx;
    T value[N];
    GPUSUPERNODAL_UNROLL
    for (int i = 0; i < N; ++i) {
      value[i] = column[i];
    }
    GPUSUPERNODAL_UNROLL
    for (int i = N - 1; i >= 0; --i) {
      value[i] *= inverse[i];
      GPUSUPERNODAL_UNROLL
      for (int j = 0; j < i; ++j) {
        value[j] -= l[i + j * ldl] * value[i];
      }
    }
    GPUSUPERNODAL_UNROLL
    for (int i = 0; i < N; ++i) {
      column[i] = value[i];
    }
  }
}

/// X := L⁻¹ X for n ≤ kSweepColumns.
template <class T>
void forward_leaf(std::int32_t n, std::int32_t nrhs, const T* l, std::int64_t ldl, T* x, std::int64_t ldx) {
  with_known_width(n, [&](auto width) { forward_leaf(width, nrhs, l, ldl, x, ldx); });
}

/// X := L⁻ᵀ X for n ≤ kSweepColumns.
template <class T>
void backward_leaf(std::int32_t n, std::int32_t nrhs, const T* l, std::int64_t ldl, T* x, std::int64_t ldx) {
  with_known_width(n, [&](auto width) { backward_leaf(width, nrhs, l, ldl, x, ldx); });
}

template <class T>
void forward_one(std::int32_t n, const T* l, std::int64_t ldl, T* x) {
  for (std::int32_t j = 0; j < n; j += kSweepColumns) {
    const std::int32_t columns = smaller(kSweepColumns, n - j);
    forward_leaf(columns, 1, l + j + j * ldl, ldl, x + j, 0);
    const std::int32_t next = j + columns;
    if (next < n) {
      subtract_columns<T, kSweepColumns>(n - next, l + next + j * ldl, ldl, x + j, x + next);
    }
  }
}

template <class T>
void backward_one(std::int32_t n, const T* l, std::int64_t ldl, T* x) {
  // Blocks begin at multiples of kSweepColumns: only the last, which has no rows below it, is narrower.
  for (std::int32_t j = (n - 1) / kSweepColumns * kSweepColumns; j >= 0 && n > 0; j -= kSweepColumns) {
    const std::int32_t columns = smaller(kSweepColumns, n - j);
    const std::int32_t next = j + columns;
    if (next < n) {
      subtract_dots<T, kSweepColumns, 1>(n - next, l + next + j * ldl, ldl, x + next, 0, x + j, 0);
    }
    backward_leaf(columns, 1, l + j + j * ldl, ldl, x + j, 0);
  }
}

template <class T>
void forward_block(std::int32_t n, std::int32_t nrhs, const T* l, std::int64_t ldl, T* x, std::int64_t ldx) {
  if (nrhs == 1) {
    return forward_one(n, l, ldl, x);
  }
  if (n <= kSweepColumns) {
    return forward_leaf(n, nrhs, l, ldl, x, ldx);
  }
  const std::int32_t half = first_half(n);
  forward_block(half, nrhs, l, ldl, x, ldx);
  subtract_times(n - half, half, nrhs, l + half, ldl, static_cast<const T*>(x), ldx, x + half, ldx);
  forward_block(n - half, nrhs, l + half + half * ldl, ldl, x + half, ldx);
}

template <class T>
void backward_block(std::int32_t n, std::int32_t nrhs, const T* l, std::int64_t ldl, T* x, std::int64_t ldx) {
  if (nrhs == 1) {
    return backward_one(n, l, ldl, x);
  }
  if (n <= kSweepColumns) {
    return backward_leaf(n, nrhs, l, ldl, x, ldx);
  }
  const std::int32_t half = first_half(n);
  backward_block(n - half, nrhs, l + half + half * ldl, ldl, x + half, ldx);
  subtract_transpose_times(n - half, half, nrhs, l + half, ldl, static_cast<const T*>(x + half), ldx, x, ldx);
  backward_block(half, nrhs, l, ldl, x, ldx);
}

}  // namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE
