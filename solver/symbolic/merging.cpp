#include <algorithm>
#include <optional>
#include <vector>

#include "solver/symbolic/forest.hpp"
#include "solver/symbolic/merged_panel.hpp"
#include "solver/symbolic/supernodes.hpp"

namespace gpusupernodal {

namespace {

/// Whether a parent is better off without child c, whose panel is `child`.
bool is_worse(const PathCost& cost, const StepClock& clock, SupernodeId c, const MergedPanel& child,
              const MergedPanel& parent) {
  const std::int32_t saved = clock.end_now(parent.width) - clock.end_with(c, child.width + parent.width);
  if (saved != 0) return saved < 0;
  const double unused = static_cast<double>(child.width) * static_cast<double>(parent.width);
  return unused * cost.seconds_per_value > cost.seconds_per_solve_step;
}

}  // namespace

SupernodeGroups merge_none(const SupernodeForest& forest) {
  SupernodeGroups groups(forest.parent.size());
  for (SupernodeId s : forest.ids()) groups[s] = s;
  return groups;
}

SupernodeGroups merge_narrow(const SupernodeForest& forest, std::int32_t width) {
  const IdVector<SupernodeId, SupernodeId> adjacent = adjacent_children(forest.parent, forest.rows_below);
  IdVector<SupernodeId, SupernodeId> joined = merge_none(forest);
  IdVector<SupernodeId, std::int32_t> taken_in(forest.parent.size(), 0);
  for (SupernodeId p : forest.ids()) {
    taken_in[p] = forest.width(p);
    const SupernodeId child = adjacent[p];
    if (!child.valid() || !forest.may_join(child, p) || taken_in[child] >= width || taken_in[p] >= width) continue;
    joined[child] = p;
    taken_in[p] += taken_in[child];
  }
  return tops(joined);
}

SupernodeGroups merge_bounded(const SupernodeForest& forest, const PathCost* cost) {
  const ChildLists<SupernodeId> children(forest.parent);
  IdVector<SupernodeId, SupernodeId> joined = merge_none(forest);
  IdVector<SupernodeId, MergedPanel> panels(forest.parent.size());
  std::optional<StepClock> clock;
  if (cost != nullptr) clock.emplace(forest.parent.size(), cost->factor);
  std::vector<SupernodeId> candidates;
  for (SupernodeId p : forest.ids()) {
    MergedPanel& panel = panels[p];
    panel = {forest.width(p), forest.rows_below[p], 0};
    candidates.clear();
    for (SupernodeId c = children.first[p]; c.valid(); c = children.next[c]) candidates.push_back(c);
    if (clock) clock->look_at(candidates);
    std::erase_if(candidates, [&](SupernodeId c) { return !forest.may_join(c, p); });
    std::sort(candidates.begin(), candidates.end(), [&](SupernodeId a, SupernodeId b) {
      if (panels[a].rows_below != panels[b].rows_below) return panels[a].rows_below > panels[b].rows_below;
      return panels[a].width != panels[b].width ? panels[a].width < panels[b].width : a < b;
    });
    for (SupernodeId c : candidates) {
      const MergedPanel together = merged(panels[c], panel);
      if (!within_bound(together)) continue;
      if (clock && is_worse(*cost, *clock, c, panels[c], panel)) continue;
      if (clock) clock->take_in(c);
      panel = together;
      joined[c] = p;
    }
    if (clock) clock->set(p, panel.width);
  }
  return tops(joined);
}

}  // namespace gpusupernodal
