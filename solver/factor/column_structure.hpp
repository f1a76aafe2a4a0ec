#pragma once

/// \file
/// ColumnStructure: the static pattern of L + U that LU by columns factorizes in place.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/raw_vector.hpp"
#include "solver/factor/assembly_map.hpp"
#include "solver/factor/general_structure.hpp"
#include "solver/general/lu_pattern.hpp"

namespace gpusupernodal {

/// Choices of a structure, for tests and measurements.
struct ColumnRules {
  bool dense_tail = true;        ///< Whether the end of the largest block is stored dense.
  double tail_density = 0.5;     ///< Share of entries that the tail has at least.
  std::int32_t min_tail = 32;    ///< Fewest columns of a tail.
  std::int32_t max_tail = 4096;  ///< Most columns of a tail.

  bool operator==(const ColumnRules&) const = default;
};

/// Values of L + U of P A Q by rows, in one array: the entries of each row outside the tail, one row after another, then the
/// tail, row-major. Row i has, with ascending columns, lower[i] entries of L, upper[i] of U with its diagonal, and those of
/// A in later diagonal blocks, which take part in solves only. Rows and columns tail_begin … tail_end−1 are the dense
/// tail, the end of one diagonal block; such a row stores only entries of L left of the tail, and those of later blocks.
/// Columns are lists of rows with the positions of their entries in the values of the rows (merged CSR-CSC).
struct ColumnStructure {
  std::int32_t n = 0;
  std::vector<std::int32_t> block_ends;  ///< End of each diagonal block, ascending.
  RawVector<std::int64_t> row_offset;    ///< n + 1 entries.
  RawVector<std::int32_t> lower;
  RawVector<std::int32_t> upper;  ///< 0 for rows of the tail.
  RawVector<std::int32_t> columns;

  RawVector<std::int64_t> column_offset;  ///< n + 1 entries, into the two lists that follow.
  RawVector<std::int32_t> rows;           ///< Ascending in each column; the tail's entries are not listed.
  RawVector<std::int64_t> position;       ///< Position of each entry in the values.
  RawVector<std::int32_t> before;         ///< Entries of earlier blocks at the beginning of each column.
  RawVector<std::int32_t> above;          ///< Entries of U above the diagonal, which follow them.

  std::int32_t tail_begin = 0;
  std::int32_t tail_end = 0;

  /// Rows by levels of rows: outside the tail, a row needs rows of earlier levels only. The host factorizes by them.
  std::vector<std::int32_t> rows_by_level;
  std::vector<std::int64_t> level_offset;

  RawVector<std::int64_t> first_entry;  ///< n + 1: the first entry of each row in the assembly map.

  std::int64_t nonzeros_l = 0;  ///< Entries of L with its diagonal.
  std::int64_t nonzeros_u = 0;
  double flops = 0.0;       ///< Operations of a factorization; the tail counts as full.
  double tail_flops = 0.0;  ///< The tail's part of them.

  std::int32_t tail() const { return tail_end - tail_begin; }
  bool in_tail(std::int32_t k) const { return k >= tail_begin && k < tail_end; }
  std::int64_t sparse_values() const { return static_cast<std::int64_t>(columns.size()); }
  std::int64_t values() const { return sparse_values() + std::int64_t{tail()} * tail(); }
  std::int64_t tail_index(std::int32_t row, std::int32_t column) const {
    return sparse_values() + std::int64_t{tail()} * (row - tail_begin) + (column - tail_begin);
  }
  /// Position of the diagonal entry of row k.
  std::int64_t diagonal(std::int32_t k) const {
    const auto i = static_cast<std::size_t>(k);
    return in_tail(k) ? tail_index(k, k) : row_offset[i] + lower[i];
  }
  /// Position of entry (row, column), which must exist. Cost: a binary search.
  std::int64_t find(std::int32_t row, std::int32_t column) const;
  std::int64_t bytes() const;
};

/// Lays out the values for a pattern. Cost: O(its size).
ColumnStructure build_column_structure(const LuPattern& pattern, std::vector<std::int32_t> block_ends,
                                       const ColumnRules& rules);

/// Where the entries of A go in the values, row by row and with ascending columns in each row. Sets structure.first_entry.
/// Precondition: `general` has the order of rows that the pattern was made for.
/// Cost: O(nnz·log of the longest row).
AssemblyMap build_column_assembly_map(const GeneralStructure& general, const Permutation& columns,
                                      ColumnStructure& structure);

}  // namespace gpusupernodal
