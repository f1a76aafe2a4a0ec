#include "solver/general/threshold_pivots.hpp"

#include <cmath>
#include <complex>

#include "gpusupernodal/build_config.hpp"
#include "kernels/common/scalar_traits.hpp"

namespace gpusupernodal {
namespace {

constexpr std::int32_t none = -1;

/// L by columns, without its unit diagonal. Rows are those of A.
template <class Wide>
struct Multipliers {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> rows;
  std::vector<Wide> values;
};

/// The columns of L on which a new column depends, by depth-first search over L [GP88].
class ReachSearch {
 public:
  explicit ReachSearch(std::int32_t n) : mark_(static_cast<std::size_t>(n), none), next_(static_cast<std::size_t>(n)) {}

  /// Begins the search for step k.
  void begin(std::int32_t k) {
    step_ = k;
    rows_.clear();
  }

  /// Adds `row` and all rows that L's columns lead to from there. `step_of_row` is none for rows that are no pivots yet.
  void add(std::int32_t row, const std::vector<std::int64_t>& offsets, const std::vector<std::int32_t>& rows_of_l,
           const std::vector<std::int32_t>& step_of_row) {
    if (!enter(row, offsets, step_of_row)) return;
    while (!stack_.empty()) {
      const auto top = static_cast<std::size_t>(stack_.back());
      const std::int32_t column = step_of_row[top];
      const std::int64_t end = column == none ? 0 : offsets[static_cast<std::size_t>(column) + 1];
      bool entered = false;
      while (!entered && next_[top] < end)
        entered = enter(rows_of_l[static_cast<std::size_t>(next_[top]++)], offsets, step_of_row);
      if (entered) continue;
      rows_.push_back(stack_.back());
      stack_.pop_back();
    }
  }

  /// The rows found, each after all rows that depend on it: the reverse of an order of elimination.
  const std::vector<std::int32_t>& rows() const { return rows_; }

 private:
  bool enter(std::int32_t row, const std::vector<std::int64_t>& offsets, const std::vector<std::int32_t>& step_of_row) {
    const auto r = static_cast<std::size_t>(row);
    if (mark_[r] == step_) return false;
    mark_[r] = step_;
    next_[r] = step_of_row[r] == none ? 0 : offsets[static_cast<std::size_t>(step_of_row[r])];
    stack_.push_back(row);
    return true;
  }

  std::vector<std::int32_t> mark_;  ///< Last step that met each row.
  std::vector<std::int64_t> next_;  ///< Next entry of the row's column of L to visit.
  std::vector<std::int32_t> stack_;
  std::vector<std::int32_t> rows_;
  std::int32_t step_ = none;
};

template <class S>
class Elimination {
 public:
  using Wide = typename ScalarTraits<S>::Wide;

  Elimination(const ColumnEntries& a, const S* values, const PivotSearch& search, const WorkLimit& limit)
      : a_(a), values_(values), search_(search), meter_(limit, a.n), reach_(a.n), dense_(static_cast<std::size_t>(a.n)) {
    step_of_row_.assign(static_cast<std::size_t>(a.n), none);
    result_.row_of_column.assign(static_cast<std::size_t>(a.n), none);
  }

  ThresholdPivots run() {
    for (std::int32_t k = 0; k < a_.n; ++k) {
      if (meter_.add_column(eliminate(k))) continue;
      result_.abandoned = true;
      result_.row_of_column.clear();
      return std::move(result_);
    }
    give_free_rows();
    return std::move(result_);
  }

 private:
  /// Returns the number of operations.
  double eliminate(std::int32_t k) {
    const std::int32_t column = search_.column_order[static_cast<std::size_t>(k)];
    load(k, column);
    const double flops = subtract_earlier_columns();
    const std::int32_t pivot = choose_pivot(search_.preferred_row[static_cast<std::size_t>(column)]);
    if (pivot == none) {
      ++result_.without_pivot;
    } else {
      result_.row_of_column[static_cast<std::size_t>(column)] = pivot;
      if (pivot != search_.preferred_row[static_cast<std::size_t>(column)]) ++result_.exchanged;
    }
    store(k, pivot);
    return flops +
           static_cast<double>(l_.offsets[static_cast<std::size_t>(k) + 1] - l_.offsets[static_cast<std::size_t>(k)]);
  }

  /// Writes column `column` of the scaled A to the dense vector and finds the rows that its elimination reaches.
  void load(std::int32_t k, std::int32_t column) {
    reach_.begin(k);
    const auto j = static_cast<std::size_t>(column);
    for (std::int64_t e = a_.offsets[j]; e < a_.offsets[j + 1]; ++e)
      reach_.add(a_.rows[static_cast<std::size_t>(e)], l_.offsets, l_.rows, step_of_row_);
    for (std::int64_t e = a_.offsets[j]; e < a_.offsets[j + 1]; ++e) {
      const auto entry = static_cast<std::size_t>(e);
      const auto row = static_cast<std::size_t>(a_.rows[entry]);
      dense_[row] =
          scaled(static_cast<Wide>(values_[a_.entry[entry]]), search_.row_exponent[row] + search_.column_exponent[j]);
    }
  }

