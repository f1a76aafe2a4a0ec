#include "solver/host/plan/part_structure.hpp"

#include "solver/factor/part_boundary.hpp"

namespace gpusupernodal {
namespace {

/// Appends a supernode of `width` columns to a factor.
void add_supernode(SymbolicFactor& factor, std::int32_t width) {
  const SupernodeId s(factor.supernodes());
  if (factor.first_column.empty()) {
    factor.first_column.push_back(NewIndex(0));
    factor.row_offset.push_back(0);
  }
  factor.first_column.push_back(factor.first_column.back() + width);
  factor.parent.push_back(SupernodeId());
  for (std::int32_t c = 0; c < width; ++c) factor.supernode_of.push_back(s);
}

void end_supernode(SymbolicFactor& factor) { factor.row_offset.push_back(static_cast<std::int64_t>(factor.rows.size())); }

void make_empty(SymbolicFactor& factor) {
  if (!factor.first_column.empty()) return;
  factor.first_column.push_back(NewIndex(0));
  factor.row_offset.push_back(0);
}

/// Sets parents and first supernodes of subtrees from the rows.
void link(SymbolicFactor& factor) {
  factor.subtree_first.assign(factor.parent.size(), SupernodeId());
  IdVector<SupernodeId, std::int32_t> size(factor.parent.size(), 1);
  IdVector<SupernodeId, SupernodeId> lowest(factor.parent.size());
  for (SupernodeId s : factor.supernode_ids()) {
    if (!lowest[s].valid()) lowest[s] = s;
    if (s - lowest[s] + 1 == size[s]) factor.subtree_first[s] = lowest[s];
    const auto rows = factor.rows_of(s);
    if (rows.empty()) continue;
    const SupernodeId parent = factor.supernode_of[rows.front()];
    factor.parent[s] = parent;
    size[parent] += size[s];
    if (!lowest[parent].valid() || lowest[s] < lowest[parent]) lowest[parent] = lowest[s];
  }
}

}  // namespace

TopStructure build_top_structure(const SymbolicFactor& factor, const PartMap& map) {
  TopStructure top;
  top.supernode.assign(static_cast<std::size_t>(factor.supernodes()), SupernodeId());
  top.index.assign(static_cast<std::size_t>(factor.order()), TopIndex());
  for (SupernodeId s : factor.supernode_ids()) {
    if (!map.in_top(s)) continue;
    top.supernode[s] = SupernodeId(top.symbolic.supernodes());
    for (NewIndex c : IdRange<NewIndex>(factor.first_column[s], factor.first_column[s + 1])) {
      top.index[c] = TopIndex(static_cast<std::int64_t>(top.column.size()));
      top.column.push_back(c);
    }
    add_supernode(top.symbolic, factor.width(s));
    end_supernode(top.symbolic);
  }
  make_empty(top.symbolic);
  for (SupernodeId s : factor.supernode_ids()) {
    if (!map.in_top(s)) continue;
    for (NewIndex row : factor.rows_of(s)) top.symbolic.rows.push_back(NewIndex(top.index[row].value));
    top.symbolic.row_offset[top.supernode[s] + 1] = static_cast<std::int64_t>(top.symbolic.rows.size());
  }
  link(top.symbolic);
  IdVector<NewIndex, OldIndex> order;
  order.reserve(top.column.size());
  for (NewIndex c : top.column) order.push_back(factor.permutation.old_of_new[c]);
  top.symbolic.permutation.old_of_new = std::move(order);
  for (const auto& boundary : boundaries_of(factor, map.subtrees, map.parts())) {
    auto& rows = top.boundaries.emplace_back();
    for (NewIndex row : boundary) rows.push_back(top.index[row]);
  }
  return top;
}

SubtreeStructure build_subtree_structure(const SymbolicFactor& factor, const PartMap& map, const TopStructure& top,
                                         PartId part) {
  SubtreeStructure result;
  SymbolicFactor& own = result.symbolic;
  result.local.assign(static_cast<std::size_t>(factor.order()), NewIndex());
  const auto number = [&](NewIndex column) {
    result.local[column] = NewIndex(own.permutation.order());
    own.permutation.old_of_new.push_back(factor.permutation.old_of_new[column]);
  };
  for (SupernodeId s : factor.supernode_ids()) {
    if (map.part_of[s] != part) continue;
    for (NewIndex c : IdRange<NewIndex>(factor.first_column[s], factor.first_column[s + 1])) {
      number(c);
      result.columns.push_back(c);
    }
  }
  const auto& boundary = top.boundaries[static_cast<std::size_t>(part.value)];
  for (TopIndex row : boundary) number(top.column[row]);
  for (SupernodeId s : factor.supernode_ids()) {
    if (map.part_of[s] != part) continue;
    add_supernode(own, factor.width(s));
    for (NewIndex row : factor.rows_of(s)) own.rows.push_back(result.local[row]);
    end_supernode(own);
  }
  if (!boundary.empty()) {
    result.contribution = SupernodeId(own.supernodes());
    add_supernode(own, static_cast<std::int32_t>(boundary.size()));
    end_supernode(own);
  }
  make_empty(own);
  link(own);
  if (result.contribution.valid()) own.subtree_first[result.contribution] = SupernodeId();
  return result;
}

}  // namespace gpusupernodal
