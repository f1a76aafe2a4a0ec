#include "solver/general/lu_pattern.hpp"

#include <algorithm>
#include <utility>

#include "solver/general/limited_lu_pattern.hpp"

namespace gpusupernodal {
namespace {

constexpr std::int32_t none = -1;

class PatternSearch {
 public:
  PatternSearch(const ColumnEntries& a, const LuOrder& order, const WorkLimit& limit)
      : a_(a),
        order_(order),
        meter_(limit, a.n),
        step_of_row_(order.row.size()),
        mark_(order.row.size(), none),
        next_(order.row.size()),
        lower_begin_(order.row.size()),
        search_end_(order.row.size()) {
    for (std::size_t k = 0; k < order.row.size(); ++k)
      step_of_row_[static_cast<std::size_t>(order.row[k])] = static_cast<std::int32_t>(k);
  }

  std::optional<LuPattern> run() {
    result_.offsets.push_back(0);
    std::int32_t begin = 0;
    for (const std::int32_t end : order_.block_ends) {
      for (std::int32_t k = begin; k < end; ++k) {
        if (!meter_.add_column(add_column(k, begin))) return std::nullopt;
      }
      begin = end;
    }
    return std::optional<LuPattern>(std::move(result_));
  }

 private:
  /// Returns the operations that the column takes in a factorization.
  double add_column(std::int32_t k, std::int32_t block_begin) {
    found_.clear();
    mark_[static_cast<std::size_t>(k)] = k;
    found_.push_back(k);
    const auto j = static_cast<std::size_t>(order_.column[static_cast<std::size_t>(k)]);
    for (std::int64_t e = a_.offsets[j]; e < a_.offsets[j + 1]; ++e) {
      const std::int32_t row = step_of_row_[static_cast<std::size_t>(a_.rows[static_cast<std::size_t>(e)])];
      if (row < block_begin) {
        found_.push_back(row);
      } else {
        reach(row, k);
      }
    }
    std::sort(found_.begin(), found_.end());
    return store(k, block_begin);
  }

  /// Adds the rows that column k of L + U gets from `row` on.
  void reach(std::int32_t row, std::int32_t k) {
    if (!enter(row, k)) return;
    while (!stack_.empty()) {
      const auto top = static_cast<std::size_t>(stack_.back());
      bool entered = false;
      while (!entered && next_[top] < search_end_[top]) entered = enter(lower_[static_cast<std::size_t>(next_[top]++)], k);
      if (!entered) stack_.pop_back();
    }
  }

  bool enter(std::int32_t row, std::int32_t k) {
    const auto r = static_cast<std::size_t>(row);
    if (mark_[r] == k) return false;
    mark_[r] = k;
    found_.push_back(row);
    if (row >= k) return false;  // No pivot yet: it leads nowhere.
    next_[r] = lower_begin_[r];
    stack_.push_back(row);
    return true;
  }

  /// Appends the sorted column to the result, and its part of L to the lists that are searched. Returns its operations.
  double store(std::int32_t k, std::int32_t block_begin) {
    const auto diagonal = std::lower_bound(found_.begin(), found_.end(), k);
    const auto c = static_cast<std::size_t>(k);
    lower_begin_[c] = static_cast<std::int64_t>(lower_.size());
    lower_.insert(lower_.end(), diagonal + 1, found_.end());
    search_end_[c] = static_cast<std::int64_t>(lower_.size());
    result_.rows.insert(result_.rows.end(), found_.begin(), found_.end());
    result_.offsets.push_back(static_cast<std::int64_t>(result_.rows.size()));
    auto flops = static_cast<double>(search_end_[c] - lower_begin_[c]);
    for (auto row = std::lower_bound(found_.begin(), diagonal, block_begin); row != diagonal; ++row) {
      flops += 2.0 * static_cast<double>(entries_of_l(*row));
      prune(*row, k);
    }
    return flops;
  }

  /// Entries below the diagonal of a column that is not the last one so far.
  std::int64_t entries_of_l(std::int32_t column) const {
    const auto c = static_cast<std::size_t>(column);
    return lower_begin_[c + 1] - lower_begin_[c];
  }

  /// If L(k, c) and U(c, k) are nonzero, rows of column c below k are reached through column k. Lists ascend, so what a
  /// search may leave out is their end.
  void prune(std::int32_t column, std::int32_t k) {
    const auto c = static_cast<std::size_t>(column);
    const auto begin = lower_.begin() + lower_begin_[c];
    const auto end = lower_.begin() + search_end_[c];
    const auto at = std::lower_bound(begin, end, k);
    if (at != end && *at == k) search_end_[c] = at + 1 - lower_.begin();
  }

  const ColumnEntries& a_;
  const LuOrder& order_;
  WorkMeter meter_;
  std::vector<std::int32_t> step_of_row_;  ///< Step in which each row of A is eliminated.
  std::vector<std::int32_t> mark_;         ///< Last column that met each row.
  std::vector<std::int64_t> next_;         ///< Next entry of each column of L to follow.
  std::vector<std::int64_t> lower_begin_;  ///< Where each column of L begins in lower_ …
  std::vector<std::int64_t> search_end_;   ///< … and where its search ends.
  RawVector<std::int32_t> lower_;
  std::vector<std::int32_t> found_;
  std::vector<std::int32_t> stack_;
  LuPattern result_;
};

}  // namespace

std::optional<LuPattern> limited_lu_pattern(const ColumnEntries& a, const LuOrder& order, const WorkLimit& limit) {
  return PatternSearch(a, order, limit).run();
}

LuPattern lu_pattern(const ColumnEntries& a, const LuOrder& order) {
  const WorkLimit none;
  return limited_lu_pattern(a, order, none).value();
}

}  // namespace gpusupernodal
