#include "solver/general/assignment.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

namespace gpusupernodal {
namespace {

constexpr std::int32_t none = -1;
constexpr std::int64_t no_position = -1;

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

/// Builds an Assignment. Rows and columns are vertices; an entry is tight if its reduced cost is 0.
class AssignmentBuilder {
 public:
  AssignmentBuilder(const ColumnEntries& a, const RawVector<double>& costs)
      : a_(a),
        costs_(costs),
        row_of_column_(at(a.n), none),
        column_of_row_(at(a.n), none),
        u_(at(a.n), no_entry),
        v_(at(a.n), no_entry),
        matched_entry_(at(a.n), no_position) {}

  Assignment run() {
    set_first_potentials();
    match_tight_entries();
    match_by_exchange();
    distance_.assign(at(a_.n), no_entry);
    settled_.assign(at(a_.n), false);
    reached_by_.assign(at(a_.n), no_position);
    column_of_entry_.assign(at(a_.n), none);
    for (std::int32_t j = 0; j < a_.n; ++j) {
      if (row_of_column_[at(j)] == none) search_from(j);
    }
    repair_potentials();
    return result();
  }

 private:
  std::int64_t begin(std::int32_t j) const { return a_.offsets[at(j)]; }
  std::int64_t end(std::int32_t j) const { return a_.offsets[at(j) + 1]; }
  std::int32_t row(std::int64_t k) const { return a_.rows[at(k)]; }
  /// Never negative but by rounding; infinite for an entry that does not exist.
  double reduced_cost(std::int64_t k, std::int32_t j) const { return costs_[at(k)] - u_[at(row(k))] - v_[at(j)]; }

  void match(std::int64_t k, std::int32_t j) {
    matched_entry_[at(j)] = k;
    row_of_column_[at(j)] = row(k);
    column_of_row_[at(row(k))] = j;
  }

  /// The largest potentials of rows beside zero potentials of columns, then the largest potentials of columns.
  void set_first_potentials() {
    for (std::int32_t j = 0; j < a_.n; ++j) {
      for (std::int64_t k = begin(j); k < end(j); ++k) u_[at(row(k))] = std::min(u_[at(row(k))], costs_[at(k)]);
    }
    std::replace(u_.begin(), u_.end(), no_entry, 0.0);
    for (std::int32_t j = 0; j < a_.n; ++j) {
      for (std::int64_t k = begin(j); k < end(j); ++k) v_[at(j)] = std::min(v_[at(j)], costs_[at(k)] - u_[at(row(k))]);
    }
    std::replace(v_.begin(), v_.end(), no_entry, 0.0);
  }

  void match_tight_entries() {
    for (std::int32_t j = 0; j < a_.n; ++j) {
      for (std::int64_t k = begin(j); k < end(j); ++k) {
        if (row(k) == j && reduced_cost(k, j) <= 0.0) match(k, j);
      }
    }
    for (std::int32_t j = 0; j < a_.n; ++j) {
      if (row_of_column_[at(j)] == none) match_free_row(j);
    }
  }

  /// Matches column j with a free row at a tight entry, if there is one.
  bool match_free_row(std::int32_t j) {
    for (std::int64_t k = begin(j); k < end(j); ++k) {
      if (column_of_row_[at(row(k))] != none || reduced_cost(k, j) > 0.0) continue;
      match(k, j);
      return true;
    }
    return false;
  }

  /// Augments along tight paths of three entries: gives the row of another column to a free column, and a free row to the
  /// other one.
  void match_by_exchange() {
    for (std::int32_t j = 0; j < a_.n; ++j) {
      if (row_of_column_[at(j)] != none) continue;
      for (std::int64_t k = begin(j); k < end(j); ++k) {
        if (reduced_cost(k, j) > 0.0 || !match_free_row(column_of_row_[at(row(k))])) continue;
        match(k, j);
        break;
      }
    }
  }

