#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "solver/symbolic/forest.hpp"
#include "solver/symbolic/merged_panel.hpp"
#include "solver/symbolic/supernodes.hpp"

namespace gpusupernodal {
namespace {

/// The paths of larger forests are not shortened: their time is bound by work, and the search would take too long.
constexpr std::size_t max_supernodes = 12'000;
constexpr int max_rounds = 5;
/// Paths that are shorter than the longest one by at most this number of steps are shortened together with it.
constexpr std::array<std::int32_t, 3> slacks{0, 2, 5};
/// Maximum number of children that are merged into a parent together.
constexpr std::size_t max_children = 4;
/// Allowed growth of the stored values of a forest: the share `growth`; for small forests up to the share `growth_of_small`,
/// but at most `few_values` values (4 MiB of doubles).
constexpr double growth = 0.02;
constexpr double growth_of_small = 0.5;
constexpr double few_values = 524288.0;
/// For forests with more supernodes before merging, only one way of merging is tried.
constexpr std::size_t max_compared = 200'000;
/// The share of the total time that merging along paths must save if it makes solves longer.
constexpr double worth_steps = 0.02;

double stored_values(const SupernodeForest& forest) {
  double values = 0.0;
  for (SupernodeId s : forest.ids()) {
    values += static_cast<double>(forest.width(s)) * (forest.width(s) + forest.rows_below[s]);
  }
  return values;
}

/// The paths to shorten.
struct Path {
  StepRule rule;
  double seconds_per_step;
  std::int32_t slack;  ///< Paths at most this number of steps shorter than the longest one count as critical.
};

/// Merges children on the longest paths into their parents where the saved steps are worth more than the added zeros.
class Shortening {
 public:
  Shortening(const SupernodeForest& forest, const MergeCosts& costs, const Path& path)
      : forest_(forest),
        costs_(costs),
        rule_(path.rule),
        seconds_per_step_(path.seconds_per_step),
        times_(forest.parent.size()),
        clock_(times_, path.rule),
        children_(forest.parent),
        joined_(merge_none(forest)),
        width_(forest.parent.size(), 0) {
    find_critical(path.slack);
  }

  /// Returns nullopt if no merge pays off.
  std::optional<SupernodeGroups> run() {
    bool any = false;
    for (SupernodeId p : forest_.ids()) {
      width_[p] = forest_.width(p);
      list_children(p);
      clock_.select_parent(candidates_);
      if (ties_[p] > 0) any = take_best(p) || any;
      clock_.set(p, width_[p]);
    }
    if (!any) return std::nullopt;
    ThreadTeam one(1);
    return tops(joined_, ForestParts<SupernodeId>(forest_.parent, one));
  }

 private:
  /// Computes ties_: for a supernode on the longest paths, the number of those that end in the same step; 0 for others.
  void find_critical(std::int32_t slack) {
    StepTimes times(forest_.parent.size());
    StepClock clock(times, rule_);
    std::int32_t last = 0;
    for (SupernodeId s : forest_.ids()) {
      list_children(s);
      clock.select_parent(candidates_);
      clock.set(s, forest_.width(s));
      last = std::max(last, clock.end(s));
    }
    IdVector<SupernodeId, std::int32_t> after(forest_.parent.size(), 0);
    std::vector<std::int32_t> ending(static_cast<std::size_t>(last) + 1, 0);
    ties_.assign(forest_.parent.size(), 0);
    for (std::int64_t i = static_cast<std::int64_t>(forest_.parent.size()) - 1; i >= 0; --i) {
      const SupernodeId s(i);
      const SupernodeId p = forest_.parent[s];
      if (p.valid()) after[s] = after[p] + clock.steps(forest_.width(p));
      if (clock.end(s) + after[s] + slack >= last) {
        ties_[s] = 1;
        ++ending[static_cast<std::size_t>(clock.end(s))];
      }
    }
    for (SupernodeId s : forest_.ids()) {
      if (ties_[s] > 0) ties_[s] = ending[static_cast<std::size_t>(clock.end(s))];
    }
  }

  void list_children(SupernodeId p) {
    candidates_.clear();
    for (SupernodeId c = children_.first[p]; c.valid(); c = children_.next[c]) candidates_.push_back(c);
  }

  /// Additional seconds for `width` columns of a child whose rows grow from `before` to `front`.
  double price(std::int64_t width, std::int64_t before, std::int64_t front) const {
    const auto columns = static_cast<double>(width);
    const auto old_rows = static_cast<double>(before);
    const auto rows = static_cast<double>(front);
    return columns * (rows - old_rows) * costs_.seconds_per_value +
           columns * (rows * rows - old_rows * old_rows) * costs_.seconds_per_flop;
  }

