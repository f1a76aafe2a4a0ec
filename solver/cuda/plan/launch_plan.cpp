#include "solver/cuda/plan/launch_plan.hpp"

#include <algorithm>
#include <utility>

#include "solver/cuda/plan/cuda_plan.hpp"
#include "solver/cuda/plan/fixed_order.hpp"
#include "solver/cuda/plan/launch_tasks.hpp"
#include "solver/cuda/plan/level_run.hpp"
#include "solver/factor/task_flops.hpp"

namespace gpusupernodal::cuda {
namespace {

/// Fewer tiles than this, about a third of the CTAs that a device runs at once, are not worth a separate launch.
constexpr std::int32_t smallest_group = 128;

TaskRange range_of(const std::vector<std::int64_t>& begin, std::int32_t first, std::int32_t last) {
  const std::int64_t from = begin[static_cast<std::size_t>(first)];
  return {from, static_cast<std::int32_t>(begin[static_cast<std::size_t>(last)] - from)};
}

class Builder {
 public:
  Builder(const CudaPlan& plan, const SymbolicFactor& factor, std::int32_t streams, LaunchScope scope, AdditionOrder order,
          ThreadTeam& team)
      : factor_(factor), order_(order), team_(team) {
    launches_.streams = order == AdditionOrder::fixed ? 1 : streams;
    launches_.first_level = plan.fronts.first_level;
    const TaskLister lister(plan, factor, launches_.streams, scope, order);
    levels_ = lister.levels();
    launches_.first_block_level = lister.first_block_level();
    lists_ = lister.list(team);
    if (lister.has_run()) launches_.run = list_level_run(plan.fronts, factor);
  }

  LaunchPlan build() {
    finish();
    return std::move(launches_);
  }

 private:
  std::int32_t classes() const { return launches_.streams; }

  template <class Task>
  std::vector<std::int64_t> sort(Keyed<Task> TaskLists::*kind, std::int32_t keys, LargeVector<Task>& tasks) {
    std::vector<std::int64_t> begin;
    tasks = sorted_by_key(lists_, kind, keys, begin, team_);
    return begin;
  }

  void finish() {
    const auto tiny = sort(&TaskLists::tiny, levels_, launches_.tiny);
    const auto small = sort(&TaskLists::small, levels_, launches_.small);
    const auto diagonal = sort(&TaskLists::diagonal, 2 * levels_, launches_.diagonal);
    const auto scale = sort(&TaskLists::scale, levels_, launches_.scale);
    const auto product = sort(&TaskLists::product, levels_ * classes(), launches_.product);
    for (std::int32_t level = 0; level < levels_; ++level) {
      Level entry;
      entry.tiny = range_of(tiny, level, level + 1);
      if (order_ == AdditionOrder::any) entry.narrow = narrow_first(entry.tiny);
      entry.small = widest_first(launches_.small, range_of(small, level, level + 1),
                                 [&](const FrontTask& task) { return factor_.width(SupernodeId(task.panel)); });
      entry.small_entries = largest_of(entry.small);
      entry.diagonal = widest_block_first(range_of(diagonal, 2 * level, 2 * level + 1));
      entry.factorized = range_of(diagonal, 2 * level + 1, 2 * level + 2).count;
      if (level + 1 < levels_) entry.ahead = widest_block_first(range_of(diagonal, 2 * level + 3, 2 * level + 4));
      entry.scale = range_of(scale, level, level + 1);
      entry.first_group = static_cast<std::int32_t>(launches_.groups.size());
      entry.urgent = add_groups(product, level);
      for (const TaskLists& lists : lists_) entry.flops += lists.level_flops[static_cast<std::size_t>(level)];
      launches_.levels.push_back(entry);
    }
    sort_products();
    if (order_ == AdditionOrder::fixed) fix_order(factor_, launches_);
  }

  /// Moves a level's narrow fronts to the front of its tiny ones. Returns their number if they are worth a separate
  /// launch, otherwise 0.
  std::int32_t narrow_first(const TaskRange& tiny) {
    const auto begin = launches_.tiny.begin() + tiny.begin;
    const auto end = std::stable_partition(begin, begin + tiny.count, [&](const FrontTask& task) {
      const SupernodeId s(task.panel);
      return is_narrow(factor_.width(s), factor_.front(s));
    });
    const auto count = static_cast<std::int32_t>(end - begin);
    return count < many_narrow ? 0 : count;
  }

  std::int32_t largest_of(const TaskRange& small) const {
    std::int64_t largest = 0;
    for (std::int64_t i = small.begin; i < small.begin + small.count; ++i) {
      const SupernodeId s(launches_.small[static_cast<std::size_t>(i)].panel);
      largest = std::max(largest, small_size(factor_.width(s), factor_.front(s)));
    }
    return static_cast<std::int32_t>(largest);
  }

