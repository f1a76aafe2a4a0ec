#include "solver/factor/leaf_subtrees.hpp"

#include <algorithm>

#include "solver/factor/task_flops.hpp"

namespace gpusupernodal {
namespace {

struct SubtreeSize {
  double flops = 0.0;
  std::int32_t widest = 0;
};

IdVector<SupernodeId, SubtreeSize> subtree_sizes(const SymbolicFactor& factor) {
  IdVector<SupernodeId, SubtreeSize> sizes(static_cast<std::size_t>(factor.supernodes()));
  for (SupernodeId s : factor.supernode_ids()) {
    sizes[s].flops += supernode_flops(factor, s);
    sizes[s].widest = std::max(sizes[s].widest, factor.width(s));
    const SupernodeId parent = factor.parent[s];
    if (!parent.valid()) continue;
    sizes[parent].flops += sizes[s].flops;
    sizes[parent].widest = std::max(sizes[parent].widest, sizes[s].widest);
  }
  return sizes;
}

}  // namespace

void cut_leaf_subtrees(const SymbolicFactor& factor, const ScheduleOptions& options, Schedule& schedule) {
  const auto sizes = subtree_sizes(factor);
  const auto fits = [&](SupernodeId s) {
    return factor.subtree_first[s].valid() && sizes[s].flops <= options.max_subtree_flops &&
           sizes[s].widest <= options.max_subtree_width;
  };
  schedule.subtree_of.assign(static_cast<std::size_t>(factor.supernodes()), SubtreeId());
  for (SupernodeId s : factor.supernode_ids()) {
    const SupernodeId parent = factor.parent[s];
    if (!fits(s) || (parent.valid() && fits(parent))) continue;
    const SupernodeId first = factor.subtree_first[s];
    auto& subtrees = schedule.subtrees;
    const bool joins = !subtrees.empty() && subtrees.back().last + 1 == first &&
                       subtrees.back().flops + sizes[s].flops <= options.max_subtree_flops;
    if (joins) {
      subtrees.back().last = s;
      subtrees.back().flops += sizes[s].flops;
    } else {
      subtrees.push_back({first, s, sizes[s].flops});
    }
    const SubtreeId id(static_cast<std::int64_t>(subtrees.size()) - 1);
    for (SupernodeId member : IdRange<SupernodeId>(first, s + 1)) schedule.subtree_of[member] = id;
  }
}

}  // namespace gpusupernodal
