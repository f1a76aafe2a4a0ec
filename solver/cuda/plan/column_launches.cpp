#include "solver/cuda/plan/column_launches.hpp"

#include <algorithm>
#include <utility>

#include "solver/cuda/plan/column_solve_order.hpp"
#include "solver/symbolic/step_log.hpp"

namespace gpusupernodal::cuda {
namespace {

constexpr std::int64_t array_alignment = 256;  // Slab::alignment.
constexpr std::int64_t lanes = 32;
/// A task with more than this many extra passes (rows of U longer than a warp) gets a CTA.
constexpr std::int64_t long_steps = 16;
/// Steps of a warp that take as long as a launch.
constexpr std::int64_t launch_steps = 4;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// Passes of a warp over the rows of U that a task subtracts.
std::int64_t steps_of(const ColumnStructure& s, const ColumnSource* sources, std::int32_t count) {
  std::int64_t steps = 0;
  for (std::int32_t i = 0; i < count; ++i) steps += 1 + s.upper[at(sources[i].column)] / lanes;
  return steps;
}

class Builder {
 public:
  Builder(const ColumnStructure& structure, const ColumnLaunchRules& rules) : s_(structure), rules_(rules) {}

  ColumnLaunches build() {
    find_levels();
    list_tasks();
    list_launches();
    return std::move(result_);
  }

 private:
  void raise(std::int32_t k, std::int32_t below) { level_[at(k)] = std::max(level_[at(k)], level_[at(below)] + 1); }

  /// Levels of columns; those of rows need L alone.
  void find_levels() {
    level_.assign(at(s_.n), 0);
    for (std::int32_t k = 0; k < s_.n; ++k) {
      for (std::int32_t e = 0; e < s_.lower[at(k)]; ++e) raise(k, s_.columns[at(s_.row_offset[at(k)] + e)]);
      if (!rules_.by_rows && !s_.in_tail(k)) {
        const std::int64_t first = s_.column_offset[at(k)] + s_.before[at(k)];
        for (std::int64_t e = first; e < first + s_.above[at(k)]; ++e) raise(k, s_.rows[at(e)]);
      }
    }
  }

  /// The sources of a row, in the order of levels. For levels of rows they stay in the order of columns.
  std::vector<ColumnSource> sources_of(std::int32_t row) const {
    std::vector<ColumnSource> sources;
    for (std::int32_t e = 0; e < s_.lower[at(row)]; ++e) sources.push_back({s_.columns[at(s_.row_offset[at(row)] + e)], e});
    if (!rules_.by_rows) {
      std::stable_sort(sources.begin(), sources.end(), [&](const ColumnSource& a, const ColumnSource& b) {
        return level_[at(a.column)] < level_[at(b.column)];
      });
    }
    return sources;
  }

  struct Work {
    std::int32_t long_tasks = 0;
    std::int64_t steps = 0;
    std::int64_t longest = 0;
  };

  struct Found {
    ColumnTask task;
    std::int32_t level;
    std::int64_t steps;
    bool is_long;
  };

  void list_tasks() {
    std::vector<Found> found;
    for (std::int32_t row = 0; row < s_.n; ++row) {
      const std::vector<ColumnSource> sources = sources_of(row);
      for (std::size_t begin = 0, end = 0; begin < sources.size(); begin = end) {
        const std::int32_t level = rules_.by_rows ? level_[at(row)] : level_[at(sources[begin].column)] + 1;
        end = sources.size();
        if (!rules_.by_rows) {
          end = begin;
          while (end < sources.size() && level_[at(sources[end].column)] + 1 == level) ++end;
        }
        const auto count = static_cast<std::int32_t>(end - begin);
        const ColumnTask task{row, count, static_cast<std::int64_t>(result_.sources.size() + begin)};
        const std::int64_t steps = steps_of(s_, sources.data() + begin, count);
        found.push_back({task, level, steps, steps - count > long_steps});
      }
      result_.sources.insert(result_.sources.end(), sources.begin(), sources.end());
    }
    std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
      return std::pair(a.level, a.is_long) < std::pair(b.level, b.is_long);
    });
    std::int32_t level = 0;  // No task belongs to level 0, whose columns are those of A.
    for (const Found& f : found) {
      if (f.level != level) {
        result_.level_tasks.push_back(static_cast<std::int64_t>(result_.tasks.size()));
        work_.push_back({});
        level = f.level;
      }
      result_.tasks.push_back(f.task);
      Work& work = work_.back();
      work.long_tasks += f.is_long ? 1 : 0;
      work.steps += f.steps;
      work.longest = std::max(work.longest, f.steps);
    }
    result_.level_tasks.push_back(static_cast<std::int64_t>(result_.tasks.size()));
  }

