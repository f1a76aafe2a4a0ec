#pragma once

/// \file
/// C −= A · Bᵀ, whole or lower trapezoid, into a dense or an indexed target. Small products read A and B where they
/// are; large ones copy blocks of both into strips of the tile's height and width first (Goto's scheme).

#include "kernels/host/isa/tile.hpp"

namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE {

// Blocks of a packed product: A's and B's together stay in a second-level cache of 1 MiB, and on the stack.
inline constexpr std::int32_t kBlockDepth = 256;
template <class T>
inline constexpr std::int32_t kBlockRows = 768 / static_cast<std::int32_t>(sizeof(T)) / kTileRows<T>* kTileRows<T>;
template <class T>
inline constexpr std::int32_t kBlockColumns = 1536 / static_cast<std::int32_t>(sizeof(T));

/// One product: sizes, operands, and whether only the lower trapezoid (i ≥ j) is wanted.
template <class T, bool kLower, class Target>
struct Product {
  std::int32_t m;
  std::int32_t n;
  Operands<T> from;
  Target to;

  /// The first row needed by columns from j on.
  [[gnu::always_inline]] static std::int32_t first_row(std::int32_t j) { return kLower ? j : 0; }
  /// The tile's own diagonal, as subtract_tile takes it.
  [[gnu::always_inline]] static std::int32_t diagonal(std::int32_t i, std::int32_t j) {
    return kLower ? larger(j - i, kNoDiagonal) : kNoDiagonal;
  }
};

/// Copies `rows` × depth of a column-major block to strips of `strip` rows, each column-major with ld = strip.
template <class T, int kStrip>
[[gnu::noinline]] void pack(std::int32_t rows, std::int32_t depth, const T* from, std::int64_t ld, T* to) {
  for (std::int32_t p = 0; p < depth; ++p) {
    const T* column = from + p * ld;
    T* strip = to + p * kStrip;
    std::int32_t i = 0;
    for (; i + kStrip <= rows; i += kStrip) {
      if constexpr (kStrip % kLanes<T> == 0) {
        GPUSUPERNODAL_UNROLL
        for (int lane = 0; lane < kStrip; lane += kLanes<T>) {
          store(strip + lane, load(column + i + lane));
        }
      } else {
        __builtin_memcpy(strip, column + i, kStrip * sizeof(T));
      }
      strip += static_cast<std::int64_t>(kStrip) * depth;
    }
    for (; i < rows; ++i) {
      *strip++ = column[i];
    }
  }
}

/// A strip of rows after the other: the strip's part of A and, for small k, B stay in the first-level cache.
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

/// All tiles of rows [i0, i0 + rows) and columns [j0, j0 + columns), whose operands are packed.
template <class T, bool kLower, class Target>
void multiply_packed(const Product<T, kLower, Target>& x, std::int32_t depth, const T* a, std::int32_t i0, std::int32_t rows,
                     const T* b, std::int32_t j0, std::int32_t columns) {
  for (std::int32_t j = 0; j < columns; j += kTileColumns) {
    const std::int32_t width = smaller(kTileColumns, columns - j);
    for (std::int32_t i = 0; i < rows; i += kTileRows<T>) {
      const std::int32_t height = smaller(kTileRows<T>, rows - i);
      if (i0 + i + height > x.first_row(j0 + j)) {
        const Operands<T> from = {depth, a + static_cast<std::int64_t>(i) * depth, kTileRows<T>,
                                  b + static_cast<std::int64_t>(j) * depth, kTileColumns};
        subtract_any_tile(from, x.to.at(i0 + i, j0 + j), height, width, x.diagonal(i0 + i, j0 + j));
      }
    }
  }
}

template <class T, bool kLower, class Target>
[[gnu::noinline]] void multiply_blocks(const Product<T, kLower, Target>& x) {
  alignas(kVectorBytes) T a[kBlockRows<T> * kBlockDepth];
  alignas(kVectorBytes) T b[kBlockColumns<T> * kBlockDepth];
  for (std::int32_t j = 0; j < x.n; j += kBlockColumns<T>) {
    const std::int32_t columns = smaller(kBlockColumns<T>, x.n - j);
    for (std::int32_t p = 0; p < x.from.k; p += kBlockDepth) {
      const std::int32_t depth = smaller(kBlockDepth, x.from.k - p);
      pack<T, kTileColumns>(columns, depth, x.from.b + j + p * x.from.ldb, x.from.ldb, b);
      for (std::int32_t i = x.first_row(j); i < x.m; i += kBlockRows<T>) {
        const std::int32_t rows = smaller(kBlockRows<T>, x.m - i);
        pack<T, kTileRows<T>>(rows, depth, x.from.a + i + p * x.from.lda, x.from.lda, a);
        multiply_packed(x, depth, a, i, rows, b, j, columns);
      }
    }
  }
}

/// Copying pays where each copied element is used often enough.
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
void subtract_product_lower(std::int32_t m, std::int32_t n, std::int32_t k, const T* a, std::int64_t lda, T* c,
                            std::int64_t ldc) {
  multiply(Product<T, true, DenseTarget<T>>{m, n, {k, a, lda, a, lda}, {c, ldc}});
}

template <class T>
void subtract_product_indexed(std::int32_t m, std::int32_t n, std::int32_t k, const T* a, std::int64_t lda, const T* b,
                              std::int64_t ldb, T* c, std::int64_t ldc, const std::int32_t* rows, const std::int32_t* cols) {
  multiply(Product<T, false, IndexedTarget<T>>{m, n, {k, a, lda, b, ldb}, {c, ldc, rows, cols}});
}

template <class T>
void subtract_product_lower_indexed(std::int32_t m, std::int32_t n, std::int32_t k, const T* a, std::int64_t lda, T* c,
                                    std::int64_t ldc, const std::int32_t* rows, const std::int32_t* cols) {
  multiply(Product<T, true, IndexedTarget<T>>{m, n, {k, a, lda, a, lda}, {c, ldc, rows, cols}});
}

}  // namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE
