#include "solver/factor/column_structure.hpp"

#include <numeric>

#include "solver/symbolic/step_log.hpp"

namespace gpusupernodal {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// The pattern by rows, with ascending columns.
LuPattern transposed(const LuPattern& by_column) {
  const auto n = static_cast<std::int64_t>(by_column.offsets.size()) - 1;
  LuPattern by_row;
  by_row.offsets.assign(by_column.offsets.size(), 0);
  by_row.rows.resize(by_column.rows.size());
  for (const std::int32_t row : by_column.rows) ++by_row.offsets[at(row) + 1];
  for (std::int64_t i = 0; i < n; ++i) by_row.offsets[at(i) + 1] += by_row.offsets[at(i)];
  std::vector<std::int64_t> next(by_row.offsets.begin(), by_row.offsets.end() - 1);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t e = by_column.offsets[at(j)]; e < by_column.offsets[at(j) + 1]; ++e)
      by_row.rows[at(next[at(by_column.rows[at(e)])]++)] = static_cast<std::int32_t>(j);
  }
  return by_row;
}

class Builder {
 public:
  Builder(const LuPattern& by_column, std::vector<std::int32_t> block_ends, const ColumnRules& rules)
      : by_row_(transposed(by_column)), rules_(rules) {
    s_.n = static_cast<std::int32_t>(by_column.offsets.size()) - 1;
    s_.block_ends = std::move(block_ends);
    block_end_.resize(at(s_.n));
    std::int32_t begin = 0;
    for (const std::int32_t end : s_.block_ends) {
      std::fill(block_end_.begin() + begin, block_end_.begin() + end, end);
      begin = end;
    }
    count(by_column);
  }

  ColumnStructure build() {
    if (rules_.dense_tail) choose_tail();
    add_rows();
    add_columns();
    add_levels();
    add_flops();
    return std::move(s_);
  }

 private:
  /// Entries of U right of the diagonal in each row, and of L below it in each column.
  void count(const LuPattern& by_column) {
    right_.resize(at(s_.n));
    below_.resize(at(s_.n));
    for (std::int32_t k = 0; k < s_.n; ++k) {
      const auto row = by_row_.rows.begin() + by_row_.offsets[at(k)];
      const auto row_end = by_row_.rows.begin() + by_row_.offsets[at(k) + 1];
      const auto diagonal = std::lower_bound(row, row_end, k);
      right_[at(k)] = static_cast<std::int32_t>(std::lower_bound(diagonal, row_end, block_end_[at(k)]) - diagonal) - 1;
      const auto column = by_column.rows.begin() + by_column.offsets[at(k)];
      const auto column_end = by_column.rows.begin() + by_column.offsets[at(k) + 1];
      below_[at(k)] = static_cast<std::int32_t>(column_end - std::lower_bound(column, column_end, k)) - 1;
      s_.nonzeros_l += below_[at(k)] + 1;
      s_.nonzeros_u += right_[at(k)] + 1;
    }
  }

  /// The largest end of the largest block that is dense enough.
  void choose_tail() {
    std::int32_t begin = 0, largest_begin = 0, largest_end = 0;
    for (const std::int32_t end : s_.block_ends) {
      if (end - begin > largest_end - largest_begin) {
        largest_begin = begin;
        largest_end = end;
      }
      begin = end;
    }
    s_.tail_begin = s_.tail_end = largest_end;
    double entries = 0.0;
    const std::int32_t first = std::max(largest_begin, largest_end - rules_.max_tail);
    for (std::int32_t k = largest_end - 1; k >= first; --k) {
      entries += right_[at(k)] + below_[at(k)] + 1;
      const double order = largest_end - k;
      if (order >= rules_.min_tail && entries >= rules_.tail_density * order * order) s_.tail_begin = k;
    }
  }

  void add_rows() {
    s_.row_offset.push_back(0);
    s_.lower.resize(at(s_.n));
    s_.upper.resize(at(s_.n));
    s_.columns.reserve(by_row_.rows.size());
    for (std::int32_t i = 0; i < s_.n; ++i) {
      const bool tail = s_.in_tail(i);
      std::int32_t lower = 0, upper = 0;
      for (std::int64_t e = by_row_.offsets[at(i)]; e < by_row_.offsets[at(i) + 1]; ++e) {
        const std::int32_t column = by_row_.rows[at(e)];
        if (tail && s_.in_tail(column)) continue;
        lower += column < i ? 1 : 0;
        upper += column >= i && column < block_end_[at(i)] ? 1 : 0;
        s_.columns.push_back(column);
      }
      s_.lower[at(i)] = lower;
      s_.upper[at(i)] = upper;
      s_.row_offset.push_back(static_cast<std::int64_t>(s_.columns.size()));
    }
  }

