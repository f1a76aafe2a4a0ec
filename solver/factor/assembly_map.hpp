#pragma once

/// \file
/// Maps each stored entry of A to its position in the panels of L.

#include <cstdint>

#include "base/raw_vector.hpp"
#include "base/thread_team.hpp"
#include "solver/factor/panel_layout.hpp"
#include "solver/symbolic/adjacency.hpp"

namespace gpusupernodal {

/// Entry e (offset[s] ≤ e < offset[s+1]) adds A.values[source[e]] to values[target[e]], inside the panel of s.
/// Every target occurs once. Entries of A that are not read (the other half of a full matrix) are absent.
struct AssemblyMap {
  IdVector<SupernodeId, std::int64_t> offset;  ///< supernodes + 1
  RawVector<std::int64_t> source;
  RawVector<std::int64_t> target;
  RawVector<NewIndex> row;  ///< Row of L of each entry, ≥ its column.
  RawVector<NewIndex> column;
  std::int64_t entries_of_a = 0;  ///< Stored entries of A, read or not: the length of a values array.
  bool upper = false;             ///< Whether the entries on and above A's diagonal are read.
};

/// Whether entry (row, column) of A, in the caller's numbering, is in the half that is stored.
inline bool in_stored_half(bool upper, OldIndex row, OldIndex column) { return upper ? row <= column : row >= column; }

/// Builds the map. Precondition: `factor` was made from `pattern`. Cost O(nnz + rows); workspace of each thread: 4 n bytes
/// plus 8 bytes per supernode.
AssemblyMap build_assembly_map(const PatternView& pattern, const SymbolicFactor& factor, const PanelLayout& layout,
                               ThreadTeam& team);

}  // namespace gpusupernodal