  /// Whether the warps of one CTA take at most a launch longer than as many warps as there are tasks.
  bool is_narrow(std::int64_t level) const {
    constexpr std::int64_t warps = merged_threads / lanes;
    const Work& work = work_[at(level)];
    return work.long_tasks == 0 && work.steps <= warps * (work.longest + launch_steps);
  }

  void list_launches() {
    const std::int64_t levels = result_.levels();
    for (std::int64_t level = 0; level < levels;) {
      std::int64_t end = level;
      while (rules_.merge_levels && end < levels && is_narrow(end)) ++end;
      ColumnLaunch launch;
      if (end > level + 1) {
        launch.levels_begin = static_cast<std::int32_t>(level);
        launch.levels_end = static_cast<std::int32_t>(end);
      } else {
        end = level + 1;
        launch.first = result_.level_tasks[at(level)];
        launch.long_count = work_[at(level)].long_tasks;
        launch.short_count = static_cast<std::int32_t>(result_.level_tasks[at(end)] - launch.first) - launch.long_count;
      }
      result_.launches.push_back(launch);
      for (; level < end; ++level) result_.longest_path_flops += largest_flops(level);
    }
  }

  double largest_flops(std::int64_t level) const {
    double largest = 0.0;
    for (std::int64_t t = result_.level_tasks[at(level)]; t < result_.level_tasks[at(level) + 1]; ++t) {
      const ColumnTask& task = result_.tasks[at(t)];
      double flops = 0.0;
      for (std::int32_t i = 0; i < task.count; ++i)
        flops += 2.0 * s_.upper[at(result_.sources[at(task.first + i)].column)] - 1.0;
      largest = std::max(largest, flops);
    }
    return largest;
  }

  const ColumnStructure& s_;
  const ColumnLaunchRules& rules_;
  std::vector<std::int32_t> level_;
  std::vector<Work> work_;  ///< Work of each level.
  ColumnLaunches result_;
};

template <class... Lists>
std::int64_t padded_bytes(const Lists&... lists) {
  const auto padded = [](std::int64_t bytes) { return (bytes + array_alignment - 1) / array_alignment * array_alignment; };
  return (std::int64_t{0} + ... + padded(bytes_in(lists)));
}

}  // namespace

std::int64_t ColumnLaunches::merged_levels() const {
  std::int64_t sum = 0;
  for (const ColumnLaunch& launch : launches) sum += launch.levels_end - launch.levels_begin;
  return sum;
}

std::int64_t ColumnLaunches::bytes() const {
  return static_cast<std::int64_t>(sizeof(ColumnLaunches)) +
         bytes_in(tasks, sources, level_tasks, launches, solve, solve_transposed);
}

ColumnLaunches build_column_launches(const ColumnStructure& structure, const ColumnLaunchRules& rules) {
  ColumnLaunches launches = Builder(structure, rules).build();
  SolveOrder order = solve_order(structure, false);
  launches.solve_levels = order.levels;
  launches.solve = std::move(order.nodes);
  launches.solve_transposed = solve_order(structure, true).nodes;
  return launches;
}

std::int64_t column_list_bytes(const ColumnStructure& s, const ColumnLaunches& l) {
  return padded_bytes(s.row_offset, s.lower, s.upper, s.columns, s.column_offset, s.rows, s.position, s.before, s.above,
                      l.tasks, l.sources, l.level_tasks, l.solve, l.solve_transposed);
}

}  // namespace gpusupernodal::cuda
