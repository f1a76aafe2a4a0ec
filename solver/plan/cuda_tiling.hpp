#pragma once

/// \file
/// How panels are cut on a CUDA device: into pieces of columns, tiles of products and chunks of rows. Host-only code; the
/// executor lays out its tasks by it and the memory estimate counts them by it.

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace gpusupernodal {

/// Columns that are factorized at once, and edge of a tile of products.
inline constexpr std::int32_t cuda_tile = 64;
/// A product of fewer tiles than this is cut along its depth, into pieces of at least cuda_least_depth, each of which is
/// launched as soon as its columns are there.
inline constexpr std::int64_t cuda_enough_tiles = 528;
inline constexpr std::int32_t cuda_least_depth = 128;
/// Columns of a product whose tiles follow each other row by row.
inline constexpr std::int32_t cuda_strip = 8 * cuda_tile;
/// Widest front that one warp solves with.
inline constexpr std::int32_t cuda_warp_width = 32;
/// Widest and longest front that one warp factorizes as a whole.
inline constexpr std::int32_t cuda_tiny_width = 16;
inline constexpr std::int32_t cuda_tiny_front = 64;
/// Narrow ones of these, with at most so many rows below, have launches of their own where a level has many.
inline constexpr std::int32_t cuda_narrow_width = 8;
inline constexpr std::int32_t cuda_narrow_below = 48;
inline constexpr std::int32_t cuda_many_narrow = 2048;
/// A level of at most so many diagonal blocks and tiles of rows below them does both in one launch. Of more, the CTAs that
/// factorize the same block keep products of other levels from running.
inline constexpr double cuda_most_at_once = 32.0;
inline bool cuda_is_one_launch(double blocks, double tiles) { return tiles > 0 && blocks + tiles <= cuda_most_at_once; }
/// Longest front of at most cuda_tile columns that one CTA factorizes as a whole, and the entries of its panel in shared
/// memory.
inline constexpr std::int32_t cuda_small_front = 256;
inline constexpr std::int32_t cuda_small_entries = 6400;
/// Triangular solves. Columns of a diagonal block whose inverse is kept whole.
inline constexpr std::int32_t cuda_solve_block = 512;
/// Entries of the panels that a warp and a CTA take whole.
inline constexpr std::int64_t cuda_solve_warp_entries = 560;
inline constexpr std::int64_t cuda_solve_cta_entries = 16384;
/// Results of a CTA: rows of a product, or columns of a transposed one. Fewer columns go with more rows: two or four times
/// as many where columns are at most a half or a quarter of a block.
inline constexpr std::int32_t cuda_solve_outputs = 32;
inline constexpr std::int32_t cuda_solve_tall_rows = 256;
/// Twice as many rows where the subtree of a front has at most one fourth of L, and twice as many columns where it has one
/// 32nd: enough other fronts are solved at the same time, and each task has to wait for its vectors once.
inline constexpr double cuda_solve_tall_share = 4.0;
inline constexpr double cuda_solve_wide_share = 32.0;
/// Rows of a transposed product in one CTA, at least, and in about how many chunks they are cut at most.
inline constexpr std::int32_t cuda_solve_chunk_rows = 256;
inline constexpr std::int32_t cuda_solve_most_chunks = 12;
/// The same for one right-hand side, whose tasks have their part of L in shared memory before their vectors are there: at
/// most so many entries, so that three CTAs (floats: four) fit on a multiprocessor of compute capability 9.0, and few
/// results each, so that those on the longest path are short. A warp has room for the entries of two fronts, or of one that
/// is larger.
inline constexpr std::int32_t cuda_single_entries = 8192;
inline constexpr std::int32_t cuda_single_outputs = 16;
inline constexpr std::int32_t cuda_single_warp_entries = 348;
inline constexpr std::int32_t cuda_single_large_entries = 860;
/// Panels of so many entries and more have so many tasks that each costs more than its length: tasks of few rows have more
/// columns, those of narrow blocks more rows, and with floats they have as many entries as a CTA has room for.
inline constexpr std::int64_t cuda_single_bulk = std::int64_t{1} << 26;
inline constexpr std::int32_t cuda_single_most_outputs = 64;
inline constexpr std::int32_t cuda_single_float_entries = 12288;
/// Whole fronts of at most a half (a quarter) of these entries go to halves (quarters) of CTAs where a level has enough of
/// them for this many CTAs.
inline constexpr std::size_t cuda_single_team_ctas = 128;
/// Warps of a CTA, and how many tasks a warp takes one after the other where a level has enough for `cuda_solve_warp_ctas`
/// CTAs.
inline constexpr std::int32_t cuda_solve_warps = 8;
inline constexpr std::int32_t cuda_solve_warp_tasks = 8;
inline constexpr std::int32_t cuda_solve_warp_ctas = 512;
/// Right-hand sides that are solved at once: one, or up to these, for which vectors are padded.
inline constexpr std::int32_t cuda_solve_few = 8;
inline constexpr std::int32_t cuda_solve_many = 16;
/// Launches of a level that count the tasks they have begun, where additions are in a fixed order.
inline constexpr std::int32_t cuda_claims_a_level = 3;
/// Values that a tile may read past the last panel.
inline constexpr std::int64_t cuda_overread = 128;
/// Tiles start at a multiple of this, so that 16-byte loads are aligned in float and double.
inline constexpr std::int32_t cuda_alignment = 4;

/// Columns of a block whose chain of dependent steps runs in one warp's registers.
inline constexpr std::int32_t cuda_strip_width = 16;
inline std::int32_t cuda_strips(std::int32_t width) { return (width + cuda_strip_width - 1) / cuda_strip_width; }

inline std::int32_t cuda_pieces(std::int32_t width) { return (width + cuda_tile - 1) / cuda_tile; }

inline std::int32_t cuda_piece_width(std::int32_t width, std::int32_t piece) {
  return std::min(cuda_tile, width - piece * cuda_tile);
}

/// Leading dimension of a front in a CTA's shared memory: rows below padded to 32, and 4 more than a multiple of 8, so that
/// rows and columns lie in different banks.
inline std::int32_t cuda_small_stride(std::int32_t width, std::int32_t front) {
  return (width + (front - width + 31) / 32 * 32 + 7) / 8 * 8 + 4;
}
/// Entries there, columns padded to 8.
inline std::int64_t cuda_small_size(std::int32_t width, std::int32_t front) {
  return (width + 7) / 8 * 8 * std::int64_t{cuda_small_stride(width, front)};
}

inline bool cuda_is_tiny(std::int32_t width, std::int32_t front) {
  return width <= cuda_tiny_width && front <= cuda_tiny_front;
}

inline bool cuda_is_narrow(std::int32_t width, std::int32_t front) {
  return width <= cuda_narrow_width && front - width <= cuda_narrow_below;
}

/// Whether a warp or CTA factorizes the whole front, and subtracts its update.
inline bool cuda_is_whole(std::int32_t width, std::int32_t front) {
  return cuda_is_tiny(width, front) ||
         (width <= cuda_tile && front <= cuda_small_front && cuda_small_size(width, front) <= cuda_small_entries);
}

/// Columns column … column+depth−1, times themselves transposed, update columns column+depth … col_end−1 of the front.
struct CudaProduct {
  std::int32_t column = 0;
  std::int32_t depth = 0;
  std::int32_t col_end = 0;
};

/// The product that follows piece p of a panel. Within the panel it is that of the recursive algorithm (factorize the left
/// half, update the right, factorize the right), unrolled: after piece p the last 2^t pieces update the next 2^t, 2^t being
/// the lowest bit of p+1. So most flops have a great depth. After the last piece all columns update the ancestors at once.
inline CudaProduct cuda_product_after(std::int32_t width, std::int32_t front, std::int32_t piece) {
  if (piece + 1 == cuda_pieces(width)) return {0, width, front};
  const std::int32_t done = piece + 1;
  const std::int32_t run = done & -done;
  return {(done - run) * cuda_tile, run * cuda_tile, std::min(width, (done + run) * cuda_tile)};
}

/// How a product is cut into tiles, each over 1/pieces of its depth.
struct CudaTiles {
  std::int32_t origin = 0;  ///< Row and column of the first tile's corner.
  std::int32_t pieces = 1;
  std::int64_t tiles = 0;
};

/// `whole_depth`: never along the depth.
inline CudaTiles cuda_tiles(const CudaProduct& product, std::int32_t front, bool whole_depth = false) {
  const std::int32_t first = product.column + product.depth;
  CudaTiles cut;
  cut.origin = first / cuda_alignment * cuda_alignment;
  for (std::int32_t col = cut.origin; first < product.col_end && col < product.col_end; col += cuda_tile) {
    cut.tiles += (front - col + cuda_tile - 1) / cuda_tile;
  }
  if (!whole_depth && cut.tiles > 0 && cut.tiles < cuda_enough_tiles) {
    const std::int64_t wanted = cuda_enough_tiles / cut.tiles;
    cut.pieces =
        static_cast<std::int32_t>(std::clamp<std::int64_t>(wanted, 1, std::max(1, product.depth / cuda_least_depth)));
  }
  return cut;
}

/// Tasks of the product that follows piece p of a panel. The diagonal block after the piece makes the product with the last
/// 64 columns itself.
inline std::int64_t cuda_product_tasks(std::int32_t width, std::int32_t front, std::int32_t piece,
                                       bool whole_depth = false) {
  const CudaProduct product = cuda_product_after(width, front, piece);
  const CudaTiles cut = cuda_tiles(product, front, whole_depth);
  const bool all_by_block = piece + 1 < cuda_pieces(width) && product.depth == cuda_tile;
  return cut.tiles * cut.pieces - (all_by_block ? 1 : 0);
}

/// Calls f(row, col, column, depth) for the corners of the tiles of a product's lower trapezoid, and the source's columns.
/// Tiles come in strips a few columns wide: those that run at once share rows as well as columns of the source.
template <class F>
void for_each_cuda_tile(const CudaProduct& product, std::int32_t front, bool whole_depth, F f) {
  if (product.column + product.depth >= product.col_end) return;
  const CudaTiles cut = cuda_tiles(product, front, whole_depth);
  for (std::int32_t piece = 0; piece < cut.pieces; ++piece) {
    const auto border = [&](std::int32_t p) {
      return static_cast<std::int32_t>(std::int64_t{product.depth} * p / cut.pieces) / cuda_tile * cuda_tile;
    };
    const std::int32_t begin = border(piece);
    const std::int32_t end = piece + 1 == cut.pieces ? product.depth : border(piece + 1);
    for (std::int32_t strip = cut.origin; strip < product.col_end; strip += cuda_strip) {
      const std::int32_t strip_end = std::min(product.col_end, strip + cuda_strip);
      for (std::int32_t row = strip; row < front; row += cuda_tile) {
        for (std::int32_t col = strip; col < strip_end && col <= row; col += cuda_tile) {
          f(row, col, product.column + begin, end - begin);
        }
      }
    }
  }
}

}  // namespace gpusupernodal