  /// Finds a shortest path by reduced costs from the free column `root` to a free row, changes the potentials so that the
  /// path is tight, and augments along it. Without such a path, the column stays free, and what it reaches is set aside.
  void search_from(std::int32_t root) {
    heap_.clear();
    nearest_.clear();
    free_row_ = none;
    shortest_ = no_entry;
    reached_.clear();
    visited_.clear();
    lower_bound_ = 0.0;
    scan_column(root, 0.0);
    for (std::int32_t i = next_row(); i != none; i = next_row()) {
      settled_[at(i)] = true;
      visited_.push_back(i);
      scan_column(column_of_row_[at(i)], distance_[at(i)]);
    }
    if (free_row_ == none) {
      set_aside(root);
      return;
    }
    augment(root);
    for (const std::int32_t i : reached_) {
      distance_[at(i)] = no_entry;
      settled_[at(i)] = false;
    }
  }

  /// Reaches the rows of column j, which itself lies at `distance`, where this shortens their distance.
  void scan_column(std::int32_t j, double distance) {
    for (std::int64_t k = begin(j); k < end(j); ++k) {
      const std::int32_t i = row(k);
      if (settled_[at(i)]) continue;
      const double d = distance + std::max(reduced_cost(k, j), 0.0);
      if (!(d < shortest_) || !(d < distance_[at(i)])) continue;
      if (distance_[at(i)] == no_entry) reached_.push_back(i);
      distance_[at(i)] = d;
      reached_by_[at(i)] = k;
      column_of_entry_[at(i)] = j;
      if (column_of_row_[at(i)] == none) {
        shortest_ = d;
        free_row_ = i;
      } else if (d <= lower_bound_) {
        nearest_.push_back(i);
      } else {
        heap_.emplace_back(d, i);
        std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
      }
    }
  }

  /// Removes and returns a matched row at the least distance; none if that is not less than the distance of the free row.
  /// The heap also has rows with distances that have become shorter since; these rows are settled when they come up.
  std::int32_t next_row() {
    while (!nearest_.empty()) {
      const std::int32_t i = nearest_.back();
      nearest_.pop_back();
      if (!settled_[at(i)] && distance_[at(i)] < shortest_) return i;
    }
    while (!heap_.empty()) {
      const auto [d, i] = heap_.front();
      if (!(d < shortest_)) return none;
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      heap_.pop_back();
      if (settled_[at(i)]) continue;
      lower_bound_ = d;
      return i;
    }
    return none;
  }

  void augment(std::int32_t root) {
    for (const std::int32_t i : visited_) u_[at(i)] += distance_[at(i)] - shortest_;
    for (std::int32_t i = free_row_, j = none; j != root;) {
      j = column_of_entry_[at(i)];
      const std::int32_t next = row_of_column_[at(j)];
      match(reached_by_[at(i)], j);
      i = next;
    }
    for (const std::int32_t i : visited_) make_tight(column_of_row_[at(i)]);
    make_tight(column_of_row_[at(free_row_)]);
  }

  /// Makes a group of `root`, from which no free row can be reached, and of all rows and columns that it reaches. No later
  /// search can gain anything from them, so their rows stay settled. All entries of the columns of a group lie in its own
  /// rows and in those of earlier groups.
  void set_aside(std::int32_t root) {
    if (group_of_row_.empty()) {
      group_of_row_.assign(at(a_.n), none);
      group_of_column_.assign(at(a_.n), none);
    }
    group_begin_.push_back(grouped_columns_.size());
    const auto group = static_cast<std::int32_t>(group_begin_.size()) - 1;
    group_of_column_[at(root)] = group;
    grouped_columns_.push_back(root);
    for (const std::int32_t i : visited_) {
      group_of_row_[at(i)] = group;
      group_of_column_[at(column_of_row_[at(i)])] = group;
      grouped_columns_.push_back(column_of_row_[at(i)]);
    }
  }

