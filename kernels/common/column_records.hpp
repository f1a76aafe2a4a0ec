#pragma once

/// \file
/// Records of LU by columns, and the sizes of its launches. Plain C++.

#include <cstdint>

namespace gpusupernodal::cuda {

/// A row of U that is subtracted from another row: entry `offset` of that row is in column `column`.
struct ColumnSource {
  std::int32_t column = 0;
  std::int32_t offset = 0;
};

/// Subtracts multiples of the rows sources[first … first+count−1] from a row. No other task of a level writes this row.
struct ColumnTask {
  std::int32_t row = 0;
  std::int32_t count = 0;
  std::int64_t first = 0;
};

/// Tasks of one launch. `short_count` tasks from `first` on take a warp each, the `long_count` after them a CTA each. A
/// launch with levels_end > levels_begin works on these levels instead, one after another, in one CTA.
struct ColumnLaunch {
  std::int64_t first = 0;
  std::int32_t short_count = 0;
  std::int32_t long_count = 0;
  std::int32_t levels_begin = 0;
  std::int32_t levels_end = 0;

  bool is_merged() const { return levels_end > levels_begin; }
};

inline constexpr int column_threads = 256;   ///< Threads of a CTA of a level.
inline constexpr int merged_threads = 1024;  ///< Threads of the CTA that works on several levels.
inline constexpr int column_solve_threads = 256;
inline constexpr std::int32_t tail_block = 32;  ///< Rows of the dense tail that are solved together, and columns eliminated.

/// Number of a step of a solve: k < n stands for row k of L, n + k for row k of U; in solves with the transpose, for
/// columns of U and L. Numbers from 2n on are blocks of the tail, first those of L, then those of U.
using SolveNode = std::int32_t;

}  // namespace gpusupernodal::cuda
