#include "solver/cuda/plan/fixed_order.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

namespace gpusupernodal::cuda {
namespace {

static_assert(max_colours < 64);

/// Maximum number of levels by which a unit is postponed; bounds the cost.
constexpr std::int32_t max_delays = 8;

/// Adjacent tasks of one source that are launched together.
struct Unit {
  std::int64_t first = 0;  ///< Index of its first task.
  std::int32_t count = 0;
  SupernodeId source;
  std::int32_t begin = 0;  ///< Columns that they add to, as positions among the source's rows below; empty if begin ≥ end.
  std::int32_t end = 0;
  std::int32_t due = 0;  ///< Last level in which it may be launched.
  std::int32_t colour = 0;
};

/// Colours that add to each column in the launches under construction.
class Taken {
 public:
  explicit Taken(const SymbolicFactor& factor) : factor_(factor), of_column_(static_cast<std::size_t>(factor.order()), 0) {}

  /// Returns the first colour that none of the unit's columns has.
  std::int32_t free_for(const Unit& unit) const {
    std::uint64_t others = 0;
    for (const NewIndex column : columns(unit)) others |= of_column_[at(column)];
    return std::countr_one(others);
  }
  void take(const Unit& unit) {
    for (const NewIndex column : columns(unit)) of_column_[at(column)] |= std::uint64_t{1} << unit.colour;
  }
  void forget(const Unit& unit) {
    for (const NewIndex column : columns(unit)) of_column_[at(column)] = 0;
  }

 private:
  static std::size_t at(NewIndex column) { return static_cast<std::size_t>(column.value); }
  std::span<const NewIndex> columns(const Unit& unit) const {
    if (unit.begin >= unit.end) return {};
    return factor_.rows_of(unit.source)
        .subspan(static_cast<std::size_t>(unit.begin), static_cast<std::size_t>(unit.end - unit.begin));
  }

  const SymbolicFactor& factor_;
  std::vector<std::uint64_t> of_column_;
};

/// Computes FactorData::tasks_before_row: for each column of a unit, the number of tasks of earlier units that add to
/// it. The tasks of a unit are adjacent in their list, so none waits for a task that begins later.
class TasksBeforeRow {
 public:
  TasksBeforeRow(const SymbolicFactor& factor, std::vector<std::int32_t>& tasks_before_row)
      : factor_(factor), tasks_before_row_(tasks_before_row) {}

  void begin(const Unit& unit) {
    tasks_before_row_.resize(factor_.rows.size());
    added_.resize(static_cast<std::size_t>(factor_.order()));
    const auto first = static_cast<std::size_t>(factor_.row_offset[unit.source]);
    for (auto i = static_cast<std::size_t>(unit.begin); i < static_cast<std::size_t>(unit.end); ++i)
      tasks_before_row_[first + i] = added(unit.source, i);
  }
  /// Counts one task of the unit passed to begin().
  void count(SupernodeId source, std::int32_t begin, std::int32_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) ++added(source, i);
  }

 private:
  std::int32_t& added(SupernodeId source, std::size_t row) {
    return added_[static_cast<std::size_t>(factor_.rows_of(source)[row].value)];
  }

  const SymbolicFactor& factor_;
  std::vector<std::int32_t>& tasks_before_row_;
  std::vector<std::int32_t> added_;
};

/// Rebuilds the launches of one kind of tasks.
template <class Task>
class Launches {
 public:
  Launches(const SymbolicFactor& factor, const LaunchPlan& launches, LargeVector<Task>& tasks, Taken& taken,
           TasksBeforeRow& tasks_before)
      : factor_(factor),
        first_block_level_(launches.first_block_level),
        tasks_(tasks),
        taken_(taken),
        tasks_before_(tasks_before) {
    sorted_.reserve(tasks.size());
  }

  /// Returns the launches of a level, one per colour; if there are max_colours + 1, the last uses ordered accumulation.
  std::vector<TaskRange> of_level(std::int32_t level, const TaskRange& range, bool is_last) {
    split(level, range);
    colour(level, is_last);
    std::stable_sort(chosen_.begin(), chosen_.end(), [](const Unit& a, const Unit& b) { return a.colour < b.colour; });
    std::vector<TaskRange> ranges;
    for (const Unit& unit : chosen_) {
      const auto begin = static_cast<std::int64_t>(sorted_.size());
      while (static_cast<std::int32_t>(ranges.size()) <= unit.colour) ranges.push_back({begin, 0});
      write(unit);
      ranges.back().count += unit.count;
    }
    for (const Unit& unit : chosen_) taken_.forget(unit);
    return ranges;
  }

  void finish() { tasks_ = std::move(sorted_); }

 private:
  std::pair<std::int32_t, std::int32_t> columns_of(const FrontTask& task) const {
    return {0, factor_.rows_below(SupernodeId(task.panel))};
  }
  std::pair<std::int32_t, std::int32_t> columns_of(const ProductTask& task) const {
    const std::int32_t width = factor_.width(SupernodeId(task.panel));
    if (task.col_end <= width) return {0, 0};
    return {std::max(task.col, task.first) - width, std::min(task.col + tile_size, task.col_end) - width};
  }
  /// Whether a task begins a unit: every front does, and every tile of another source or another strip of columns.
  static bool begins(const FrontTask&, const FrontTask&) { return true; }
  static bool begins(const ProductTask& before, const ProductTask& task) {
    return before.panel != task.panel || task.row < before.row || task.col_end != before.col_end;
  }

