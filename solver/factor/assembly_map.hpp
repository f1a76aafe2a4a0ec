#pragma once

/// \file
/// Where each stored entry of A goes in the panels of L.

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
  std::int64_t entries_of_a = 0;  ///< Stored entries of A, read or not: what a values array must hold.
  bool upper = false;             ///< The entries read are those on and above A's diagonal.
};

/// Cost O(nnz + rows). Precondition: `pattern` is the one that `factor` was made from. A thread takes 4 n + 8 bytes a
/// supernode.
AssemblyMap build_assembly_map(const PatternView& pattern, const SymbolicFactor& factor, const PanelLayout& layout,
                               ThreadTeam& team);

}  // namespace gpusupernodal