  /// Merges those children that end last into p; how many is chosen for the largest gain. Returns whether any was merged.
  /// Precondition: clock_.select_parent() was called for p.
  bool take_best(SupernodeId p) {
    std::sort(candidates_.begin(), candidates_.end(), [&](SupernodeId a, SupernodeId b) {
      return clock_.end(a) != clock_.end(b) ? clock_.end(a) > clock_.end(b) : a < b;
    });
    const std::int32_t end = clock_.end_now(width_[p]);
    const std::int64_t rows = forest_.rows_below[p];
    const double step = seconds_per_step_ / ties_[p];
    std::size_t best = 0;
    double best_gain = 0.0;
    double paid = 0.0;
    std::int64_t width = width_[p];
    std::int32_t begin = 0;
    for (std::size_t i = 0; i < std::min(candidates_.size(), max_children); ++i) {
      const SupernodeId c = candidates_[i];
      if (!forest_.may_join(c, p)) break;
      paid += price(width_[c], forest_.rows_below[c], width + rows);
      width += width_[c];
      begin = std::max(begin, clock_.begin(c));
      const std::int32_t others = i + 1 < candidates_.size() ? clock_.end(candidates_[i + 1]) : 0;
      const auto saved = static_cast<double>(end - std::max(begin, others) - clock_.steps(width));
      if (saved * step - paid <= best_gain) continue;
      best_gain = saved * step - paid;
      best = i + 1;
    }
    for (std::size_t i = 0; i < best; ++i) {
      clock_.merge_child(candidates_[i]);
      joined_[candidates_[i]] = p;
      width_[p] += width_[candidates_[i]];
    }
    return best > 0;
  }

  const SupernodeForest& forest_;
  const MergeCosts& costs_;
  StepRule rule_;
  double seconds_per_step_;
  StepTimes times_;
  StepClock clock_;
  ChildLists<SupernodeId> children_;
  IdVector<SupernodeId, SupernodeId> joined_;
  IdVector<SupernodeId, std::int64_t> width_;
  IdVector<SupernodeId, std::int32_t> ties_;
  std::vector<SupernodeId> candidates_;
};

std::int32_t longest_path(const SupernodeForest& forest, const StepRule& rule) {
  IdVector<SupernodeId, std::int32_t> below(forest.parent.size(), 0);
  std::int32_t longest = 0;
  for (SupernodeId s : forest.ids()) {
    const std::int32_t end = below[s] + rule.steps(forest.width(s));
    longest = std::max(longest, end);
    const SupernodeId parent = forest.parent[s];
    if (parent.valid()) below[parent] = std::max(below[parent], end);
  }
  return longest;
}

/// Merges within the bounds of explicit zeros, with the cost of paths unless that makes solves longer for too little gain.
MergedForest merge_within_bounds(const SupernodeForest& forest, const CostModel& model, ThreadTeam& team) {
  const MergeCosts& costs = model.merge_costs();
  MergedForest along = collapse(forest, merge_bounded(forest, &costs, team), team);
  if (forest.parent.size() > max_compared) return along;
  MergedForest across = collapse(forest, merge_bounded(forest, nullptr, team), team);
  if (longest_path(along.forest, costs.solve) <= longest_path(across.forest, costs.solve)) return along;
  const double seconds_along = model.device_seconds(along.forest.fronts());
  return seconds_along < (1.0 - worth_steps) * model.device_seconds(across.forest.fronts()) ? along : across;
}

/// Shortens paths until it no longer pays off.
void shorten(MergedForest& best, const CostModel& model, bool allow_host) {
  const MergeCosts& costs = model.merge_costs();
  ThreadTeam one(1);
  double seconds = model.device_seconds(best.forest.fronts());
  if (allow_host && model.host_seconds(best.forest.fronts()) <= seconds) return;
  const double values = stored_values(best.forest);
  const double max_values = values + std::max(growth * values, std::min(growth_of_small * values, few_values));
  const auto try_path = [&](const Path& path) {
    const std::optional<SupernodeGroups> groups = Shortening(best.forest, costs, path).run();
    if (!groups) return false;
    MergedForest next = collapse(best.forest, *groups, one);
    if (stored_values(next.forest) > max_values) return false;
    const double taken = model.device_seconds(next.forest.fronts());
    if (taken >= seconds) return false;
    seconds = taken;
    for (SupernodeId& s : best.merged_of) s = next.merged_of[s];
    best.forest = std::move(next.forest);
    return true;
  };
  const auto try_all = [&](const StepRule& rule, double seconds_per_step) {
    return std::any_of(slacks.begin(), slacks.end(), [&](std::int32_t slack) {
      return try_path({rule, seconds_per_step, slack});
    });
  };
  for (int round = 0; round < max_rounds && try_all(costs.factor, costs.seconds_per_level);) ++round;
  for (int round = 0; round < max_rounds && try_all(costs.solve, costs.seconds_per_solve_step);) ++round;
}

}  // namespace

GroupedSupernodes merge_along_paths(const SupernodeForest& forest, const CostModel& model, bool allow_host,
                                    ThreadTeam& team) {
  MergedForest merged = merge_within_bounds(forest, model, team);
  if (!merged.forest.parent.empty() && merged.forest.parent.size() <= max_supernodes) shorten(merged, model, allow_host);
  return group_supernodes(forest, merged, team);
}

GroupedSupernodes merge_along_paths(const SupernodeForest& forest, const CostModel& model, bool allow_host) {
  ThreadTeam one(1);
  return merge_along_paths(forest, model, allow_host, one);
}

}  // namespace gpusupernodal