  /// Returns the last level before the column's supernode begins; from then on the supernode's own products add to the
  /// column too. Supernodes of the unit's further columns begin later.
  std::int32_t last_level_for(NewIndex column) const { return first_block_level_[factor_.supernode_of[column]] - 1; }

  /// Splits a level's tasks into units and appends them to the waiting ones.
  void split(std::int32_t level, const TaskRange& range) {
    for (std::int64_t t = range.begin; t < range.begin + range.count; ++t) {
      const Task& task = tasks_[static_cast<std::size_t>(t)];
      const auto [begin, end] = columns_of(task);
      if (t == range.begin || begins(tasks_[static_cast<std::size_t>(t - 1)], task)) {
        waiting_.push_back({t, 0, SupernodeId(task.panel), begin, end, level, 0});
        if (begin < end) {
          const NewIndex first = factor_.rows_of(SupernodeId(task.panel))[static_cast<std::size_t>(begin)];
          waiting_.back().due = std::min(last_level_for(first), level + max_delays);
        }
      }
      Unit& unit = waiting_.back();
      ++unit.count;
      unit.begin = std::min(unit.begin, begin);
      unit.end = std::max(unit.end, end);
    }
  }

  /// Chooses the waiting units to launch now: those that are due, and those that need no further launch.
  void colour(std::int32_t level, bool is_last) {
    chosen_.clear();
    std::int32_t colours = 1;
    const auto choose = [&](const Unit& unit) {
      taken_.take(unit);
      chosen_.push_back(unit);
    };
    const auto is_due = [&](const Unit& unit) { return is_last || unit.due <= level; };
    for (Unit& unit : waiting_) {
      if (!is_due(unit)) continue;
      unit.colour = std::min(taken_.free_for(unit), max_colours);
      colours = std::max(colours, unit.colour + 1);
      choose(unit);
    }
    std::size_t left = 0;
    for (Unit& unit : waiting_) {
      if (is_due(unit)) continue;
      unit.colour = taken_.free_for(unit);
      if (unit.colour < std::min(colours, max_colours)) {
        choose(unit);
      } else {
        waiting_[left++] = unit;
      }
    }
    waiting_.resize(left);
  }

  /// Appends a unit's tasks in their previous order.
  void write(const Unit& unit) {
    const bool is_ordered = unit.colour == max_colours;
    if (is_ordered) tasks_before_.begin(unit);
    for (std::int64_t t = unit.first; t < unit.first + unit.count; ++t) {
      const Task& task = tasks_[static_cast<std::size_t>(t)];
      sorted_.push_back(task);
      const auto [first, last] = columns_of(task);
      if (is_ordered) tasks_before_.count(unit.source, first, last);
    }
  }

  const SymbolicFactor& factor_;
  const IdVector<SupernodeId, std::int32_t>& first_block_level_;
  LargeVector<Task>& tasks_;
  LargeVector<Task> sorted_;
  Taken& taken_;
  TasksBeforeRow& tasks_before_;
  std::vector<Unit> waiting_;
  std::vector<Unit> chosen_;
};

TaskRange nth(const std::vector<TaskRange>& ranges, std::size_t n) { return n < ranges.size() ? ranges[n] : TaskRange{}; }

}  // namespace

void fix_order(const SymbolicFactor& factor, LaunchPlan& launches) {
  Taken taken(factor);
  TasksBeforeRow tasks_before(factor, launches.tasks_before_row);
  Launches<FrontTask> tiny(factor, launches, launches.tiny, taken, tasks_before);
  Launches<FrontTask> small(factor, launches, launches.small, taken, tasks_before);
  Launches<ProductTask> products(factor, launches, launches.product, taken, tasks_before);
  std::int32_t ordered_count = 0;
  std::int32_t largest = 0;
  std::vector<Level> levels;
  for (std::size_t l = 0; l < launches.levels.size(); ++l) {
    const Level& level = launches.levels[l];
    const bool is_last = l + 1 == launches.levels.size();
    const auto number = static_cast<std::int32_t>(l);
    const std::vector<TaskRange> of_tiny = tiny.of_level(number, level.tiny, is_last);
    const std::vector<TaskRange> of_small = small.of_level(number, level.small, is_last);
    const std::vector<TaskRange> of_products = products.of_level(number, level.urgent, is_last);
    largest = std::max(largest, level.small_entries);
    const std::size_t colours = std::max({std::size_t{1}, of_tiny.size(), of_small.size(), of_products.size()});
    for (std::size_t c = 0; c < colours; ++c) {
      Level colour = c == 0 ? level : Level();
      colour.small_entries = largest;
      colour.tiny = nth(of_tiny, c);
      colour.small = nth(of_small, c);
      colour.urgent = nth(of_products, c);
      if (c == max_colours) colour.ordered_index = ordered_count++;
      levels.push_back(colour);
    }
  }
  launches.levels = std::move(levels);
  tiny.finish();
  small.finish();
  products.finish();
}

}  // namespace gpusupernodal::cuda
