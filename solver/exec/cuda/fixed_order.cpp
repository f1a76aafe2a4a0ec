#include "solver/exec/cuda/fixed_order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

namespace gpusupernodal::cuda {
namespace {

/// The last one is of those that find none.
constexpr std::size_t colours = most_colours + 1;
static_assert(colours <= 64);

/// Of a launch's tasks, those of each colour.
using Colours = std::array<TaskRange, colours>;

/// Columns of L that a task adds to, as positions among its source's rows below.
struct Added {
  std::int32_t begin = 0;
  std::int32_t end = 0;
};

Added added_by(const SymbolicFactor& factor, const FrontTask& task) {
  return {0, factor.rows_below(SupernodeId(task.panel))};
}

Added added_by(const SymbolicFactor& factor, const ProductTask& task) {
  const std::int32_t width = factor.width(SupernodeId(task.panel));
  if (task.col_end <= width) return {};
  return {std::max(task.col, task.first) - width, std::min(task.col + cuda_tile, task.col_end) - width};
}

/// Colours the sources of one launch after the other, and sorts its tasks by them.
class Colouring {
 public:
  explicit Colouring(const SymbolicFactor& factor) : factor_(factor) {
    taken_.assign(static_cast<std::size_t>(factor.order()), 0);
    colour_of_.assign(static_cast<std::size_t>(factor.supernodes()), 0);
  }

  template <class Task>
  Colours sort(LargeVector<Task>& all, const TaskRange& range) {
    const std::span<Task> tasks(all.data() + range.begin, static_cast<std::size_t>(range.count));
    each_source(tasks, [&](SupernodeId s) { colour(s); });
    Colours found{};
    for (const Task& task : tasks) ++found[colour_of(task)].count;
    std::array<std::size_t, colours> next{};
    std::size_t begin = 0;
    for (std::size_t c = 0; c < colours; ++c) {
      next[c] = begin;
      found[c].begin = range.begin + static_cast<std::int64_t>(begin);
      begin += static_cast<std::size_t>(found[c].count);
    }
    LargeVector<Task> sorted(tasks.size());
    for (const Task& task : tasks) sorted[next[colour_of(task)]++] = task;
    std::copy(sorted.begin(), sorted.end(), tasks.begin());
    each_source(tasks, [&](SupernodeId s) { forget(s); });
    return found;
  }

 private:
  /// Those that add to ancestors.
  template <class Task, class Visit>
  void each_source(std::span<const Task> tasks, const Visit& visit) const {
    SupernodeId last;
    for (const Task& task : tasks) {
      const SupernodeId s(task.panel);
      const Added added = added_by(factor_, task);
      if (s == last || added.begin == added.end) continue;
      visit(s);
      last = s;
    }
  }
  template <class Task, class Visit>
  void each_source(std::span<Task> tasks, const Visit& visit) const {
    each_source(std::span<const Task>(tasks), visit);
  }

  std::uint64_t& taken(NewIndex column) { return taken_[static_cast<std::size_t>(column.value)]; }

  void colour(SupernodeId s) {
    std::uint64_t others = 0;
    for (const NewIndex row : factor_.rows_of(s)) others |= taken(row);
    const int first = std::min(std::countr_one(others), most_colours);
    for (const NewIndex row : factor_.rows_of(s)) taken(row) |= std::uint64_t{1} << first;
    colour_of_[static_cast<std::size_t>(s.value)] = static_cast<std::uint8_t>(first);
  }

  void forget(SupernodeId s) {
    for (const NewIndex row : factor_.rows_of(s)) taken(row) = 0;
  }

  /// Tasks that add to no ancestor go with the first.
  template <class Task>
  std::size_t colour_of(const Task& task) const {
    const Added added = added_by(factor_, task);
    return added.begin == added.end ? 0 : colour_of_[static_cast<std::size_t>(task.panel)];
  }

  const SymbolicFactor& factor_;
  std::vector<std::uint64_t> taken_;  ///< Of each column, the colours that add to it.
  std::vector<std::uint8_t> colour_of_;
};

/// A source's turn to add to a column: how many tasks of the sources before it add to that. Tasks of one source lie side by
/// side in their list, so that no task waits for one that is begun after it.
class Turns {
 public:
  Turns(const SymbolicFactor& factor, std::vector<std::int32_t>& turn_of_row) : factor_(factor), turn_of_row_(turn_of_row) {}

  template <class Task>
  void count(const LargeVector<Task>& tasks, const TaskRange& range) {
    turn_of_row_.resize(factor_.rows.size());
    added_.resize(static_cast<std::size_t>(factor_.order()));
    for (std::int64_t t = range.begin; t < range.begin + range.count; ++t) {
      const Task& task = tasks[static_cast<std::size_t>(t)];
      const SupernodeId s(task.panel);
      const Added added = added_by(factor_, task);
      if (added.begin == added.end) continue;
      const auto rows = factor_.rows_of(s);
      const auto first = static_cast<std::size_t>(factor_.row_offset[s]);
      for (std::size_t i = 0; s != source_ && i < rows.size(); ++i) turn_of_row_[first + i] = before(rows[i]);
      source_ = s;
      for (std::int32_t i = added.begin; i < added.end; ++i) ++before(rows[static_cast<std::size_t>(i)]);
    }
  }

 private:
  std::int32_t& before(NewIndex column) { return added_[static_cast<std::size_t>(column.value)]; }

  const SymbolicFactor& factor_;
  std::vector<std::int32_t>& turn_of_row_;
  std::vector<std::int32_t> added_;
  SupernodeId source_;
};

}  // namespace

void fix_order(const SymbolicFactor& factor, LaunchPlan& launches) {
  Colouring colouring(factor);
  Turns turns(factor, launches.turn_of_row);
  std::int32_t in_turn = 0;
  std::vector<Level> levels;
  for (const Level& level : launches.levels) {
    const Colours tiny = colouring.sort(launches.tiny, level.tiny);
    const Colours small = colouring.sort(launches.small, level.small);
    const Colours urgent = colouring.sort(launches.product, level.urgent);
    for (std::size_t c = 0; c < colours; ++c) {
      if (c > 0 && tiny[c].count + small[c].count + urgent[c].count == 0) continue;
      Level colour;
      if (c == 0) colour = level;
      colour.first_group = level.first_group;
      colour.small_entries = level.small_entries;
      colour.tiny = tiny[c];
      colour.small = small[c];
      colour.urgent = urgent[c];
      if (c == most_colours) {
        colour.turn = in_turn++;
        turns.count(launches.tiny, colour.tiny);
        turns.count(launches.small, colour.small);
        turns.count(launches.product, colour.urgent);
      }
      levels.push_back(colour);
    }
  }
  launches.levels = std::move(levels);
}

}  // namespace gpusupernodal::cuda
