#include "solver/general/block_triangular.hpp"

#include <algorithm>

namespace gpusupernodal {
namespace {

constexpr std::int32_t unseen = -1;

/// Tarjan's algorithm over the columns: column j leads to the columns whose pivots are in its rows.
class ComponentSearch {
 public:
  ComponentSearch(const ColumnEntries& a, const std::vector<std::int32_t>& row_of_column)
      : a_(a),
        column_of_row_(row_of_column.size()),
        number_(row_of_column.size(), unseen),
        lowest_(row_of_column.size()),
        next_(row_of_column.size()) {
    for (std::size_t j = 0; j < row_of_column.size(); ++j)
      column_of_row_[static_cast<std::size_t>(row_of_column[j])] = static_cast<std::int32_t>(j);
    form_.block.assign(row_of_column.size(), unseen);
  }

  BlockTriangularForm run() {
    for (std::int32_t j = 0; j < a_.n; ++j) {
      if (number_[static_cast<std::size_t>(j)] == unseen) search_from(j);
    }
    return std::move(form_);
  }

 private:
  void search_from(std::int32_t root) {
    enter(root);
    while (!path_.empty()) {
      const auto j = static_cast<std::size_t>(path_.back());
      if (next_[j] < a_.offsets[j + 1]) {
        follow(j, column_of_row_[static_cast<std::size_t>(a_.rows[static_cast<std::size_t>(next_[j]++)])]);
      } else {
        leave(j);
      }
    }
  }

  void enter(std::int32_t column) {
    const auto j = static_cast<std::size_t>(column);
    number_[j] = lowest_[j] = seen_++;
    next_[j] = a_.offsets[j];
    path_.push_back(column);
    open_.push_back(column);
  }

  void follow(std::size_t from, std::int32_t to) {
    const auto k = static_cast<std::size_t>(to);
    if (number_[k] == unseen) return enter(to);
    if (form_.block[k] == unseen) lowest_[from] = std::min(lowest_[from], number_[k]);
  }

  /// A component is complete when its first column is left. Components that it leads to were complete before, so they have
  /// smaller numbers: they are rows above its own.
  void leave(std::size_t j) {
    path_.pop_back();
    if (!path_.empty()) {
      std::int32_t& above = lowest_[static_cast<std::size_t>(path_.back())];
      above = std::min(above, lowest_[j]);
    }
    if (lowest_[j] != number_[j]) return;
    while (form_.block[j] == unseen) {
      form_.block[static_cast<std::size_t>(open_.back())] = form_.blocks;
      open_.pop_back();
    }
    ++form_.blocks;
  }

  const ColumnEntries& a_;
  std::vector<std::int32_t> column_of_row_;
  std::vector<std::int32_t> number_;  ///< Order in which columns were entered.
  std::vector<std::int32_t> lowest_;  ///< Smallest number of an open column that is reached from here.
  std::vector<std::int64_t> next_;    ///< Next entry of each column to follow.
  std::vector<std::int32_t> path_;
  std::vector<std::int32_t> open_;  ///< Columns that are entered and in no component yet.
  std::int32_t seen_ = 0;
  BlockTriangularForm form_;
};

}  // namespace

BlockTriangularForm block_triangular_form(const ColumnEntries& a, const std::vector<std::int32_t>& row_of_column) {
  return ComponentSearch(a, row_of_column).run();
}

}  // namespace gpusupernodal
