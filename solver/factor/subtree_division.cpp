#include "solver/factor/subtree_division.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <queue>
#include <set>

#include "solver/factor/panel_layout.hpp"
#include "solver/factor/part_limits.hpp"
#include "solver/factor/task_flops.hpp"
#include "solver/model/host_work.hpp"

namespace gpusupernodal {
namespace {

/// Divisions whose estimated time exceeds the least possible one by this factor are good enough.
constexpr double good_enough = 1.02;
/// A subtree with a smaller share of one part's work is not worth a split.
constexpr double smallest_share = 1.0 / 512;
/// Between two divisions that are priced, the number of splits grows by this share, or by one.
constexpr double splits_between = 0.15;

/// Sums over the supernodes of each subtree.
template <class T>
IdVector<SupernodeId, T> subtree_sums(const SymbolicFactor& factor, const IdVector<SupernodeId, T>& each) {
  IdVector<SupernodeId, T> sums = each;
  for (SupernodeId s : factor.supernode_ids()) {
    if (factor.parent[s].valid()) sums[factor.parent[s]] += sums[s];
  }
  return sums;
}

class Divider {
 public:
  Divider(const SymbolicFactor& factor, const SupernodePrices& prices, const PartMapOptions& options,
          const DivisionPrice& price)
      : factor_(factor),
        prices_(prices),
        options_(options),
        price_(price),
        seconds_(subtree_sums(factor, prices.seconds)),
        values_(subtree_sums(factor, prices.values)),
        top_path_(static_cast<std::size_t>(factor.supernodes()), 0.0),
        heaviest_(Lighter{&seconds_}) {
    list_children();
    for (int p = 0; p < options.parts; ++p) speed_ += speed_of(options, PartId(p));
    for (SupernodeId s : factor.supernode_ids()) {
      if (factor.parent[s].valid()) continue;
      total_seconds_ += seconds_[s];
      total_values_ += values_[s];
      added_.push_back({s, 0.0});
    }
    add_roots();
  }

  std::optional<SubtreeDivision> divide() {
    look();
    double next_look = 1.0;
    double splits = 0.0;
    while (!done()) {
      split();
      if (++splits < next_look) continue;
      look();
      next_look = std::max(splits + 1.0, splits * (1.0 + splits_between));
    }
    if (split_since_look_) look();
    return std::move(best_);
  }

 private:
  struct Lighter {
    const IdVector<SupernodeId, double>* seconds;
    bool operator()(SupernodeId a, SupernodeId b) const {
      return (*seconds)[a] < (*seconds)[b] || ((*seconds)[a] == (*seconds)[b] && a < b);
    }
  };

  void list_children() {
    children_offset_.assign(static_cast<std::size_t>(factor_.supernodes()) + 1, 0);
    for (SupernodeId s : factor_.supernode_ids()) {
      if (factor_.parent[s].valid()) ++children_offset_[factor_.parent[s] + 1];
    }
    for (SupernodeId s : factor_.supernode_ids()) children_offset_[s + 1] += children_offset_[s];
    children_.resize(static_cast<std::size_t>(children_offset_.back()));
    auto next = children_offset_;
    for (SupernodeId s : factor_.supernode_ids()) {
      if (factor_.parent[s].valid()) children_[static_cast<std::size_t>(next[factor_.parent[s]]++)] = s;
    }
  }

  /// Makes a subtree of each supernode in `added_`, below a path of the top that takes `path` seconds. Supernodes whose
  /// subtrees are not intervals join the top.
  void add_roots() {
    while (!added_.empty()) {
      const auto [s, path] = added_.back();
      added_.pop_back();
      if (!factor_.subtree_first[s].valid()) {
        move_to_top(s, path);
        continue;
      }
      roots_.insert(s);
      heaviest_.push(s);
      top_path_[s] = path;
    }
  }

  void move_to_top(SupernodeId s, double path) {
    top_seconds_ += prices_.seconds[s];
    const double own = path + prices_.path_seconds[s];
    longest_ = std::max(longest_, own);
    for (std::int64_t c = children_offset_[s]; c < children_offset_[s + 1]; ++c)
      added_.push_back({children_[static_cast<std::size_t>(c)], own});
  }

  void split() {
    const SupernodeId s = heaviest_.top();
    heaviest_.pop();
    split_since_look_ = true;
    roots_.erase(s);
    move_to_top(s, top_path_[s]);
    add_roots();
  }

  double top_bound() const { return std::max(top_seconds_ / speed_, longest_); }

  bool done() const {
    if (heaviest_.empty()) return true;
    if (!best_) return false;
    const double one_share = total_seconds_ / speed_;
    return best_seconds_ <= good_enough * one_share || top_bound() >= best_seconds_ ||
           seconds_[heaviest_.top()] <= smallest_share * one_share;
  }