  static Wide scaled(Wide value, int exponent) {
    if constexpr (ScalarTraits<Wide>::is_complex) {
      return {std::ldexp(value.real(), exponent), std::ldexp(value.imag(), exponent)};
    } else {
      return std::ldexp(value, exponent);
    }
  }

  double subtract_earlier_columns() {
    double flops = 0.0;
    const std::vector<std::int32_t>& rows = reach_.rows();
    for (auto at = rows.rbegin(); at != rows.rend(); ++at) {
      const std::int32_t step = step_of_row_[static_cast<std::size_t>(*at)];
      const Wide factor = dense_[static_cast<std::size_t>(*at)];
      if (step == none || factor == Wide(0)) continue;
      const auto end = static_cast<std::size_t>(l_.offsets[static_cast<std::size_t>(step) + 1]);
      const auto begin = static_cast<std::size_t>(l_.offsets[static_cast<std::size_t>(step)]);
      for (std::size_t e = begin; e < end; ++e) dense_[static_cast<std::size_t>(l_.rows[e])] -= l_.values[e] * factor;
      flops += 2.0 * static_cast<double>(end - begin);
    }
    return flops;
  }

  /// The preferred row if its entry is large enough, else the row with the largest entry, the first of equal ones; none if
  /// all entries are zero.
  std::int32_t choose_pivot(std::int32_t preferred) const {
    double largest = 0.0;
    double of_preferred = 0.0;
    std::int32_t pivot = none;
    for (const std::int32_t row : reach_.rows()) {
      if (step_of_row_[static_cast<std::size_t>(row)] != none) continue;
      const double magnitude = std::abs(dense_[static_cast<std::size_t>(row)]);
      if (row == preferred) of_preferred = magnitude;
      if (magnitude < largest || magnitude == 0.0 || (magnitude == largest && row > pivot)) continue;
      largest = magnitude;
      pivot = row;
    }
    return of_preferred > 0.0 && of_preferred >= search_.threshold * largest ? preferred : pivot;
  }

  /// Appends column k of L, and clears the dense vector. Without a pivot the column is empty.
  void store(std::int32_t k, std::int32_t pivot) {
    if (pivot != none) step_of_row_[static_cast<std::size_t>(pivot)] = k;
    const Wide divisor = pivot == none ? Wide(1) : dense_[static_cast<std::size_t>(pivot)];
    for (const std::int32_t row : reach_.rows()) {
      Wide& entry = dense_[static_cast<std::size_t>(row)];
      if (pivot != none && entry != Wide(0) && step_of_row_[static_cast<std::size_t>(row)] == none) {
        l_.rows.push_back(row);
        l_.values.push_back(entry / divisor);
      }
      entry = Wide(0);
    }
    l_.offsets.push_back(static_cast<std::int64_t>(l_.rows.size()));
  }

  /// Columns without a pivot get their preferred row if it is free, else the free rows in ascending order.
  void give_free_rows() {
    if (result_.without_pivot == 0) return;
    for (std::size_t j = 0; j < result_.row_of_column.size(); ++j) {
      const auto preferred = static_cast<std::size_t>(search_.preferred_row[j]);
      if (result_.row_of_column[j] != none || step_of_row_[preferred] != none) continue;
      result_.row_of_column[j] = search_.preferred_row[j];
      step_of_row_[preferred] = 0;
    }
    std::size_t free_row = 0;
    for (std::int32_t& row : result_.row_of_column) {
      if (row != none) continue;
      while (step_of_row_[free_row] != none) ++free_row;
      row = static_cast<std::int32_t>(free_row);
      step_of_row_[free_row] = 0;
      ++result_.exchanged;
    }
  }

  const ColumnEntries& a_;
  const S* values_;
  const PivotSearch& search_;
  WorkMeter meter_;
  ReachSearch reach_;
  Multipliers<Wide> l_;
  std::vector<Wide> dense_;                ///< The current column, by rows of A; zero between columns.
  std::vector<std::int32_t> step_of_row_;  ///< Step in which each row became a pivot.
  ThresholdPivots result_;
};

}  // namespace

template <class S>
ThresholdPivots threshold_pivots(const ColumnEntries& a, const S* values, const PivotSearch& search,
                                 const WorkLimit& limit) {
  return Elimination<S>(a, values, search, limit).run();
}

#define GPUSUPERNODAL_INSTANTIATE(S) \
  template ThresholdPivots threshold_pivots(const ColumnEntries&, const S*, const PivotSearch&, const WorkLimit&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