  void add_columns() {
    s_.column_offset.assign(at(s_.n) + 1, 0);
    s_.rows.resize(s_.columns.size());
    s_.position.resize(s_.columns.size());
    s_.before.assign(at(s_.n), 0);
    s_.above.assign(at(s_.n), 0);
    for (const std::int32_t column : s_.columns) ++s_.column_offset[at(column) + 1];
    for (std::int32_t j = 0; j < s_.n; ++j) s_.column_offset[at(j) + 1] += s_.column_offset[at(j)];
    std::vector<std::int64_t> next(s_.column_offset.begin(), s_.column_offset.end() - 1);
    for (std::int32_t i = 0; i < s_.n; ++i) {
      for (std::int64_t e = s_.row_offset[at(i)]; e < s_.row_offset[at(i) + 1]; ++e) {
        const auto j = at(s_.columns[at(e)]);
        if (block_end_[at(i)] != block_end_[j]) {
          ++s_.before[j];
        } else if (i < s_.columns[at(e)]) {
          ++s_.above[j];
        }
        s_.rows[at(next[j])] = i;
        s_.position[at(next[j]++)] = e;
      }
    }
  }

  void add_levels() {
    std::vector<std::int32_t> level(at(s_.n), 0);
    std::int32_t levels = 0;
    for (std::int32_t i = 0; i < s_.n; ++i) {
      for (std::int32_t e = 0; e < s_.lower[at(i)]; ++e) raise(level, i, e);
      levels = std::max(levels, level[at(i)] + 1);
    }
    s_.level_offset.assign(at(levels) + 1, 0);
    for (const std::int32_t l : level) ++s_.level_offset[at(l) + 1];
    for (std::int32_t l = 0; l < levels; ++l) s_.level_offset[at(l) + 1] += s_.level_offset[at(l)];
    s_.rows_by_level.resize(at(s_.n));
    std::vector<std::int64_t> next(s_.level_offset.begin(), s_.level_offset.end() - 1);
    for (std::int32_t i = 0; i < s_.n; ++i) s_.rows_by_level[at(next[at(level[at(i)])]++)] = i;
  }
  void raise(std::vector<std::int32_t>& level, std::int32_t row, std::int32_t e) const {
    const std::int32_t source = s_.columns[at(s_.row_offset[at(row)] + e)];
    level[at(row)] = std::max(level[at(row)], level[at(source)] + 1);
  }

  void add_flops() {
    for (std::int32_t k = 0; k < s_.n; ++k) {
      if (!s_.in_tail(k)) s_.flops += static_cast<double>(below_[at(k)]) * (1.0 + 2.0 * right_[at(k)]);
    }
    const double m = s_.tail();
    if (m > 0.0) s_.tail_flops = m * (m - 1.0) * (4.0 * m + 1.0) / 6.0;
    s_.flops += s_.tail_flops;
  }

  LuPattern by_row_;
  const ColumnRules& rules_;
  std::vector<std::int32_t> block_end_;  ///< End of each row's block.
  std::vector<std::int32_t> right_;
  std::vector<std::int32_t> below_;
  ColumnStructure s_;
};

}  // namespace

std::int64_t ColumnStructure::find(std::int32_t row, std::int32_t column) const {
  if (in_tail(row) && in_tail(column)) return tail_index(row, column);
  const auto begin = columns.begin() + row_offset[at(row)];
  return std::lower_bound(begin, columns.begin() + row_offset[at(row) + 1], column) - columns.begin();
}

std::int64_t ColumnStructure::bytes() const {
  return static_cast<std::int64_t>(sizeof(ColumnStructure)) + bytes_in(block_ends, row_offset, lower, upper, columns,
                                                                       column_offset, rows, position, before, above,
                                                                       rows_by_level, level_offset, first_entry);
}

ColumnStructure build_column_structure(const LuPattern& pattern, std::vector<std::int32_t> block_ends,
                                       const ColumnRules& rules) {
  return Builder(pattern, std::move(block_ends), rules).build();
}

AssemblyMap build_column_assembly_map(const GeneralStructure& general, const Permutation& columns,
                                      ColumnStructure& structure) {
  const ColumnEntries& entries = general.entries;
  AssemblyMap map;
  map.entries_of_a = static_cast<std::int64_t>(entries.rows.size());
  map.offset.push_back(0);
  IdVector<OldIndex, NewIndex> new_of_old_row(at(entries.n));
  for (NewIndex k : IdRange<NewIndex>(entries.n)) new_of_old_row[general.old_row_of_new[k]] = k;
  structure.first_entry.assign(at(entries.n) + 1, 0);
  for (const std::int32_t row : entries.rows) ++structure.first_entry[at(new_of_old_row[OldIndex(row)].value) + 1];
  std::partial_sum(structure.first_entry.begin(), structure.first_entry.end(), structure.first_entry.begin());
  RawVector<std::int64_t> next = structure.first_entry;  // Place of the next entry of each row.
  map.source.resize(entries.rows.size());
  map.target.resize(entries.rows.size());
  map.row.resize(entries.rows.size());
  map.column.resize(entries.rows.size());
  for (NewIndex column : IdRange<NewIndex>(entries.n)) {
    const OldIndex j = columns.old_of_new[column];
    for (auto e = at(entries.offsets[at(j.value)]); e < at(entries.offsets[at(j.value) + 1]); ++e) {
      const NewIndex row = new_of_old_row[OldIndex(entries.rows[e])];
      const std::size_t place = at(next[at(row.value)]++);
      map.source[place] = entries.entry[e];
      map.target[place] = structure.find(row.value, column.value);
      map.row[place] = row;
      map.column[place] = column;
    }
  }
  return map;
}

}  // namespace gpusupernodal
