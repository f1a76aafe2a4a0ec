#pragma once

/// \file
/// How triangular solves on a device are cut into tasks. Planners use these shapes and kernels are compiled for them.
/// Plain C++.

#include <cstddef>
#include <cstdint>

#include "kernels/common/panel_blocks.hpp"
#include "kernels/common/scalar_traits.hpp"

namespace gpusupernodal::cuda {

/// Right-hand sides that are solved together: 1, or up to solve_few or solve_many. Vectors are padded to that number.
inline constexpr std::int32_t solve_few = 8;
inline constexpr std::int32_t solve_many = 16;
/// Widest diagonal block whose full inverse is kept: transposed, above the diagonal of a panel's block column.
inline constexpr std::int32_t solve_block = panel_block;
/// Warps per CTA.
inline constexpr std::int32_t solve_warps = 8;
/// Widest front that one warp solves.
inline constexpr std::int32_t warp_width = 32;

/// Several right-hand sides.
/// Largest panels, in entries, that one warp and one CTA solve whole.
inline constexpr std::int64_t solve_warp_entries = 560;
inline constexpr std::int64_t solve_cta_entries = 16384;
/// Results per CTA: rows of a product, or columns of a transposed product. A block with half (a quarter) of the columns
/// gets two (four) times as many.
inline constexpr std::int32_t solve_outputs = 32;
/// A front whose subtree has at most 1/4 of the entries of L gets twice as many rows per task; at most 1/32, twice as
/// many columns. Enough other fronts are then solved at the same time, and each task waits for its vectors only once.
inline constexpr double solve_tall_share = 4.0;
inline constexpr double solve_wide_share = 32.0;
/// Minimum number of rows of a transposed product per CTA, and about the maximum number of chunks that rows are cut
/// into.
inline constexpr std::int32_t solve_chunk_rows = 256;
inline constexpr std::int32_t solve_max_chunks = 12;

/// One right-hand side. A task copies its part of L into shared memory before its vectors are available.
/// Entries of L per task: as many as allow three CTAs (4-byte scalars: four; 16-byte scalars: one) on a multiprocessor of
/// compute capability 9.0.
template <class T>
inline constexpr std::int32_t one_rhs_entries = ScalarTraits<T>::bytes == 4 ? 12288 : 8192;
/// Rows of an inverse, or transposed columns, per task. Few, so that tasks on the critical path are short.
inline constexpr std::int32_t one_rhs_outputs = 16;
inline constexpr std::int32_t one_rhs_max_outputs = 64;
/// Largest front, in entries, of which a warp holds two in shared memory, and the largest that it solves at all.
inline constexpr std::int32_t one_rhs_warp_entries = 348;
inline constexpr std::int32_t one_rhs_large_entries = 860;
/// Plans with at least this many entries have so many tasks that total work matters more than the length of each task:
/// tasks of few rows get more columns, tasks of narrow blocks get more rows, and float tasks fill their shared memory.
inline constexpr std::int64_t one_rhs_bulk = std::int64_t{1} << 26;
/// Whole fronts of at most a half (a quarter) of one_rhs_entries are solved by half (a quarter) of a CTA if their level
/// has enough of them for this many CTAs.
inline constexpr std::size_t one_rhs_team_ctas = 128;

/// Fronts that one warp solves one after another, if their level has enough of them for solve_warp_ctas CTAs.
inline constexpr std::int32_t solve_warp_tasks = 8;
inline constexpr std::int32_t solve_warp_ctas = 512;
static_assert(solve_warp_tasks <= 32);  // The lanes of a warp read their tasks together.

}  // namespace gpusupernodal::cuda
