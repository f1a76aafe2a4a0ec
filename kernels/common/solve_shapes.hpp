#pragma once

/// \file
/// How triangular solves on a device are cut into tasks. Planners cut by these shapes and kernels are compiled for them.
/// Plain C++.

#include <cstddef>
#include <cstdint>

namespace gpusupernodal::cuda {

/// Right-hand sides that are solved together: one, or up to one of these two numbers. Vectors are padded to that number.
inline constexpr std::int32_t solve_few = 8;
inline constexpr std::int32_t solve_many = 16;
/// Widest diagonal block whose inverse is kept whole.
inline constexpr std::int32_t solve_block = 512;
/// Warps of a CTA.
inline constexpr std::int32_t solve_warps = 8;
/// Widest front that one warp solves with.
inline constexpr std::int32_t warp_width = 32;

/// Several right-hand sides.
/// Entries of the largest panels that one warp and one CTA take whole.
inline constexpr std::int64_t solve_warp_entries = 560;
inline constexpr std::int64_t solve_cta_entries = 16384;
/// Results of a CTA: rows of a product, or columns of a transposed one. A block of half (a quarter of) the columns has two
/// (four) times as many.
inline constexpr std::int32_t solve_outputs = 32;
inline constexpr std::int32_t solve_tall_rows = 256;
/// A front whose subtree has at most 1/4 of the entries of L has twice as many rows a task, and one with at most 1/32 has
/// twice as many columns: enough other fronts are solved at the same time, and each task waits for its vectors once.
inline constexpr double solve_tall_share = 4.0;
inline constexpr double solve_wide_share = 32.0;
/// Least number of rows of a transposed product in one CTA, and about the largest number of chunks that rows are cut into.
inline constexpr std::int32_t solve_chunk_rows = 256;
inline constexpr std::int32_t solve_max_chunks = 12;

/// One right-hand side. A task copies its part of L into shared memory before its vectors are there.
/// Entries of L in a task: as many as let a multiprocessor of compute capability 9.0 hold three CTAs (float: four).
template <class T>
inline constexpr std::int32_t one_rhs_entries = sizeof(T) == sizeof(double) ? 8192 : 12288;
/// Rows of an inverse, or transposed columns, in a task. Few, so that tasks on the longest path are short.
inline constexpr std::int32_t one_rhs_outputs = 16;
inline constexpr std::int32_t one_rhs_max_outputs = 64;
/// Entries of a front of which a warp holds two in shared memory, and of the largest front that it takes.
inline constexpr std::int32_t one_rhs_warp_entries = 348;
inline constexpr std::int32_t one_rhs_large_entries = 860;
/// Plans with at least this many entries have so many tasks that the work of all counts more than the length of each:
/// tasks of few rows get more columns, those of narrow blocks more rows, and float tasks fill their shared memory.
inline constexpr std::int64_t one_rhs_bulk = std::int64_t{1} << 26;
/// Whole fronts of at most a half (a quarter) of one_rhs_entries go to half (a quarter of) a CTA each, on a level that has
/// enough of them for this many CTAs.
inline constexpr std::size_t one_rhs_team_ctas = 128;

/// Fronts that a warp takes one after the other, on a level that has enough of them for solve_warp_ctas CTAs.
inline constexpr std::int32_t solve_warp_tasks = 8;
inline constexpr std::int32_t solve_warp_ctas = 512;
static_assert(solve_warp_tasks <= 32);  // The lanes of a warp read their tasks together.

}  // namespace gpusupernodal::cuda
