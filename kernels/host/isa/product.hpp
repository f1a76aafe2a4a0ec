#pragma once

/// \file
/// C −= A · Bᵀ, whole or lower trapezoid, into a dense or an indexed target. Small products read A and B in place.
/// Large ones copy a block of B into strips as wide as a tile, and then strips of A as tall as a tile, one after
/// another (Goto's scheme with the roles of A and B exchanged).

#include "kernels/host/isa/tile.hpp"

namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE {

// The copied strip of A (24 KiB) stays in the L1 cache beside tiles of C; the copied block of B (384 KiB) stays in the
// L2 cache and lies on the stack. Each block of depth costs one more addition to C. Narrow tiles have more of these
// additions per product, so they get a larger depth.
inline constexpr std::int32_t kBlockDepth = kVectorBytes == 64 ? 128 : 192;
template <class T>
inline constexpr std::int32_t kBlockColumns = 384 * 1024 / static_cast<std::int32_t>(sizeof(T)) / kBlockDepth;
// Columns that are copied together: each is read from a separate page while strips are filled by whole cache lines.
inline constexpr std::int32_t kPackColumns = 8;
inline constexpr std::int32_t kLineBytes = 64;

/// One product: sizes, operands, and whether only the lower trapezoid (i ≥ j) is computed.
template <class T, bool kLower, class Target>
struct Product {
  std::int32_t m;
  std::int32_t n;
  Operands<T> from;
  Target to;

  /// First row that columns from j on need.
  [[gnu::always_inline]] static std::int32_t first_row(std::int32_t j) { return kLower ? j : 0; }
  /// Diagonal of the tile at (i, j), as subtract_tile takes it.
  [[gnu::always_inline]] static std::int32_t diagonal(std::int32_t i, std::int32_t j) {
    return kLower ? larger(j - i, kNoDiagonal) : kNoDiagonal;
  }
};

/// Copies rows × columns of a column-major block to a strip of kStrip rows, column-major with leading dimension kStrip.
template <class T, int kStrip>
[[gnu::always_inline]] inline void pack_strip(std::int32_t rows, std::int32_t columns, const T* from, std::int64_t ld,
                                              T* to) {
  for (std::int32_t p = 0; p < columns; ++p, from += ld, to += kStrip) {
    if (rows < kStrip) {
      for (std::int32_t i = 0; i < rows; ++i) {
        to[i] = from[i];
      }
    } else if constexpr (kStrip % kLanes<T> == 0) {
      GPUSUPERNODAL_UNROLL
      for (int lane = 0; lane < kStrip; lane += kLanes<T>) {
        store(to + lane, load(from + lane));
      }
    } else {
      __builtin_memcpy(to, from, kStrip * sizeof(T));
    }
  }
}

/// Copies `rows` × depth of a column-major block to consecutive strips of kStrip rows.
template <class T, int kStrip>
[[gnu::noinline]] void pack(std::int32_t rows, std::int32_t depth, const T* from, std::int64_t ld, T* to) {
  for (std::int32_t p = 0; p < depth; p += kPackColumns) {
    const std::int32_t columns = smaller(kPackColumns, depth - p);
    for (std::int32_t i = 0; i < rows; i += kStrip) {
      pack_strip<T, kStrip>(smaller(kStrip, rows - i), columns, from + i + p * ld, ld,
                            to + static_cast<std::int64_t>(i) * depth + p * kStrip);
    }
  }
}

/// Prefetches kTileRows rows of columns [first, last).
template <class T>
[[gnu::always_inline]] inline void prefetch_rows(const T* from, std::int64_t ld, std::int32_t first, std::int32_t last) {
  for (std::int32_t p = first; p < last; ++p) {
    GPUSUPERNODAL_UNROLL
    for (int i = 0; i < kTileRows<T>; i += kLineBytes / static_cast<int>(sizeof(T))) {
      __builtin_prefetch(from + i + p * ld);
    }
  }
}

/// Multiplies one strip of rows after another: the strip's part of A and, for small k, B stay in the L1 cache.
template <class T, bool kLower, class Target>
void multiply_in_place(const Product<T, kLower, Target>& x) {
  for (std::int32_t p = 0; p < x.from.k; p += kBlockDepth) {
    const std::int32_t depth = smaller(kBlockDepth, x.from.k - p);
    const T* a = x.from.a + p * x.from.lda;
    const T* b = x.from.b + p * x.from.ldb;
    for (std::int32_t i = 0; i < x.m; i += kTileRows<T>) {
      const std::int32_t end = smaller(i + kTileRows<T>, x.m);
      const std::int32_t end_column = kLower ? smaller(end, x.n) : x.n;
      RowWindows<T> windows;
      const Target strip = x.to.strip(i, end - i, x.n, &windows);
      for (std::int32_t j = 0; j < end_column; j += kTileColumns) {
        const std::int32_t columns = smaller(kTileColumns, x.n - j);
        if (const std::int32_t first = larger(i, x.first_row(j)); first > i) {
          subtract_any_tile<T>({depth, a + first, x.from.lda, b + j, x.from.ldb}, x.to.at(first, j), end - first, columns,
                               0);
        } else {
          subtract_any_tile<T>({depth, a + i, x.from.lda, b + j, x.from.ldb}, strip.from_column(j), end - i, columns,
                               x.diagonal(i, j));
        }
      }
    }
  }
}

/// Computes all tiles of rows [i, i + rows) and columns [j0, j0 + columns), whose operands are packed. Meanwhile it
/// prefetches the rows of A at `next` unless that is null.
template <class T, bool kLower, class Target>
[[gnu::always_inline]] inline void multiply_strip(const Product<T, kLower, Target>& x, const Operands<T>& from,
                                                  std::int32_t i, std::int32_t rows, std::int32_t j0, std::int32_t columns,
                                                  const T* next) {
  RowWindows<T> windows;
  const Target strip = x.to.strip(i, rows, columns, &windows);
  const std::int32_t end = kLower ? smaller(columns, i + rows - j0) : columns;  // Columns that reach down to these rows.
  const std::int32_t share = kTileColumns * from.k / end + 1;
  std::int32_t fetched = next == nullptr ? from.k : 0;
  for (std::int32_t j = 0; j < end; j += kTileColumns) {
    const std::int32_t fetch = smaller(fetched + share, from.k);
    prefetch_rows(next, x.from.lda, fetched, fetch);
    fetched = fetch;
    const Operands<T> tile = {from.k, from.a, kTileRows<T>, from.b + static_cast<std::int64_t>(j) * from.k, kTileColumns};
    subtract_any_tile(tile, strip.from_column(j0 + j), rows, smaller(kTileColumns, columns - j), x.diagonal(i, j0 + j));
  }
}

template <class T, bool kLower, class Target>
[[gnu::noinline]] void multiply_blocks(const Product<T, kLower, Target>& x) {
  alignas(kVectorBytes) T a[kTileRows<T> * kBlockDepth];
  alignas(kVectorBytes) T b[kBlockColumns<T> * kBlockDepth];
  for (std::int32_t j = 0; j < x.n; j += kBlockColumns<T>) {
    const std::int32_t columns = smaller(kBlockColumns<T>, x.n - j);
    for (std::int32_t p = 0; p < x.from.k; p += kBlockDepth) {
      const std::int32_t depth = smaller(kBlockDepth, x.from.k - p);
      pack<T, kTileColumns>(columns, depth, x.from.b + j + p * x.from.ldb, x.from.ldb, b);
      for (std::int32_t i = x.first_row(j); i < x.m; i += kTileRows<T>) {
        const std::int32_t rows = smaller(kTileRows<T>, x.m - i);
        const T* from = x.from.a + i + p * x.from.lda;
        pack_strip<T, kTileRows<T>>(rows, depth, from, x.from.lda, a);
        multiply_strip(x, {depth, a, kTileRows<T>, b, kTileColumns}, i, rows, j, columns,
                       i + rows < x.m ? from + rows : nullptr);
      }
    }
  }
}

/// Copies the operands if each copied element is used often enough.
template <class T, bool kLower, class Target>
[[gnu::always_inline]] inline void multiply(const Product<T, kLower, Target>& x) {
  if (x.m >= 4 * kTileRows<T> && x.n >= 4 * kTileColumns && x.from.k >= 32) {
    multiply_blocks(x);
  } else {
    multiply_in_place(x);
  }
}

template <class T>
void subtract_product(std::int32_t m, std::int32_t n, std::int32_t k, const T* a, std::int64_t lda, const T* b,
                      std::int64_t ldb, T* c, std::int64_t ldc) {
  multiply(Product<T, false, DenseTarget<T>>{m, n, {k, a, lda, b, ldb}, {c, ldc}});
}

template <class T>
void subtract_product_lower(std::int32_t m, std::int32_t n, std::int32_t k, const T* a, std::int64_t lda, const T* b,
                            std::int64_t ldb, T* c, std::int64_t ldc) {
  multiply(Product<T, true, DenseTarget<T>>{m, n, {k, a, lda, b, ldb}, {c, ldc}});
}

template <class T>
void subtract_product_indexed(std::int32_t m, std::int32_t n, std::int32_t k, const T* a, std::int64_t lda, const T* b,
                              std::int64_t ldb, T* c, std::int64_t ldc, const std::int32_t* rows, const std::int32_t* cols) {
  multiply(Product<T, false, IndexedTarget<T>>{m, n, {k, a, lda, b, ldb}, {c, ldc, rows, cols}});
}

template <class T>
void subtract_product_lower_indexed(std::int32_t m, std::int32_t n, std::int32_t k, const T* a, std::int64_t lda, const T* b,
                                    std::int64_t ldb, T* c, std::int64_t ldc, const std::int32_t* rows,
                                    const std::int32_t* cols) {
  multiply(Product<T, true, IndexedTarget<T>>{m, n, {k, a, lda, b, ldb}, {c, ldc, rows, cols}});
}

}  // namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE
