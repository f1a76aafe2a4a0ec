#pragma once

/// \file
/// Supernodes before their rows are listed: fundamental ones, and what merging makes of them.

#include <cstdint>

#include "base/thread_team.hpp"
#include "gpusupernodal/options.hpp"
#include "solver/model/cost_model.hpp"
#include "solver/symbolic/elimination_tree.hpp"
#include "solver/symbolic/row_groups.hpp"

namespace gpusupernodal {

/// Supernodes as intervals of columns and their assembly tree; children before parents.
struct SupernodeForest {
  IdVector<SupernodeId, NewIndex> first_column;  ///< supernodes + 1
  IdVector<SupernodeId, SupernodeId> parent;
  IdVector<SupernodeId, std::int32_t> rows_below;  ///< Rows below the diagonal block.
  IdVector<SupernodeId, std::int32_t> group;       ///< RowGroups of the columns; empty where all are of one.

  /// Whether the columns of two supernodes may follow one another in one.
  bool may_join(SupernodeId a, SupernodeId b) const { return group.empty() || group[a] == group[b]; }
  std::int32_t width(SupernodeId s) const { return first_column[s + 1] - first_column[s]; }
  IdRange<SupernodeId> ids() const { return parent.ids(); }
  FrontTree fronts() const { return {parent, first_column, rows_below}; }
};

/// Joins columns j−1 and j when j is the parent of j−1, has no other child, is of the same group and count(j−1) =
/// count(j) + 1 [LNP93]. Precondition: the tree is postordered. Cost O(n).
SupernodeForest fundamental_supernodes(const ColumnTree& tree, const RowGroups& groups, ThreadTeam& team);
/// The same on one thread.
SupernodeForest fundamental_supernodes(const ColumnTree& tree, const RowGroups& groups = {});

/// For each supernode the topmost one of the group it is merged into; a group is connected in the assembly tree, and its
/// columns are of one group of rows.
using SupernodeGroups = IdVector<SupernodeId, SupernodeId>;

/// Merging::none: each supernode is its own group.
SupernodeGroups merge_none(const SupernodeForest& forest);

/// [ZDG]: a child joins its adjacent parent when both, with what they have already taken in, are narrower than `width`.
/// Adjacent is the child that will come last, the one of `adjacent_children`. Cost O(supernodes).
SupernodeGroups merge_narrow(const SupernodeForest& forest, std::int32_t width);

/// [AG89, CDHR08]: a parent takes in any child, cheapest first, as long as the explicit zeros of the merged panel stay
/// under a bound that falls with its width (merged_panel.hpp has the numbers). With the cost of paths, a
/// supernode begins when its children have ended, and no merge may let a parent end later: siblings that would be worked on
/// side by side are not put one after the other. Nor may it take more time for the upper half of the block that comes
/// between child and parent than a step of a solve, unless it saves a level. Cost O(supernodes log(children)).
SupernodeGroups merge_bounded(const SupernodeForest& forest, const MergeCosts* costs, ThreadTeam& team);
/// The same on one thread.
SupernodeGroups merge_bounded(const SupernodeForest& forest, const MergeCosts* costs = nullptr);

/// The child with the most rows below, the later one of equals: its columns go directly before the parent's, where
/// most of what it updates is.
IdVector<SupernodeId, SupernodeId> adjacent_children(const IdVector<SupernodeId, SupernodeId>& parent,
                                                     const IdVector<SupernodeId, std::int32_t>& rows_below);

/// Merged supernodes before their columns are put side by side: widths, parents and rows, but columns in no order of any
/// meaning. They are numbered in the order of their topmost supernodes.
struct MergedForest {
  SupernodeForest forest;
  IdVector<SupernodeId, SupernodeId> merged_of;  ///< Of each supernode before.
};

/// Cost O(supernodes).
MergedForest collapse(const SupernodeForest& forest, const SupernodeGroups& groups, ThreadTeam& team);

/// The merged supernodes, one group of rows after the other and those of a group in postorder, and where each column goes so
/// that merged columns are consecutive.
struct GroupedSupernodes {
  SupernodeForest forest;
  IdVector<NewIndex, NewIndex> column_position;
};

/// merge_bounded without a parent that ends later (or as it is, where solves would have more steps for little), and beyond
/// the bounds where that shortens the longest paths by more than the explicit zeros cost, and where the whole takes less
/// time by the model. Cost O(n) and some calls of that.
GroupedSupernodes merge_along_paths(const SupernodeForest& forest, const CostModel& model, bool may_take_host,
                                    ThreadTeam& team);
/// The same on one thread.
GroupedSupernodes merge_along_paths(const SupernodeForest& forest, const CostModel& model, bool may_take_host);

/// Cost O(n).
GroupedSupernodes group_supernodes(const SupernodeForest& forest, const MergedForest& merged, ThreadTeam& team);
/// The same on one thread.
GroupedSupernodes group_supernodes(const SupernodeForest& forest, const SupernodeGroups& groups);

}  // namespace gpusupernodal
