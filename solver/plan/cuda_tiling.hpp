#pragma once

/// \file
/// How panels are cut on a CUDA device: into pieces of columns, tiles of products and chunks of rows. Host-only code; the
/// executor lays out its tasks by it and the memory estimate counts them by it.

#include <algorithm>
#include <cstdint>

namespace gpusupernodal {

/// Columns that are factorized at once, and edge of a tile of products.
inline constexpr std::int32_t cuda_tile = 64;
/// Widest piece that one warp factorizes; it scales the rows below too where they are at most cuda_warp_rows.
inline constexpr std::int32_t cuda_warp_width = 32;
inline constexpr std::int32_t cuda_warp_rows = 128;
/// Triangular solves. Columns of a diagonal block whose inverse is kept whole.
inline constexpr std::int32_t cuda_solve_block = 512;
/// Entries of the panels that a warp and a CTA take whole.
inline constexpr std::int64_t cuda_solve_warp_entries = 560;
inline constexpr std::int64_t cuda_solve_cta_entries = 16384;
/// Results of a CTA: rows of a product, or columns of a transposed one. Fewer columns go with more rows: two or four times
/// as many where columns are at most a half or a quarter of a block.
inline constexpr std::int32_t cuda_solve_outputs = 32;
inline constexpr std::int32_t cuda_solve_tall_rows = 256;
/// Rows of a transposed product in one CTA, at least, and in about how many chunks they are cut at most.
inline constexpr std::int32_t cuda_solve_chunk_rows = 256;
inline constexpr std::int32_t cuda_solve_most_chunks = 12;
/// Warps of a CTA, and how many tasks a warp takes one after the other where a level has enough for `cuda_solve_warp_ctas`
/// CTAs.
inline constexpr std::int32_t cuda_solve_warps = 8;
inline constexpr std::int32_t cuda_solve_warp_tasks = 8;
inline constexpr std::int32_t cuda_solve_warp_ctas = 512;
/// Right-hand sides that are solved at once: one, or up to these, for which vectors are padded.
inline constexpr std::int32_t cuda_solve_few = 8;
inline constexpr std::int32_t cuda_solve_many = 16;
/// Values that a tile may read past the last panel.
inline constexpr std::int64_t cuda_overread = 128;
/// Tiles start at a multiple of this, so that 16-byte loads are aligned in float and double.
inline constexpr std::int32_t cuda_alignment = 4;

inline std::int32_t cuda_pieces(std::int32_t width) { return (width + cuda_tile - 1) / cuda_tile; }

inline std::int32_t cuda_piece_width(std::int32_t width, std::int32_t piece) {
  return std::min(cuda_tile, width - piece * cuda_tile);
}

/// Whether the warp that factorizes a piece also scales the rows below it.
inline bool cuda_scaled_by_warp(std::int32_t piece_width, std::int32_t rows_below) {
  return piece_width <= cuda_warp_width && rows_below <= cuda_warp_rows;
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

/// Calls f(row, col) for the corners of the tiles of a product's lower trapezoid.
template <class F>
void for_each_cuda_tile(const CudaProduct& product, std::int32_t front, F f) {
  const std::int32_t origin = (product.column + product.depth) / cuda_alignment * cuda_alignment;
  if (product.column + product.depth >= product.col_end) return;
  for (std::int32_t col = origin; col < product.col_end; col += cuda_tile) {
    for (std::int32_t row = col; row < front; row += cuda_tile) f(row, col);
  }
}

}  // namespace gpusupernodal
