#include "solver/factor/chains.hpp"

#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "solver/factor/task_flops.hpp"

namespace gpusupernodal {
namespace {

// Overhead of a supernode and of an update, as the flops that take equally long at the rate of small blocks: about 60 and
// 20 ns.
constexpr double supernode_overhead_flops = 300.0;
constexpr double update_overhead_flops = 100.0;

class ChainCutter {
 public:
  ChainCutter(const SymbolicFactor& factor, const UpdateList& updates, const ScheduleOptions& options,
              SupernodeId unfactored)
      : factor_(factor),
        updates_(updates),
        options_(options),
        unfactored_(unfactored),
        children_(static_cast<std::size_t>(factor.supernodes()), 0) {
    for (SupernodeId s : factor.supernode_ids()) {
      if (factor.parent[s].valid()) ++children_[factor.parent[s]];
    }
  }

  IdVector<SubtreeId, LeafSubtree> cut(const Schedule& schedule) {
    for (SupernodeId s(0); s.value < factor_.supernodes();) {
      if (schedule.in_subtree(s)) {
        const LeafSubtree& subtree = schedule.subtrees[schedule.subtree_of[s]];
        visit(subtree);
        s = subtree.last + 1;
      } else {
        visit(s);
        ++s;
      }
    }
    close();
    return std::move(result_);
  }

 private:
  static double work_of(const LeafSubtree& subtree) {
    return subtree.flops + supernode_overhead_flops * (subtree.last - subtree.first + 1);
  }

  /// The work of factorizing s and of all updates into s, which a chain performs itself.
  double work_of(SupernodeId s) const {
    const double width = factor_.width(s);
    double work = supernode_overhead_flops + potrf_flops(width) + trsm_flops(factor_.rows_below(s), width);
    for (UpdateId u : updates_.into(s)) work += update_overhead_flops + update_flops(factor_, updates_.updates[u]);
    return work;
  }

  void visit(const LeafSubtree& subtree) {
    const double work = work_of(subtree);
    if (work > options_.hand_over_flops) {
      close();
      result_.push_back(subtree);
      return;
    }
    if (tiny_) close();
    tiny_ = subtree;
  }

  void visit(SupernodeId s) {
    if (s == unfactored_) return close();
    const double work = work_of(s);
    if (work > options_.max_chained_flops) return close();
    if (!continues_with(s, work)) close_chain();
    if (!chain_) {
      chain_ = LeafSubtree{tiny_ ? tiny_->first : s, s, 0.0, true};
      work_ = 0.0;
    }
    if (tiny_) {
      chain_->flops += tiny_->flops;
      work_ += work_of(*tiny_);
      tiny_.reset();
    }
    chain_->flops += supernode_flops(factor_, s);
    chain_->last = s;
    work_ += work;
  }

  /// Whether s may be the next supernode of the chain.
  bool continues_with(SupernodeId s, double work) const {
    if (!chain_ || factor_.parent[chain_->last] != s) return false;
    if (work_ + work > options_.max_subtree_flops) return false;
    return work_ <= options_.hand_over_flops || children_[s] == 1 + children_in_tiny(s);
  }

  std::int32_t children_in_tiny(SupernodeId s) const {
    std::int32_t inside = 0;
    if (!tiny_) return inside;
    for (SupernodeId c : IdRange<SupernodeId>(tiny_->first, tiny_->last + 1)) inside += factor_.parent[c] == s ? 1 : 0;
    return inside;
  }

  void close_chain() {
    if (chain_) result_.push_back(*chain_);
    chain_.reset();
  }

  void close() {
    close_chain();
    if (tiny_) result_.push_back(*tiny_);
    tiny_.reset();
  }

  const SymbolicFactor& factor_;
  const UpdateList& updates_;
  const ScheduleOptions& options_;
  SupernodeId unfactored_;
  IdVector<SupernodeId, std::int32_t> children_;
  IdVector<SubtreeId, LeafSubtree> result_;
  std::optional<LeafSubtree> chain_;  ///< The chain under construction.
  double work_ = 0.0;                 ///< Work of that chain.
  std::optional<LeafSubtree> tiny_;   ///< A tiny leaf subtree after it, which the next supernode may add to the chain.
};

}  // namespace

void join_chains(const SymbolicFactor& factor, const UpdateList& updates, const ScheduleOptions& options, Schedule& schedule,
                 SupernodeId unfactored) {
  const auto below = [](std::int64_t sum, const LeafSubtree& subtree) { return sum + (subtree.last - subtree.first + 1); };
  const std::int64_t supernodes =
      std::accumulate(schedule.subtrees.begin(), schedule.subtrees.end(), std::int64_t{0}, below);
  if (options.max_chained_flops <= 0.0 || supernodes == factor.supernodes()) return;
  schedule.subtrees = ChainCutter(factor, updates, options, unfactored).cut(schedule);
  for (SubtreeId t : schedule.subtrees.ids()) {
    const LeafSubtree& subtree = schedule.subtrees[t];
    schedule.chains += subtree.is_chain ? 1 : 0;
    for (SupernodeId s : IdRange<SupernodeId>(subtree.first, subtree.last + 1)) schedule.subtree_of[s] = t;
  }
}

}  // namespace gpusupernodal
