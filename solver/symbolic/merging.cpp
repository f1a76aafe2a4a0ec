#include <algorithm>
#include <optional>
#include <vector>

#include "solver/symbolic/forest.hpp"
#include "solver/symbolic/merged_panel.hpp"
#include "solver/symbolic/supernodes.hpp"

namespace gpusupernodal {

namespace {

/// Whether merging child c, whose panel is `child`, would delay the parent or cost more than it saves.
bool is_worse(const MergeCosts& costs, const StepClock& clock, SupernodeId c, const MergedPanel& child,
              const MergedPanel& parent) {
  const std::int32_t saved = clock.end_now(parent.width) - clock.end_with(c, child.width + parent.width);
  if (saved != 0) return saved < 0;
  const double unused = static_cast<double>(child.width) * static_cast<double>(parent.width);
  return unused * costs.seconds_per_value > costs.seconds_per_solve_step;
}

/// merge_bounded for parts of the forest.
class Bounded {
 public:
  Bounded(const SupernodeForest& forest, const MergeCosts* costs)
      : forest_(forest),
        costs_(costs),
        children_(forest.parent),
        panels_(forest.parent.size()),
        times_(costs != nullptr ? forest.parent.size() : 0),
        joined_(merge_none(forest)) {}

  /// Merges children into these parents. Precondition: join() has handled all supernodes below them.
  void join(const IdRange<SupernodeId>& parents) {
    std::optional<StepClock> clock;
    if (costs_ != nullptr) clock.emplace(times_, costs_->factor);
    std::vector<SupernodeId> candidates;
    constexpr std::size_t max_often_enough = 32;
    candidates.reserve(max_often_enough);
    for (SupernodeId p : parents) {
      panels_[p] = {forest_.width(p), forest_.rows_below[p], 0};
      candidates.clear();
      for (SupernodeId c = children_.first[p]; c.valid(); c = children_.next[c]) candidates.push_back(c);
      if (clock) clock->select_parent(candidates);
      if (!forest_.group.empty()) std::erase_if(candidates, [&](SupernodeId c) { return !forest_.may_join(c, p); });
      if (candidates.size() > 1) {
        std::sort(candidates.begin(), candidates.end(), [&](SupernodeId a, SupernodeId b) {
          if (panels_[a].rows_below != panels_[b].rows_below) return panels_[a].rows_below > panels_[b].rows_below;
          return panels_[a].width != panels_[b].width ? panels_[a].width < panels_[b].width : a < b;
        });
      }
      for (SupernodeId c : candidates) merge_child(c, p, clock);
      if (clock) clock->set(p, panels_[p].width);
    }
  }

  const IdVector<SupernodeId, SupernodeId>& joined() const { return joined_; }

 private:
  void merge_child(SupernodeId c, SupernodeId p, std::optional<StepClock>& clock) {
    const MergedPanel together = merged(panels_[c], panels_[p]);
    if (!within_bound(together)) return;
    if (clock && is_worse(*costs_, *clock, c, panels_[c], panels_[p])) return;
    if (clock) clock->merge_child(c);
    panels_[p] = together;
    joined_[c] = p;
  }

  const SupernodeForest& forest_;
  const MergeCosts* costs_;
  ChildLists<SupernodeId> children_;
  IdVector<SupernodeId, MergedPanel> panels_;
  StepTimes times_;
  IdVector<SupernodeId, SupernodeId> joined_;
};

}  // namespace

SupernodeGroups merge_none(const SupernodeForest& forest) {
  SupernodeGroups groups(forest.parent.size());
  for (SupernodeId s : forest.ids()) groups[s] = s;
  return groups;
}

SupernodeGroups merge_narrow(const SupernodeForest& forest, std::int32_t width) {
  const IdVector<SupernodeId, SupernodeId> adjacent = adjacent_children(forest.parent, forest.rows_below);
  IdVector<SupernodeId, SupernodeId> joined = merge_none(forest);
  IdVector<SupernodeId, std::int32_t> merged_width(forest.parent.size(), 0);
  for (SupernodeId p : forest.ids()) {
    merged_width[p] = forest.width(p);
    const SupernodeId child = adjacent[p];
    if (!child.valid() || !forest.may_join(child, p) || merged_width[child] >= width || merged_width[p] >= width) continue;
    joined[child] = p;
    merged_width[p] += merged_width[child];
  }
  ThreadTeam one(1);
  return tops(joined, ForestParts<SupernodeId>(forest.parent, one));
}

SupernodeGroups merge_bounded(const SupernodeForest& forest, const MergeCosts* costs, ThreadTeam& team) {
  const ForestParts<SupernodeId> parts(forest.parent, team);
  Bounded bounded(forest, costs);
  parts.upwards([&](const IdRange<SupernodeId>& supernodes) { bounded.join(supernodes); });
  return tops(bounded.joined(), parts);
}

SupernodeGroups merge_bounded(const SupernodeForest& forest, const MergeCosts* costs) {
  ThreadTeam one(1);
  return merge_bounded(forest, costs, one);
}

}  // namespace gpusupernodal