  /// Later searches increase potentials of columns without regard to rows that were set aside. This lowers those rows and
  /// raises the columns of their groups, each group by one number: from the last group to the first, because columns of a
  /// group have entries in rows of earlier groups only.
  void repair_potentials() {
    if (group_begin_.empty()) return;
    RawVector<double> excess(group_begin_.size(), 0.0);
    const auto note_excess = [&](std::int32_t j) {
      for (std::int64_t k = begin(j); k < end(j); ++k) {
        const std::int32_t group = group_of_row_[at(row(k))];
        if (group != none) excess[at(group)] = std::max(excess[at(group)], -reduced_cost(k, j));
      }
    };
    for (std::int32_t j = 0; j < a_.n; ++j) {
      if (group_of_column_[at(j)] == none) note_excess(j);
    }
    std::size_t past = grouped_columns_.size();
    for (std::size_t group = excess.size(); group-- > 0; past = group_begin_[group]) {
      for (std::size_t c = group_begin_[group]; c < past; ++c) {
        const std::int32_t j = grouped_columns_[c];
        v_[at(j)] += excess[group];
        if (row_of_column_[at(j)] != none) u_[at(row_of_column_[at(j)])] -= excess[group];
      }
      for (std::size_t c = group_begin_[group]; c < past; ++c) note_excess(grouped_columns_[c]);
    }
  }

  void make_tight(std::int32_t j) { v_[at(j)] = costs_[at(matched_entry_[at(j)])] - u_[at(row_of_column_[at(j)])]; }

  Assignment result() {
    Assignment assignment;
    assignment.size = static_cast<std::int32_t>(
        std::count_if(row_of_column_.begin(), row_of_column_.end(), [](std::int32_t i) { return i != none; }));
    assignment.row_of_column = std::move(row_of_column_);
    assignment.column_of_row = std::move(column_of_row_);
    assignment.row_potential = std::move(u_);
    assignment.column_potential = std::move(v_);
    return assignment;
  }

  const ColumnEntries& a_;
  const RawVector<double>& costs_;
  std::vector<std::int32_t> row_of_column_;
  std::vector<std::int32_t> column_of_row_;
  std::vector<double> u_;                    ///< Potential of each row.
  std::vector<double> v_;                    ///< Potential of each column.
  std::vector<std::int64_t> matched_entry_;  ///< Position of the matched entry of each column.

  // What was set aside.
  std::vector<std::int32_t> group_of_row_;  ///< none: the row can still be reached. Empty without groups.
  std::vector<std::int32_t> group_of_column_;
  std::vector<std::int32_t> grouped_columns_;  ///< The columns of all groups, one group after another.
  std::vector<std::size_t> group_begin_;       ///< Where each group begins in grouped_columns_.

  // The search. Distances are those of rows from the root; a column lies where its matched row lies.
  std::vector<double> distance_;
  std::vector<char> settled_;                  ///< Whether the distance of the row is final and its column is scanned.
  std::vector<std::int64_t> reached_by_;       ///< Last entry of the shortest path to each row …
  std::vector<std::int32_t> column_of_entry_;  ///< … and its column.
  std::vector<std::int32_t> reached_;
  std::vector<std::int32_t> visited_;                  ///< Settled rows.
  std::vector<std::int32_t> nearest_;                  ///< Rows at the distance lower_bound_.
  std::vector<std::pair<double, std::int32_t>> heap_;  ///< Further rows, the nearest one first.
  double lower_bound_ = 0.0;                           ///< Distance of the row settled last.
  std::int32_t free_row_ = none;                       ///< The nearest free row reached …
  double shortest_ = no_entry;                         ///< … and its distance.
};

}  // namespace

Assignment least_cost_assignment(const ColumnEntries& a, const RawVector<double>& costs) {
  return AssignmentBuilder(a, costs).run();
}

}  // namespace gpusupernodal
