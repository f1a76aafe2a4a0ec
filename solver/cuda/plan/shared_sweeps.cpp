#include "solver/cuda/plan/shared_sweeps.hpp"

#include <vector>

namespace gpusupernodal {
namespace {

/// Appends the tasks for which keep(task) holds, in their order; change(task) adapts each.
template <class Keep, class Change>
void append(const CudaSolveSweep& from, const Keep& keep, const Change& change, CudaSolveSweep& to) {
  to.counters = from.counters;
  to.longest_path = from.longest_path;
  const auto add = [&](LargeVector<CudaSolveTask>& list, const CudaSolveTask& task) {
    list.push_back(task);
    change(list.back());
  };
  for (const CudaSolveTask& task : from.tasks) {
    if (!cuda::is_group(task.kind)) {
      if (keep(task)) add(to.tasks, task);
      continue;
    }
    const cuda::SolveGroup all = group_of(task);
    cuda::SolveGroup kept{static_cast<std::int32_t>(to.warp_tasks.size()), 0};
    for (std::int32_t i = all.first; i < all.first + all.count; ++i) {
      const CudaSolveTask& member = from.warp_tasks[static_cast<std::size_t>(i)];
      if (keep(member)) add(to.warp_tasks, member);
    }
    kept.count = static_cast<std::int32_t>(to.warp_tasks.size()) - kept.first;
    if (kept.count == 0) continue;
    to.tasks.push_back(task);
    set_group(to.tasks.back(), kept);
  }
}

constexpr auto as_it_is = [](CudaSolveTask&) {};

/// Calls visit(task) for the tasks of both lists that are not groups.
template <class Visit>
void for_each_task(const CudaSolveSweep& sweep, const Visit& visit) {
  for (const CudaSolveTask& task : sweep.tasks) {
    if (!cuda::is_group(task.kind)) visit(task);
  }
  for (const CudaSolveTask& task : sweep.warp_tasks) visit(task);
}

bool is_of_top(const DeviceMap& map, const CudaSolveTask& task) { return map.in_top(SupernodeId(task.supernode)); }

bool is_of_part(const DeviceMap& map, PartId part, const CudaSolveTask& task) {
  return map.parts.part_of[SupernodeId(task.supernode)] == part;
}

}  // namespace

void copy_vector_lists(const CudaSolvePlan& whole, CudaSolvePlan& own) {
  own.gather = whole.gather;
  own.partials = whole.partials;
  own.one_rhs_sums = whole.one_rhs_sums;
  own.one_rhs_partials = whole.one_rhs_partials;
}

std::vector<std::int64_t> divide_tasks(const CudaSolveSweep& from, std::size_t groups,
                                       const std::function<std::size_t(SupernodeId)>& group_of, CudaSolveSweep& to) {
  to.counters = from.counters;
  to.longest_path = from.longest_path;
  std::vector<CudaSolveSweep> lists(groups);
  const auto list_of = [&](const CudaSolveTask& task) -> CudaSolveSweep& {
    return lists[group_of(SupernodeId(task.supernode))];
  };
  for (const CudaSolveTask& task : from.tasks) {
    if (!cuda::is_group(task.kind)) {
      list_of(task).tasks.push_back(task);
      continue;
    }
    // The members of one CTA's task that belong to one group stay together.
    const cuda::SolveGroup all = gpusupernodal::group_of(task);
    for (std::int32_t i = all.first; i < all.first + all.count; ++i) {
      const CudaSolveTask& member = from.warp_tasks[static_cast<std::size_t>(i)];
      CudaSolveSweep& list = list_of(member);
      const bool is_same = i > all.first && &list == &list_of(from.warp_tasks[static_cast<std::size_t>(i - 1)]);
      const auto at = static_cast<std::int32_t>(list.warp_tasks.size());
      list.warp_tasks.push_back(member);
      if (!is_same) list.tasks.push_back(task);
      const cuda::SolveGroup before = is_same ? gpusupernodal::group_of(list.tasks.back()) : cuda::SolveGroup{at, 0};
      set_group(list.tasks.back(), {before.first, before.count + 1});
    }
  }
  std::vector<std::int64_t> begins(1, 0);
  for (const CudaSolveSweep& list : lists) {
    const auto shift = static_cast<std::int32_t>(to.warp_tasks.size());
    for (CudaSolveTask task : list.tasks) {
      if (cuda::is_group(task.kind)) {
        const cuda::SolveGroup group = gpusupernodal::group_of(task);
        set_group(task, {group.first + shift, group.count});
      }
      to.tasks.push_back(task);
    }
    to.warp_tasks.insert(to.warp_tasks.end(), list.warp_tasks.begin(), list.warp_tasks.end());
    begins.push_back(static_cast<std::int64_t>(to.tasks.size()));
  }
  return begins;
}

SharedSweep share_forward(const CudaSolveSweep& sweep, const DeviceMap& map, PartId part) {
  const auto counters = static_cast<std::size_t>(sweep.counters);
  std::vector<std::int32_t> from_subtrees(counters, 0);  // Tasks of subtrees that count here.
  std::vector<bool> top_waits(counters, false);
  for_each_task(sweep, [&](const CudaSolveTask& task) {
    const bool top = is_of_top(map, task);
    if (top && task.wait >= 0) top_waits[static_cast<std::size_t>(task.wait)] = true;
    if (!top && task.arrive >= 0) ++from_subtrees[static_cast<std::size_t>(task.arrive)];
  });
  SharedSweep shared;
  append(
      sweep, [&](const CudaSolveTask& task) { return is_of_part(map, part, task); },
      [&](CudaSolveTask& task) {
        if (task.arrive >= 0 && top_waits[static_cast<std::size_t>(task.arrive)]) task.arrive = no_counter;
      },
      shared.subtrees);
  append(
      sweep, [&](const CudaSolveTask& task) { return is_of_top(map, task); },
      [&](CudaSolveTask& task) {
        if (task.wait < 0) return;
        task.need -= from_subtrees[static_cast<std::size_t>(task.wait)];
        if (task.need == 0) task.wait = no_counter;
      },
      shared.top);
  return shared;
}

SharedSweep share_backward(const CudaSolveSweep& sweep, const DeviceMap& map, PartId part) {
  SharedSweep shared;
  append(
      sweep, [&](const CudaSolveTask& task) { return is_of_part(map, part, task); }, as_it_is, shared.subtrees);
  append(
      sweep, [&](const CudaSolveTask& task) { return is_of_top(map, task); }, as_it_is, shared.top);
  return shared;
}

}  // namespace gpusupernodal
