#pragma once

/// \file
/// Fundamental and merged supernodes, before their rows are listed.

#include <cstdint>

#include "base/thread_team.hpp"
#include "gpusupernodal/options.hpp"
#include "solver/model/cost_model.hpp"
#include "solver/symbolic/elimination_tree.hpp"
#include "solver/symbolic/row_groups.hpp"

namespace gpusupernodal {

/// Supernodes as intervals of columns, and their assembly tree. Children come before parents.
struct SupernodeForest {
  IdVector<SupernodeId, NewIndex> first_column;  ///< supernodes + 1 entries; the last one is n.
  IdVector<SupernodeId, SupernodeId> parent;
  IdVector<SupernodeId, std::int32_t> rows_below;  ///< Rows below the diagonal block.
  IdVector<SupernodeId, std::int32_t> group;       ///< Row group of the columns; empty if all rows are in one group.

  /// Whether two supernodes may be merged: their columns are in the same row group.
  bool may_join(SupernodeId a, SupernodeId b) const { return group.empty() || group[a] == group[b]; }
  std::int32_t width(SupernodeId s) const { return first_column[s + 1] - first_column[s]; }
  IdRange<SupernodeId> ids() const { return parent.ids(); }
  FrontTree fronts() const { return {parent, first_column, rows_below}; }
};

/// Joins columns j−1 and j if j is the parent of j−1 and has no other child, both are in the same row group, and count(j−1)
/// = count(j) + 1 [LNP93]. Precondition: the tree is postordered. Cost O(n).
SupernodeForest fundamental_supernodes(const ColumnTree& tree, const RowGroups& groups, ThreadTeam& team);
/// Runs on one thread.
SupernodeForest fundamental_supernodes(const ColumnTree& tree, const RowGroups& groups = {});

/// For each supernode, the topmost supernode of the group that it is merged into. A group is connected in the assembly tree,
/// and its columns are in one row group.
using SupernodeGroups = IdVector<SupernodeId, SupernodeId>;

/// Merging::none: each supernode forms a group alone.
SupernodeGroups merge_none(const SupernodeForest& forest);

/// Merging::narrow [ZDG]: merges a parent with its adjacent child (see adjacent_children) if both, including what has been
/// merged into them, are narrower than `width` columns. Cost O(supernodes).
SupernodeGroups merge_narrow(const SupernodeForest& forest, std::int32_t width);

/// Merging::bounded [AG89, CDHR08]: merges children into their parent, cheapest first, while the share of explicit zeros in
/// the merged panel stays within a bound that falls with its width (zero_bounds in merged_panel.hpp). With `costs`, a
/// supernode begins when its children have ended, and no merge may delay a parent's end, so that independent siblings are
/// not serialized. A merge that leaves the end unchanged is also refused if the child's rows × the parent's columns, which
/// lie above the diagonal and are stored unused, cost more time than a step of a solve. Cost O(supernodes log(children)).
SupernodeGroups merge_bounded(const SupernodeForest& forest, const MergeCosts* costs, ThreadTeam& team);
/// Runs on one thread.
SupernodeGroups merge_bounded(const SupernodeForest& forest, const MergeCosts* costs = nullptr);

/// For each supernode, the child with the most rows below; the last one on a tie. Its columns are placed directly before the
/// parent's, which it updates most. Invalid at leaves.
IdVector<SupernodeId, SupernodeId> adjacent_children(const IdVector<SupernodeId, SupernodeId>& parent,
                                                     const IdVector<SupernodeId, std::int32_t>& rows_below);

/// Merged supernodes before their columns are made consecutive: widths, parents and numbers of rows are valid, column
/// positions are not. The supernodes are numbered in the order of their groups' topmost supernodes.
struct MergedForest {
  SupernodeForest forest;
  IdVector<SupernodeId, SupernodeId> merged_of;  ///< Merged supernode of each supernode before merging.
};

/// Merges the supernodes of each group. Cost O(supernodes).
MergedForest collapse(const SupernodeForest& forest, const SupernodeGroups& groups, ThreadTeam& team);

/// The final supernodes, row group by row group and in postorder within each, and the position of each column that makes
/// merged columns consecutive.
struct GroupedSupernodes {
  SupernodeForest forest;
  IdVector<NewIndex, NewIndex> column_position;
};

/// Merges with merge_bounded, with the model's costs unless these add solve steps without enough benefit. Then merges
/// supernodes on the longest paths beyond the bounds where shorter paths save more than the explicit zeros cost and the
/// model's device_seconds of the whole forest falls. If `allow_host`, forests that are as fast on the host skip the
/// second step. Cost: O(n) plus some evaluations of the model.
GroupedSupernodes merge_along_paths(const SupernodeForest& forest, const CostModel& model, bool allow_host,
                                    ThreadTeam& team);
/// Runs on one thread.
GroupedSupernodes merge_along_paths(const SupernodeForest& forest, const CostModel& model, bool allow_host);

/// Orders merged supernodes and places their columns. `forest` is the forest before merging. Cost O(n).
GroupedSupernodes group_supernodes(const SupernodeForest& forest, const MergedForest& merged, ThreadTeam& team);
/// Merges the groups and orders the merged supernodes on one thread.
GroupedSupernodes group_supernodes(const SupernodeForest& forest, const SupernodeGroups& groups);

}  // namespace gpusupernodal