  /// Assigns the subtrees to parts, and keeps the division if it is the best so far.
  void look() {
    split_since_look_ = false;
    SubtreeDivision division = divided(seconds_, [&](PartId p) { return speed_of(options_, p); });
    if (!fits(division)) {
      division = divided(
          values_, [&](PartId p) { return static_cast<double>(options_.memory_limits[static_cast<std::size_t>(p.value)]); });
      if (!fits(division)) return;
    }
    const double seconds = price_(division);
    if (!std::isfinite(seconds) || (best_ && seconds >= best_seconds_)) return;
    best_ = std::move(division);
    best_seconds_ = seconds;
  }

  /// Gives each part an interval of subtrees whose costs are in proportion to its weight: those whose middles lie in it.
  template <class Cost, class Weight>
  SubtreeDivision divided(const IdVector<SupernodeId, Cost>& cost, const Weight& weight) const {
    SubtreeDivision division;
    division.roots.reserve(roots_.size());
    double below = 0.0;
    double weights = 0.0;
    for (const SupernodeId s : roots_) below += static_cast<double>(cost[s]);
    for (int p = 0; p < options_.parts; ++p) weights += weight(PartId(p));
    const auto share = [&](int p) { return weights > 0.0 ? below * weight(PartId(p)) / weights : 0.0; };
    double before = 0.0;
    int part = 0;
    double border = share(0);
    for (const SupernodeId s : roots_) {
      while (part + 1 < options_.parts && before + static_cast<double>(cost[s]) / 2 > border) border += share(++part);
      division.roots.push_back({s, PartId(part)});
      before += static_cast<double>(cost[s]);
    }
    return division;
  }

  /// Whether the limits of memory leave enough for the subtrees and, in all, for the top.
  bool fits(const SubtreeDivision& division) const {
    if (options_.memory_limits.empty()) return true;
    IdVector<PartId, std::int64_t> held(static_cast<std::size_t>(options_.parts), 0);
    std::int64_t top = total_values_;
    for (const SubtreeDivision::Root& root : division.roots) {
      held[root.part] += values_[root.supernode];
      top -= values_[root.supernode];
    }
    std::int64_t free = 0;
    for (PartId p : held.ids()) {
      if (!may_hold(options_, p, held[p])) return false;
      const std::int64_t left = options_.memory_limits[static_cast<std::size_t>(p.value)] - bytes_of(options_, held[p]);
      free = saturating_sum(free, left / bytes_of(options_.scalar));
    }
    return top <= free;
  }

  const SymbolicFactor& factor_;
  const SupernodePrices& prices_;
  const PartMapOptions& options_;
  const DivisionPrice& price_;
  IdVector<SupernodeId, double> seconds_;       ///< Time of each subtree.
  IdVector<SupernodeId, std::int64_t> values_;  ///< Values of each subtree.
  IdVector<SupernodeId, double> top_path_;      ///< For roots: seconds of the path of the top above.
  IdVector<SupernodeId, std::int64_t> children_offset_;
  std::vector<SupernodeId> children_;
  struct Added {
    SupernodeId supernode;
    double path;
  };
  std::vector<Added> added_;
  std::set<SupernodeId> roots_;
  std::priority_queue<SupernodeId, std::vector<SupernodeId>, Lighter> heaviest_;
  double speed_ = 0.0;
  double total_seconds_ = 0.0;
  double top_seconds_ = 0.0;
  double longest_ = 0.0;  ///< Longest path of the top.
  std::int64_t total_values_ = 0;
  std::optional<SubtreeDivision> best_;
  double best_seconds_ = 0.0;
  bool split_since_look_ = false;
};

}  // namespace

SupernodePrices::SupernodePrices(const SymbolicFactor& factor, const PartMapOptions& options)
    : flops(static_cast<std::size_t>(factor.supernodes())),
      seconds(flops.size()),
      path_seconds(flops.size()),
      values(flops.size()) {
  for (SupernodeId s : factor.supernode_ids()) {
    CostFeatures work;
    work.flops = supernode_flops(factor, s);
    values[s] = end_of_panel(0, factor.front(s), factor.width(s));
    work.values = static_cast<double>(values[s]);
    work.supernodes = 1.0;
    work.updates = factor.parent[s].valid() ? 1.0 : 0.0;
    flops[s] = work.flops;
    seconds[s] = host_work_seconds(work, options.figures, options.scalar);
    // The path through a supernode: each block column is factorized and then updates the next one.
    work.flops = 0.0;
    for_each_panel_block(0, factor.width(s), [&](std::int32_t first, std::int32_t end) {
      const double width = end - first;
      const double below = factor.front(s) - end;
      const double next = std::min(width, below);
      work.flops +=
          potrf_flops(width) + trsm_flops(below, width) + syrk_flops(next, width) + gemm_flops(below - next, next, width);
    });
    path_seconds[s] = std::min(seconds[s], host_work_seconds(work, options.figures, options.scalar));
  }
}

std::optional<SubtreeDivision> divide_into_subtrees(const SymbolicFactor& factor, const SupernodePrices& prices,
                                                    const PartMapOptions& options, const DivisionPrice& price) {
  return Divider(factor, prices, options, price).divide();
}

}  // namespace gpusupernodal
