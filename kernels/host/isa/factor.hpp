#pragma once

/// \file
/// Cholesky factor of a diagonal block and the triangular solve below it. Both recurse by halves down to leaves. A leaf
/// is processed from left to right, kTileColumns columns at a time: a register tile first subtracts the product of the
/// preceding columns (accumulate) and is then solved in registers.

#include "kernels/host/isa/product.hpp"

namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE {

/// Width at which the recursion ends: a leaf's triangle fits into the L1 cache.
inline constexpr std::int32_t kLeafWidth = 64;

[[gnu::always_inline]] inline double square_root(double x) { return __builtin_sqrt(x); }
[[gnu::always_inline]] inline float square_root(float x) { return __builtin_sqrtf(x); }
[[gnu::always_inline]] inline bool is_positive_finite(double x) { return x > 0 && x <= __DBL_MAX__; }
[[gnu::always_inline]] inline bool is_positive_finite(float x) { return x > 0 && x <= __FLT_MAX__; }
/// Whether 1 / x keeps all its digits, for a positive x.
[[gnu::always_inline]] inline bool has_reciprocal(double x) { return x >= __DBL_MIN__ && x <= __DBL_MAX__ / 4; }
[[gnu::always_inline]] inline bool has_reciprocal(float x) { return x >= __FLT_MIN__ && x <= __FLT_MAX__ / 4; }

/// Width of the first half of n columns, rounded up to a multiple of the tile's columns.
[[gnu::always_inline]] inline std::int32_t first_half(std::int32_t n) {
  return (n / 2 + kTileColumns - 1) / kTileColumns * kTileColumns;
}

/// Sets x[j][v] := target − Σ_p A(i, p) · B(j, p), with the target read from column-major c.
template <class T, int V, int N, bool kFull>
[[gnu::always_inline]] inline void gather_tile(const Operands<T>& from, const T* c, std::int64_t ldc,
                                               const FirstLanes<T>& tail, Vec<T> (&x)[N][V]) {
  accumulate<T, V, N, kFull>(from, tail, x);
  GPUSUPERNODAL_UNROLL
  for (int j = 0; j < N; ++j) {
    GPUSUPERNODAL_UNROLL
    for (int v = 0; v < V; ++v) {
      const T* at = c + j * ldc + v * kLanes<T>;
      x[j][v] = ((kFull || v < V - 1) ? load(at) : load_first(at, tail)) - x[j][v];
    }
  }
}

/// Computes B(rows, N columns) := (B − Σ over the preceding columns) · L⁻ᵀ, given L's N×N triangle at l and the
/// reciprocals of its diagonal.
template <class T, int V, int N, bool kFull>
[[gnu::noinline]] void solve_tile(const Operands<T>& before, T* b, std::int64_t ldb, std::int32_t rows, const T* l,
                                  std::int64_t ldl, const T* inverse) {
  const FirstLanes<T> tail(rows - (V - 1) * kLanes<T>);
  Vec<T> x[N][V];
  gather_tile<T, V, N, kFull>(before, b, ldb, tail, x);
  GPUSUPERNODAL_UNROLL
  for (int q = 0; q < N; ++q) {
    GPUSUPERNODAL_UNROLL
    for (int v = 0; v < V; ++v) {
      x[q][v] *= inverse[q];
    }
    GPUSUPERNODAL_UNROLL
    for (int j = q + 1; j < N; ++j) {
      GPUSUPERNODAL_UNROLL
      for (int v = 0; v < V; ++v) {
        x[j][v] -= x[q][v] * l[j + q * ldl];
      }
    }
    GPUSUPERNODAL_UNROLL
    for (int v = 0; v < V; ++v) {
      T* at = b + q * ldb + v * kLanes<T>;
      if (kFull || v < V - 1) {
        store(at, x[q][v]);
      } else {
        store_first(at, x[q][v], tail);
      }
    }
  }
}

template <class T, int N>
[[gnu::always_inline]] inline void solve_tile_rows(const Operands<T>& before, T* b, std::int64_t ldb, std::int32_t rows,
                                                   const T* l, std::int64_t ldl, const T* inverse) {
  if (rows == kTileRows<T>) {
    return solve_tile<T, kTileVectors, N, true>(before, b, ldb, rows, l, ldl, inverse);
  }
  if (rows <= kLanes<T>) {
    return solve_tile<T, 1, N, false>(before, b, ldb, rows, l, ldl, inverse);
  }
  if (kTileVectors == 2 || rows <= 2 * kLanes<T>) {
    return solve_tile<T, 2, N, false>(before, b, ldb, rows, l, ldl, inverse);
  }
  return solve_tile<T, kTileVectors, N, false>(before, b, ldb, rows, l, ldl, inverse);
}

/// solve_tile for 1 ≤ rows ≤ kTileRows and 1 ≤ columns ≤ kTileColumns.
template <class T>
void solve_any_tile(const Operands<T>& before, T* b, std::int64_t ldb, std::int32_t rows, std::int32_t columns, const T* l,
                    std::int64_t ldl, const T* inverse) {
  switch (columns) {
    case 1:
      return solve_tile_rows<T, 1>(before, b, ldb, rows, l, ldl, inverse);
    case 2:
      return solve_tile_rows<T, 2>(before, b, ldb, rows, l, ldl, inverse);
    case 3:
      return solve_tile_rows<T, 3>(before, b, ldb, rows, l, ldl, inverse);
    case 4:
      return solve_tile_rows<T, 4>(before, b, ldb, rows, l, ldl, inverse);
    default:
      break;
  }
  if constexpr (kTileColumns == 8) {
    switch (columns) {
      case 5:
        return solve_tile_rows<T, 5>(before, b, ldb, rows, l, ldl, inverse);
      case 6:
        return solve_tile_rows<T, 6>(before, b, ldb, rows, l, ldl, inverse);
      case 7:
        return solve_tile_rows<T, 7>(before, b, ldb, rows, l, ldl, inverse);
      default:
        return solve_tile_rows<T, 8>(before, b, ldb, rows, l, ldl, inverse);
    }
  }
}

/// solve_below for n ≤ kLeafWidth: tile by tile of rows, so that a strip of B stays in the L1 cache.
template <class T>
void solve_leaf(std::int32_t m, std::int32_t n, const T* l, std::int64_t ldl, T* b, std::int64_t ldb) {
  T inverse[kLeafWidth];
  for (std::int32_t j = 0; j < n; ++j) {
    inverse[j] = T(1) / l[j + j * ldl];
  }
  for (std::int32_t i = 0; i < m; i += kTileRows<T>) {
    const std::int32_t rows = smaller(kTileRows<T>, m - i);
    for (std::int32_t j = 0; j < n; j += kTileColumns) {
      const Operands<T> before = {j, b + i, ldb, l + j, ldl};
      solve_any_tile(before, b + i + j * ldb, ldb, rows, smaller(kTileColumns, n - j), l + j + j * ldl, ldl, inverse + j);
    }
  }
}

template <class T>
void solve_below(std::int32_t m, std::int32_t n, const T* l, std::int64_t ldl, T* b, std::int64_t ldb) {
  if (n <= kLeafWidth) {
    return solve_leaf(m, n, l, ldl, b, ldb);
  }
  const std::int32_t half = first_half(n);
  solve_below(m, half, l, ldl, b, ldb);
  subtract_product(m, n - half, half, static_cast<const T*>(b), ldb, l + half, ldl, b + half * ldb, ldb);
  solve_below(m, n - half, l + half + half * ldl, ldl, b + half * ldb, ldb);
}

/// Result of factorizing a tile: reciprocals of the diagonal, and where it failed.
template <class T>
struct TileFactor {
  T inverse[kTileColumns];
  std::int32_t failed = -1;
  T pivot = 0;
};

/// Stores column q of a tile from its diagonal entry down.
template <class T, int V, bool kFull>
[[gnu::always_inline]] inline void store_below_diagonal(T* column, const Vec<T> (&x)[V], int q, std::int32_t rows,
                                                        const FirstLanes<T>& tail) {
  GPUSUPERNODAL_UNROLL
  for (int v = 0; v < V; ++v) {
    T* at = column + v * kLanes<T>;
    if (v * kLanes<T> < q) {
      store_between(at, x[v], q - v * kLanes<T>, smaller(kLanes<T>, rows - v * kLanes<T>));
    } else if (kFull || v < V - 1) {
      store(at, x[v]);
    } else {
      store_first(at, x[v], tail);
    }
  }
}

/// factor_tile for pivots whose reciprocal would overflow or lose digits: plain loops that divide by roots.
template <class T>
[[gnu::noinline, gnu::cold]] void factor_extreme_tile(const Operands<T>& before, T* c, std::int64_t ldc, std::int32_t rows,
                                                      std::int32_t columns, TileFactor<T>* result) {
  for (std::int32_t j = 0; j < columns; ++j) {
    for (std::int32_t i = j; i < rows; ++i) {
      T sum = 0;
      for (std::int32_t p = 0; p < before.k; ++p) {
        sum += before.a[i + p * before.lda] * before.b[j + p * before.ldb];
      }
      T value = c[i + j * ldc] - sum;
      for (std::int32_t q = 0; q < j; ++q) {
        value -= c[i + q * ldc] * c[j + q * ldc];
      }
      if (i == j && !is_positive_finite(value)) {
        result->failed = j;
        result->pivot = value;
        return;
      }
      c[i + j * ldc] = i == j ? square_root(value) : value / c[j + j * ldc];
    }
    result->inverse[j] = T(1) / c[j + j * ldc];
  }
}

/// Factorizes columns [0, N) of the tile at c, whose first row is the diagonal's. Nothing above the diagonal is
/// written, and no column from the first bad pivot on. (What is computed after such a pivot is discarded: a loop that
/// ended there could not be unrolled, and the tile would not stay in registers.) A column waits only for the reciprocal
/// of the preceding pivot; roots are computed in parallel.
template <class T, int V, int N, bool kFull>
[[gnu::noinline]] void factor_tile(const Operands<T>& before, T* c, std::int64_t ldc, std::int32_t rows,
                                   TileFactor<T>* result) {
  const FirstLanes<T> tail(rows - (V - 1) * kLanes<T>);
  Vec<T> x[N][V];
  gather_tile<T, V, N, kFull>(before, c, ldc, tail, x);
  int done = N;
  bool ordinary = true;
  GPUSUPERNODAL_UNROLL
  for (int q = 0; q < N; ++q) {
    const T pivot = x[q][q / kLanes<T>][q % kLanes<T>];
    if (!is_positive_finite(pivot) && done == N) {
      done = q;
      result->failed = q;
      result->pivot = pivot;
    }
    ordinary &= done < N || has_reciprocal(pivot);
    const T reciprocal = T(1) / pivot;
    const T inverse = square_root(reciprocal);
    result->inverse[q] = inverse;
    GPUSUPERNODAL_UNROLL
    for (int j = q + 1; j < N; ++j) {
      const T factor = x[q][j / kLanes<T>][j % kLanes<T>] * reciprocal;
      GPUSUPERNODAL_UNROLL
      for (int v = 0; v < V; ++v) {
        x[j][v] -= x[q][v] * factor;
      }
    }
    GPUSUPERNODAL_UNROLL
    for (int v = 0; v < V; ++v) {
      x[q][v] *= inverse;
    }
  }
  if (__builtin_expect(!ordinary, 0)) {
    result->failed = -1;
    return factor_extreme_tile(before, c, ldc, rows, N, result);
  }
  GPUSUPERNODAL_UNROLL
  for (int q = 0; q < N; ++q) {
    if (q < done) {
      store_below_diagonal<T, V, kFull>(c + q * ldc, x[q], q, rows, tail);
    }
  }
}

template <class T, int N>
[[gnu::always_inline]] inline void factor_tile_rows(const Operands<T>& before, T* c, std::int64_t ldc, std::int32_t rows,
                                                    TileFactor<T>* result) {
  constexpr int kFewest = (N + kLanes<T> - 1) / kLanes<T>;  // vectors that hold the triangle
  if (rows == kTileRows<T>) {
    return factor_tile<T, kTileVectors, N, true>(before, c, ldc, rows, result);
  }
  if (rows <= kFewest * kLanes<T>) {
    return factor_tile<T, kFewest, N, false>(before, c, ldc, rows, result);
  }
  if (kTileVectors == 2 || rows <= 2 * kLanes<T>) {
    return factor_tile<T, 2, N, false>(before, c, ldc, rows, result);
  }
  return factor_tile<T, kTileVectors, N, false>(before, c, ldc, rows, result);
}

template <class T>
void factor_any_tile(const Operands<T>& before, T* c, std::int64_t ldc, std::int32_t rows, std::int32_t columns,
                     TileFactor<T>* result) {
  switch (columns) {
    case 1:
      return factor_tile_rows<T, 1>(before, c, ldc, rows, result);
    case 2:
      return factor_tile_rows<T, 2>(before, c, ldc, rows, result);
    case 3:
      return factor_tile_rows<T, 3>(before, c, ldc, rows, result);
    case 4:
      return factor_tile_rows<T, 4>(before, c, ldc, rows, result);
    default:
      break;
  }
  if constexpr (kTileColumns == 8) {
    switch (columns) {
      case 5:
        return factor_tile_rows<T, 5>(before, c, ldc, rows, result);
      case 6:
        return factor_tile_rows<T, 6>(before, c, ldc, rows, result);
      case 7:
        return factor_tile_rows<T, 7>(before, c, ldc, rows, result);
      default:
        return factor_tile_rows<T, 8>(before, c, ldc, rows, result);
    }
  }
}

/// factor_diagonal for n ≤ kLeafWidth.
template <class T>
std::int32_t factor_leaf(std::int32_t n, T* a, std::int64_t lda, T* pivot) {
  for (std::int32_t j = 0; j < n; j += kTileColumns) {
    const std::int32_t columns = smaller(kTileColumns, n - j);
    const Operands<T> before = {j, a + j, lda, a + j, lda};
    T* diagonal = a + j + j * lda;
    TileFactor<T> tile;
    factor_any_tile(before, diagonal, lda, smaller(kTileRows<T>, n - j), columns, &tile);
    const std::int32_t final_columns = tile.failed < 0 ? columns : tile.failed;
    for (std::int32_t i = j + kTileRows<T>; i < n && final_columns > 0; i += kTileRows<T>) {
      const Operands<T> rows_before = {j, a + i, lda, a + j, lda};
      solve_any_tile(rows_before, a + i + j * lda, lda, smaller(kTileRows<T>, n - i), final_columns,
                     static_cast<const T*>(diagonal), lda, tile.inverse);
    }
    if (tile.failed >= 0) {
      *pivot = tile.pivot;
      return j + tile.failed;
    }
  }
  return -1;
}

template <class T>
std::int32_t factor_diagonal(std::int32_t n, T* a, std::int64_t lda, T* pivot) {
  if (n <= kLeafWidth) {
    return factor_leaf(n, a, lda, pivot);
  }
  const std::int32_t half = first_half(n);
  const std::int32_t rest = n - half;
  T* below = a + half;
  T* corner = a + half + half * lda;
  const std::int32_t failed = factor_diagonal(half, a, lda, pivot);
  solve_below(rest, failed < 0 ? half : failed, static_cast<const T*>(a), lda, below, lda);
  if (failed >= 0) {
    return failed;
  }
  subtract_product_lower(rest, rest, half, static_cast<const T*>(below), lda, static_cast<const T*>(below), lda, corner,
                         lda);
  const std::int32_t failed_after = factor_diagonal(rest, corner, lda, pivot);
  return failed_after < 0 ? -1 : half + failed_after;
}

}  // namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE
