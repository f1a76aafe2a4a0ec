#pragma once

/// \file
/// The register tile: up to kTileRows × kTileColumns of A · Bᵀ, summed in registers and subtracted from its target.
/// Each element is one chain of multiply-adds in ascending p, so its bits do not depend on where tiles begin.

#include "kernels/host/isa/simd.hpp"

namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE {

/// C as a column-major matrix.
template <class T>
struct DenseTarget {
  T* c;
  std::int64_t ldc;

  [[gnu::always_inline]] DenseTarget at(std::int32_t i, std::int32_t j) const { return {c + i + j * ldc, ldc}; }
  [[gnu::always_inline]] T* column(std::int32_t j) const { return c + j * ldc; }
  [[gnu::always_inline]] T* element(T* column, std::int32_t i) const { return column + i; }
  [[gnu::always_inline]] bool contiguous(std::int32_t) const { return true; }
};

/// C(rows[i], cols[j]), rows and cols ascending.
template <class T>
struct IndexedTarget {
  T* c;
  std::int64_t ldc;
  const std::int32_t* rows;
  const std::int32_t* cols;

  [[gnu::always_inline]] IndexedTarget at(std::int32_t i, std::int32_t j) const { return {c, ldc, rows + i, cols + j}; }
  [[gnu::always_inline]] T* column(std::int32_t j) const { return c + cols[j] * ldc; }
  [[gnu::always_inline]] T* element(T* column, std::int32_t i) const { return column + rows[i]; }
  [[gnu::always_inline]] bool contiguous(std::int32_t count) const { return rows[count - 1] - rows[0] == count - 1; }
};

/// A tile's operands: A(i, p) = a[i + p·lda], B(j, p) = b[j + p·ldb].
template <class T>
struct Operands {
  std::int32_t k;
  const T* a;
  std::int64_t lda;
  const T* b;
  std::int64_t ldb;
};

/// sum[j][v] := Σ_p A(vector v, p) · B(j, p). Unless kFull, only `tail` of the last vector is read (and the rest is 0).
template <class T, int V, int N, bool kFull>
[[gnu::always_inline]] inline void accumulate(const Operands<T>& from, const FirstLanes<T>& tail, Vec<T> (&sum)[N][V]) {
  GPUSUPERNODAL_UNROLL
  for (int j = 0; j < N; ++j) {
    GPUSUPERNODAL_UNROLL
    for (int v = 0; v < V; ++v) {
      sum[j][v] = Vec<T>{};
    }
  }
  const T* a = from.a;
  const T* b = from.b;
  for (std::int32_t p = 0; p < from.k; ++p) {
    Vec<T> column[V];
    GPUSUPERNODAL_UNROLL
    for (int v = 0; v < V; ++v) {
      column[v] = (kFull || v < V - 1) ? load(a + v * kLanes<T>) : load_first(a + v * kLanes<T>, tail);
    }
    GPUSUPERNODAL_UNROLL
    for (int j = 0; j < N; ++j) {
      GPUSUPERNODAL_UNROLL
      for (int v = 0; v < V; ++v) {
        sum[j][v] += column[v] * b[j];
      }
    }
    a += from.lda;
    b += from.ldb;
  }
}

/// Subtracts the elements i ≥ diagonal + j of a tile lying in memory, element by element.
template <class T, class Target>
[[gnu::noinline]] void subtract_elements(const T* tile, std::int32_t rows, std::int32_t columns, std::int32_t diagonal,
                                         const Target& to) {
  for (std::int32_t j = 0; j < columns; ++j) {
    T* column = to.column(j);
    for (std::int32_t i = larger(0, diagonal + j); i < rows; ++i) {
      *to.element(column, i) -= tile[i];
    }
    tile += kTileRows<T>;
  }
}

/// C −= A · Bᵀ for `rows` ≤ V vectors and N columns; only elements i ≥ diagonal + j.
template <class T, int V, int N, bool kFull, class Target>
[[gnu::noinline]] void subtract_tile(const Operands<T>& from, const Target& to, std::int32_t rows, std::int32_t diagonal) {
  const FirstLanes<T> tail(rows - (V - 1) * kLanes<T>);
  Vec<T> sum[N][V];
  accumulate<T, V, N, kFull>(from, tail, sum);
  if (diagonal + N > 1 || !to.contiguous(rows)) {
    alignas(kVectorBytes) T tile[N * kTileRows<T>];
    GPUSUPERNODAL_UNROLL
    for (int j = 0; j < N; ++j) {
      GPUSUPERNODAL_UNROLL
      for (int v = 0; v < V; ++v) {
        store(tile + j * kTileRows<T> + v * kLanes<T>, sum[j][v]);
      }
    }
    subtract_elements(tile, rows, N, diagonal, to);
    return;
  }
  GPUSUPERNODAL_UNROLL
  for (int j = 0; j < N; ++j) {
    T* c = to.element(to.column(j), 0);
    GPUSUPERNODAL_UNROLL
    for (int v = 0; v < V; ++v) {
      T* at = c + v * kLanes<T>;
      if (kFull || v < V - 1) {
        store(at, load(at) - sum[j][v]);
      } else {
        store_first(at, load_first(at, tail) - sum[j][v], tail);
      }
    }
  }
}

/// No element of a tile is left out.
inline constexpr std::int32_t kNoDiagonal = -kTileColumns;

template <class T, int V, bool kFull, class Target>
[[gnu::always_inline]] inline void subtract_tile_columns(const Operands<T>& from, const Target& to, std::int32_t rows,
                                                         std::int32_t columns, std::int32_t diagonal) {
  switch (columns) {
    case 1:
      return subtract_tile<T, V, 1, kFull>(from, to, rows, diagonal);
    case 2:
      return subtract_tile<T, V, 2, kFull>(from, to, rows, diagonal);
    case 3:
      return subtract_tile<T, V, 3, kFull>(from, to, rows, diagonal);
    case 4:
      return subtract_tile<T, V, 4, kFull>(from, to, rows, diagonal);
    default:
      break;
  }
  if constexpr (kTileColumns == 8) {
    switch (columns) {
      case 5:
        return subtract_tile<T, V, 5, kFull>(from, to, rows, diagonal);
      case 6:
        return subtract_tile<T, V, 6, kFull>(from, to, rows, diagonal);
      case 7:
        return subtract_tile<T, V, 7, kFull>(from, to, rows, diagonal);
      default:
        return subtract_tile<T, V, 8, kFull>(from, to, rows, diagonal);
    }
  }
}

/// subtract_tile for 1 ≤ rows ≤ kTileRows and 1 ≤ columns ≤ kTileColumns.
template <class T, class Target>
[[gnu::always_inline]] inline void subtract_any_tile(const Operands<T>& from, const Target& to, std::int32_t rows,
                                                     std::int32_t columns, std::int32_t diagonal) {
  if (rows == kTileRows<T>) {
    return subtract_tile_columns<T, kTileVectors, true>(from, to, rows, columns, diagonal);
  }
  if (rows <= kLanes<T>) {
    return subtract_tile_columns<T, 1, false>(from, to, rows, columns, diagonal);
  }
  if (kTileVectors == 2 || rows <= 2 * kLanes<T>) {
    return subtract_tile_columns<T, 2, false>(from, to, rows, columns, diagonal);
  }
  return subtract_tile_columns<T, kTileVectors, false>(from, to, rows, columns, diagonal);
}

}  // namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE
