#pragma once

/// \file
/// The register tile: up to kTileRows × kTileColumns of A · Bᵀ, summed in registers and subtracted from its target.
/// Each element is one chain of multiply-adds in ascending p, so its bits do not depend on where tiles begin.

#include "kernels/host/isa/simd.hpp"

namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE {

/// Number of columns from which on windows are faster than single elements.
inline constexpr std::int32_t kWindowColumns = 5;

/// Positions of a tile's rows in C, as windows of one vector's length. Bit r of `mask` says that row `row` + r of C
/// belongs to the tile; a window's rows are consecutive rows of the tile, beginning at `first`.
template <class T>
struct RowWindows {
  std::int32_t count = 0;
  std::int32_t first[kTileRows<T>];
  std::int32_t row[kTileRows<T>];
  std::uint32_t mask[kTileRows<T>];
};

/// C as a column-major matrix.
template <class T>
struct DenseTarget {
  T* c;
  std::int64_t ldc;

  [[gnu::always_inline]] DenseTarget at(std::int32_t i, std::int32_t j) const { return {c + i + j * ldc, ldc}; }
  /// Like at(i, 0), for all tiles of a strip of rows.
  [[gnu::always_inline]] DenseTarget strip(std::int32_t i, std::int32_t, std::int32_t, RowWindows<T>*) const {
    return at(i, 0);
  }
  [[gnu::always_inline]] DenseTarget from_column(std::int32_t j) const { return at(0, j); }
  [[gnu::always_inline]] T* column(std::int32_t j) const { return c + j * ldc; }
  [[gnu::always_inline]] bool contiguous(std::int32_t) const { return true; }
  [[gnu::always_inline]] std::int32_t row(std::int32_t i) const { return i; }
  [[gnu::always_inline]] bool few_elements(std::int32_t) const { return false; }

  [[gnu::always_inline]] const RowWindows<T>* windows(std::int32_t rows, RowWindows<T>* found) const {
    for (std::int32_t i = 0; i < rows; i += kLanes<T>) {
      found->first[found->count] = i;
      found->row[found->count] = i;
      found->mask[found->count++] = static_cast<std::uint32_t>((std::uint64_t{1} << smaller(kLanes<T>, rows - i)) - 1);
    }
    return found;
  }
};

/// C(rows[i], cols[j]); rows and cols are ascending.
template <class T>
struct IndexedTarget {
  T* c;
  std::int64_t ldc;
  const std::int32_t* rows;
  const std::int32_t* cols;
  const RowWindows<T>* known = nullptr;  ///< Windows of the strip, so that they are not computed for every tile.

  [[gnu::always_inline]] IndexedTarget at(std::int32_t i, std::int32_t j) const {
    return {c, ldc, rows + i, cols + j, nullptr};
  }
  [[gnu::always_inline]] IndexedTarget strip(std::int32_t i, std::int32_t count, std::int32_t columns,
                                             RowWindows<T>* found) const {
    IndexedTarget to = at(i, 0);
    to.known = columns < kWindowColumns || to.contiguous(count) ? nullptr : to.windows(count, found);
    return to;
  }
  [[gnu::always_inline]] IndexedTarget from_column(std::int32_t j) const { return {c, ldc, rows, cols + j, known}; }
  [[gnu::always_inline]] T* column(std::int32_t j) const { return c + cols[j] * ldc; }
  [[gnu::always_inline]] bool contiguous(std::int32_t count) const { return rows[count - 1] - rows[0] == count - 1; }
  [[gnu::always_inline]] std::int32_t row(std::int32_t i) const { return rows[i]; }
  /// Whether finding windows would cost more than it saves.
  [[gnu::always_inline]] bool few_elements(std::int32_t columns) const {
    return known == nullptr && columns < kWindowColumns;
  }

  const RowWindows<T>* windows(std::int32_t count, RowWindows<T>* found) const {
    if (known != nullptr) {
      return known;
    }
    std::int32_t windows = 0;
    for (std::int32_t i = 0; i < count;) {
      const std::int32_t row = rows[i];
      std::uint32_t mask = 0;
      found->first[windows] = i;
      do {
        mask |= 1U << (rows[i++] - row);
      } while (i < count && rows[i] - row < kLanes<T>);
      found->row[windows] = row;
      found->mask[windows++] = mask;
    }
    found->count = windows;
    return found;
  }
};

/// Operands of a tile: A(i, p) = a[i + p·lda], B(j, p) = b[j + p·ldb].
template <class T>
struct Operands {
  std::int32_t k;
  const T* a;
  std::int64_t lda;
  const T* b;
  std::int64_t ldb;
};

/// Computes sum[j][v] := Σ_p A(vector v, p) · B(j, p). Unless kFull, only `tail` of the last vector is read and the
/// rest is 0.
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

/// Subtracts the elements i ≥ diagonal + j of a tile in memory, one by one.
template <class T, class Target>
[[gnu::always_inline]] inline void subtract_elements(const T* tile, std::int32_t rows, std::int32_t columns,
                                                     std::int32_t diagonal, const Target& to) {
  for (std::int32_t j = 0; j < columns; ++j) {
    T* column = to.column(j);
    for (std::int32_t i = larger(0, diagonal + j); i < rows; ++i) {
      column[to.row(i)] -= tile[i];
    }
    tile += kTileRows<T>;
  }
}

/// subtract_elements() by windows; one vector may be read past the tile's end.
template <class T, class Target>
[[gnu::noinline]] void subtract_windows(const T* tile, std::int32_t rows, std::int32_t columns, std::int32_t diagonal,
                                        const Target& to) {
  if (to.few_elements(columns)) {
    return subtract_elements(tile, rows, columns, diagonal, to);
  }
  RowWindows<T> found;
  const RowWindows<T>* windows = to.windows(rows, &found);
  T* column[kTileColumns];
  for (std::int32_t j = 0; j < columns; ++j) {
    column[j] = to.column(j);
  }
  for (std::int32_t w = 0; w < windows->count; ++w) {
    const Spread<T> spread(windows->mask[w]);
    const std::int32_t row = windows->row[w];
    const std::int32_t first = windows->first[w];
    for (std::int32_t j = 0; j < columns; ++j) {
      spread.subtract(column[j] + row, tile + j * kTileRows<T> + first, diagonal + j - first);
    }
  }
}

/// Minimum depth at which a tile of C is prefetched while its product is summed: a shorter sum hides too little
/// latency.
inline constexpr std::int32_t kPrefetchDepth = 32;

/// C −= A · Bᵀ for `rows` ≤ V vectors and N columns; only elements i ≥ diagonal + j.
template <class T, int V, int N, bool kFull, class Target>
[[gnu::noinline]] void subtract_tile(const Operands<T>& from, const Target& to, std::int32_t rows, std::int32_t diagonal) {
  const FirstLanes<T> tail(rows - (V - 1) * kLanes<T>);
  if (V == kTileVectors && from.k >= kPrefetchDepth) {
    GPUSUPERNODAL_UNROLL
    for (int j = 0; j < N; ++j) {
      GPUSUPERNODAL_UNROLL
      for (int v = 0; v < V; ++v) {
        __builtin_prefetch(to.column(j) + to.row(0) + v * kLanes<T>, 1);
      }
    }
  }
  Vec<T> sum[N][V];
  accumulate<T, V, N, kFull>(from, tail, sum);
  if (diagonal + N > 1 || !to.contiguous(rows)) {
    alignas(kVectorBytes) T tile[N * kTileRows<T> + kLanes<T>];
    GPUSUPERNODAL_UNROLL
    for (int j = 0; j < N; ++j) {
      GPUSUPERNODAL_UNROLL
      for (int v = 0; v < V; ++v) {
        store(tile + j * kTileRows<T> + v * kLanes<T>, sum[j][v]);
      }
    }
    subtract_windows(tile, rows, N, diagonal, to);
    return;
  }
  GPUSUPERNODAL_UNROLL
  for (int j = 0; j < N; ++j) {
    T* c = to.column(j) + to.row(0);
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

/// Diagonal of a tile that keeps all its elements.
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
