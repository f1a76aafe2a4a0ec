#pragma once

/// \file
/// The structure of L seen by one of several parts (PartMap): its subtrees, and the top.

#include <vector>

#include "solver/factor/part_map.hpp"

namespace gpusupernodal {

/// A row or column of the top, counted from the first column of the top.
using TopIndex = Id<struct TopIndexTag>;

/// The supernodes of the top as a factor of their own: the structure of the factor of a Schur complement.
struct TopStructure {
  SymbolicFactor symbolic;                        ///< NewIndex counts as TopIndex here.
  IdVector<SupernodeId, SupernodeId> supernode;   ///< Supernode of the top of each supernode of the whole; else invalid.
  IdVector<NewIndex, TopIndex> index;             ///< Index of each column of the whole; invalid below the top.
  IdVector<TopIndex, NewIndex> column;            ///< Column of the whole.
  std::vector<std::vector<TopIndex>> boundaries;  ///< By part: the rows of the top that its subtrees update; ascending.
};

/// Cost O(n + rows of the top and of the roots of subtrees).
TopStructure build_top_structure(const SymbolicFactor& factor, const PartMap& map);

/// The subtrees of a part as a factor of their own: their columns, and after them, as the last supernode, the rows of the
/// top that they update. Nothing is known of the pattern of A.
struct SubtreeStructure {
  SymbolicFactor symbolic;             ///< old_of_new is in the caller's numbering; new_of_old is empty.
  std::vector<NewIndex> columns;       ///< Columns of the whole, ascending; those of the last supernode are not here.
  SupernodeId contribution;            ///< The last supernode; invalid if the subtrees update nothing.
  IdVector<NewIndex, NewIndex> local;  ///< Column of `symbolic` for each column of the whole; else invalid.
};

/// Cost O(n + rows of the part).
SubtreeStructure build_subtree_structure(const SymbolicFactor& factor, const PartMap& map, const TopStructure& top,
                                         PartId part);

}  // namespace gpusupernodal