  /// Makes product groups of a level's classes, least urgent first. A class that is too small joins the next more
  /// urgent one. Returns the urgent tiles.
  TaskRange add_groups(const std::vector<std::int64_t>& begin, std::int32_t level) {
    const std::int32_t first = level * classes();
    std::int32_t last = first + classes();
    for (std::int32_t c = classes() - 1; c > 0; --c) {
      const TaskRange tiles = range_of(begin, first + c, last);
      if (tiles.count < smallest_group) continue;
      launches_.groups.push_back({tiles, level + (1 << c), c});
      last = first + c;
    }
    return range_of(begin, first, last);
  }

  /// Sorts the widest tasks to the front, because they take longest. Tasks with equal strip counts keep their order, in
  /// which neighbours are adjacent.
  template <class Task, class Width>
  static TaskRange widest_first(LargeVector<Task>& tasks, const TaskRange& range, const Width& width) {
    const auto begin = tasks.begin() + range.begin;
    std::stable_sort(begin, begin + range.count,
                     [&](const Task& a, const Task& b) { return strip_count(width(a)) > strip_count(width(b)); });
    return range;
  }

  TaskRange widest_block_first(const TaskRange& range) {
    return widest_first(launches_.diagonal, range, [](const DiagonalTask& task) { return task.width; });
  }

  /// Sorts the deep tiles of each launch to the front, so that none of them runs alone at its end.
  void sort_products() {
    std::vector<TaskRange> ranges;
    for (const Level& level : launches_.levels) ranges.push_back(level.urgent);
    for (const ProductGroup& group : launches_.groups) ranges.push_back(group.tiles);
    team_.for_intervals(static_cast<std::int64_t>(ranges.size()), 4, [&](std::int64_t first, std::int64_t last) {
      for (auto r = static_cast<std::size_t>(first); r < static_cast<std::size_t>(last); ++r) {
        const auto begin = launches_.product.begin() + ranges[r].begin;
        std::stable_sort(begin, begin + ranges[r].count,
                         [](const ProductTask& a, const ProductTask& b) { return a.depth > b.depth; });
      }
    });
  }

  const SymbolicFactor& factor_;
  AdditionOrder order_;
  ThreadTeam& team_;
  LaunchPlan launches_;
  std::int32_t levels_ = 0;
  std::vector<TaskLists> lists_;
};

}  // namespace

std::int32_t LaunchPlan::last_level(const SymbolicFactor& factor, SupernodeId s) const {
  return first_level[s] + piece_count(factor.width(s)) - 1;
}

LaunchPlan build_launch_plan(const CudaPlan& plan, const SymbolicFactor& factor, ThreadTeam& team) {
  const CudaPlanOptions& options = plan.options;
  return build_launch_plan(plan, factor, options.streams,
                           options.schedule == CudaSchedule::streams ? LaunchScope::leaf_subtrees : LaunchScope::everything,
                           options.deterministic ? AdditionOrder::fixed : AdditionOrder::any, team);
}

LaunchPlan build_launch_plan(const CudaPlan& plan, const SymbolicFactor& factor, std::int32_t streams, LaunchScope scope,
                             AdditionOrder order, ThreadTeam& team) {
  return Builder(plan, factor, streams, scope, order, team).build();
}

double largest_task_flops(const LaunchPlan& launches, const SymbolicFactor& factor, std::size_t level) {
  const Level& entry = launches.levels[level];
  // A run is launched before the other work of its first level.
  const bool begins_run = launches.run.first_level == static_cast<std::int32_t>(level);
  const double before = begins_run ? path_flops(launches.run, factor) : 0.0;
  double max_flops = 0.0;
  const auto each = [&max_flops](const auto& tasks, const TaskRange& range, const auto& flops) {
    for (std::int64_t i = range.begin; i < range.begin + range.count; ++i)
      max_flops = std::max(max_flops, flops(tasks[static_cast<std::size_t>(i)]));
  };
  const auto whole = [&](const FrontTask& task) { return supernode_flops(factor, SupernodeId(task.panel)); };
  const auto block = [](const DiagonalTask& t) {
    return t.width / 3.0 * t.width * t.width + 2.0 * t.before * t.width * t.width;
  };
  const auto rows = [](const TrsmTask& t) { return double{tile_size} * t.width * t.width; };
  const auto tile = [](const ProductTask& t) { return 2.0 * tile_size * tile_size * t.depth; };
  each(launches.tiny, entry.tiny, whole);
  each(launches.small, entry.small, whole);
  each(launches.diagonal, entry.diagonal, block);
  each(launches.diagonal, entry.ahead, block);
  each(launches.scale, entry.scale, rows);
  each(launches.product, entry.urgent, tile);
  for (std::int32_t g = entry.first_group; g < launches.groups_end(level); ++g)
    each(launches.product, launches.groups[static_cast<std::size_t>(g)].tiles, tile);
  return before + max_flops;
}

}  // namespace gpusupernodal::cuda
