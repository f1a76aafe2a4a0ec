#pragma once

/// \file
/// ColumnLaunches: the launches of LU by columns on a CUDA device, and the order of the steps of its solves.

#include <cstdint>
#include <vector>

#include "base/raw_vector.hpp"
#include "kernels/common/column_records.hpp"
#include "solver/factor/column_structure.hpp"

namespace gpusupernodal {

/// Choices of the launches, for tests and measurements.
struct ColumnLaunchRules {
  bool by_rows = false;      ///< Levels of rows: a task computes a whole row, one source after another.
  bool merge_levels = true;  ///< Whether one launch works on several levels with little work.

  bool operator==(const ColumnLaunchRules&) const = default;
};

namespace cuda {

/// Level of a column outside the tail: one more than those of the columns k for which U(k, column) or L(column, k) is
/// nonzero. A task subtracts from one row the rows of U that belong to columns of one level. Its sources are therefore
/// complete, and independent of one another.
struct ColumnLaunches {
  RawVector<ColumnTask> tasks;  ///< By level; in each, those for a warp before those for a CTA.
  RawVector<ColumnSource> sources;
  std::vector<std::int64_t> level_tasks;  ///< levels + 1 offsets into `tasks`.
  std::vector<ColumnLaunch> launches;
  std::vector<SolveNode> solve;             ///< Each after those that it waits for.
  std::vector<SolveNode> solve_transposed;  ///< With the transpose of A.
  std::int64_t solve_levels = 0;            ///< Steps on the longest path of a solve with A.
  double longest_path_flops = 0.0;          ///< Sum over the levels of the largest task's operations.

  std::int64_t levels() const { return static_cast<std::int64_t>(level_tasks.size()) - 1; }
  std::int64_t merged_levels() const;  ///< Levels in launches that work on several.
  std::int64_t bytes() const;
};

/// Number of blocks of the dense tail.
inline std::int32_t tail_blocks(const ColumnStructure& s) { return (s.tail() + tail_block - 1) / tail_block; }

/// Cost: O(entries of L + U, and their logarithm).
ColumnLaunches build_column_launches(const ColumnStructure& structure, const ColumnLaunchRules& rules);

/// Bytes of the lists that a device reads, each rounded up to 256 bytes; without those of A.
std::int64_t column_list_bytes(const ColumnStructure& structure, const ColumnLaunches& launches);

}  // namespace cuda
}  // namespace gpusupernodal
