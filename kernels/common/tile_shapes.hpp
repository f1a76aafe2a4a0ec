#pragma once

/// \file
/// How a factorization on a device cuts panels: pieces of columns, strips, product tiles, and fronts that one warp or
/// CTA factorizes whole. Planners use these shapes and kernels are compiled for them. Plain C++.

#include <algorithm>
#include <cstdint>

namespace gpusupernodal::cuda {

/// Columns of a piece, which are factorized together, and the edge length of a product tile.
inline constexpr std::int32_t tile_size = 64;
/// Tiles start at a multiple of this, so that 16-byte loads are aligned in float and double.
inline constexpr std::int32_t tile_alignment = 4;
/// Whether each column of a panel of `front` rows starts at a multiple of tile_alignment. In panels of fewer rows the
/// padding would cost more memory than the alignment gains.
constexpr bool is_padded(std::int32_t front) { return front >= 32; }
/// Elements that a tile may read past the end of the values. It ignores them, but the memory must be allocated.
inline constexpr std::int64_t overread = 128;
/// Columns of a diagonal block that one warp factorizes in registers, as one chain of dependent steps.
inline constexpr std::int32_t strip_width = 16;

/// A product with fewer tiles than enough_tiles is cut along its depth into parts of at least min_product_depth
/// columns. Each part is launched as soon as its source columns are final.
inline constexpr std::int64_t enough_tiles = 528;
inline constexpr std::int32_t min_product_depth = 128;
/// Columns of a product whose tiles are listed together, row by row.
inline constexpr std::int32_t product_strip = 8 * tile_size;

/// Widest and longest front that one warp factorizes whole.
inline constexpr std::int32_t tiny_width = 16;
inline constexpr std::int32_t tiny_front = 64;
/// Tiny fronts with at most this many columns and rows below are narrow. A level with at least many_narrow of them
/// launches them separately, with a kernel whose warps use half the registers.
inline constexpr std::int32_t narrow_width = 8;
inline constexpr std::int32_t narrow_below = 48;
inline constexpr std::int32_t many_narrow = 2048;
/// Longest front of at most tile_size columns that one CTA factorizes whole, and the maximum number of entries of its
/// panel in shared memory, padding included.
inline constexpr std::int32_t small_front = 256;
inline constexpr std::int32_t small_entries = 6400;

/// A level with at most this many diagonal blocks and tiles of rows below them processes both in one launch. With more
/// tasks, the CTAs that repeat a block's factorization would keep products of other levels from running.
inline constexpr double max_block_column_tasks = 32.0;
inline bool is_one_launch(double blocks, double tiles) { return tiles > 0 && blocks + tiles <= max_block_column_tasks; }

/// With a fixed order of additions: counters per level in which its launches count the tasks that they have begun.
inline constexpr std::int32_t claims_per_level = 3;

inline std::int32_t strip_count(std::int32_t width) { return (width + strip_width - 1) / strip_width; }
inline std::int32_t piece_count(std::int32_t width) { return (width + tile_size - 1) / tile_size; }
inline std::int32_t piece_width(std::int32_t width, std::int32_t piece) {
  return std::min(tile_size, width - piece * tile_size);
}

/// Leading dimension of a small front in shared memory: rows below padded to 32, then 4 more than a multiple of 8,
/// which puts rows and columns into different banks.
inline std::int32_t small_stride(std::int32_t width, std::int32_t front) {
  return (width + (front - width + 31) / 32 * 32 + 7) / 8 * 8 + 4;
}
/// Entries of a small front in shared memory, with columns padded to 8.
inline std::int64_t small_size(std::int32_t width, std::int32_t front) {
  return (width + 7) / 8 * 8 * std::int64_t{small_stride(width, front)};
}

inline bool is_tiny(std::int32_t width, std::int32_t front) { return width <= tiny_width && front <= tiny_front; }
inline bool is_narrow(std::int32_t width, std::int32_t front) {
  return width <= narrow_width && front - width <= narrow_below;
}
/// Whether one warp or CTA can factorize the whole front, of `panels` panels, and subtract its update.
inline bool is_whole_front(std::int32_t width, std::int32_t front, std::int32_t panels = 1) {
  return is_tiny(width, front) ||
         (width <= tile_size && front <= small_front && panels * small_size(width, front) <= small_entries);
}

/// Columns column … column+depth−1, multiplied by their own transpose, update columns column+depth … col_end−1 of the
/// front.
struct Product {
  std::int32_t column = 0;
  std::int32_t depth = 0;
  std::int32_t col_end = 0;
};

/// Returns the product to compute after a piece of a panel. Within the panel this is the recursive algorithm (factorize
/// the left half, update the right half, factorize the right half), unrolled: after piece p the last 2^t pieces update
/// the next 2^t, where 2^t is the lowest set bit of p+1. Most flops then have a large depth. After the last piece all
/// columns update the ancestors.
inline Product product_after(std::int32_t width, std::int32_t front, std::int32_t piece) {
  if (piece + 1 == piece_count(width)) return {0, width, front};
  const std::int32_t done = piece + 1;
  const std::int32_t run = done & -done;
  return {(done - run) * tile_size, run * tile_size, std::min(width, (done + run) * tile_size)};
}

/// How a product is cut into tiles, each of which covers 1/pieces of the depth.
struct ProductTiles {
  std::int32_t origin = 0;  ///< Row and column of the first tile's corner.
  std::int32_t pieces = 1;
  std::int64_t tiles = 0;
};

/// Cuts a product into tiles; with `whole_depth`, never along the depth.
inline ProductTiles tiles_of(const Product& product, std::int32_t front, bool whole_depth = false) {
  const std::int32_t first = product.column + product.depth;
  ProductTiles cut;
  cut.origin = first / tile_alignment * tile_alignment;
  for (std::int32_t col = cut.origin; first < product.col_end && col < product.col_end; col += tile_size) {
    cut.tiles += (front - col + tile_size - 1) / tile_size;
  }
  if (!whole_depth && cut.tiles > 0 && cut.tiles < enough_tiles) {
    const std::int64_t wanted = enough_tiles / cut.tiles;
    cut.pieces =
        static_cast<std::int32_t>(std::clamp<std::int64_t>(wanted, 1, std::max(1, product.depth / min_product_depth)));
  }
  return cut;
}

/// Number of tasks of the product after a piece of a panel. The next diagonal block subtracts the product of the last
/// 64 columns itself, so its tile is not counted if that is all of the depth.
inline std::int64_t product_task_count(std::int32_t width, std::int32_t front, std::int32_t piece) {
  const Product product = product_after(width, front, piece);
  const ProductTiles cut = tiles_of(product, front);
  const bool all_by_block = piece + 1 < piece_count(width) && product.depth == tile_size;
  return cut.tiles * cut.pieces - (all_by_block ? 1 : 0);
}

/// Calls f(row, col, column, depth) for each tile of a product's lower trapezoid: the tile's corner and its source
/// columns. Tiles are ordered in strips a few tiles wide, so that concurrent tiles share rows and columns of the
/// source.
template <class F>
void for_each_product_tile(const Product& product, std::int32_t front, bool whole_depth, F f) {
  if (product.column + product.depth >= product.col_end) return;
  const ProductTiles cut = tiles_of(product, front, whole_depth);
  for (std::int32_t piece = 0; piece < cut.pieces; ++piece) {
    const auto border = [&](std::int32_t p) {
      return static_cast<std::int32_t>(std::int64_t{product.depth} * p / cut.pieces) / tile_size * tile_size;
    };
    const std::int32_t begin = border(piece);
    const std::int32_t end = piece + 1 == cut.pieces ? product.depth : border(piece + 1);
    for (std::int32_t strip = cut.origin; strip < product.col_end; strip += product_strip) {
      const std::int32_t strip_end = std::min(product.col_end, strip + product_strip);
      for (std::int32_t row = strip; row < front; row += tile_size) {
        for (std::int32_t col = strip; col < strip_end && col <= row; col += tile_size) {
          f(row, col, product.column + begin, end - begin);
        }
      }
    }
  }
}

}  // namespace gpusupernodal::cuda
