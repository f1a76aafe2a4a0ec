#pragma once

/// \file
/// The updates between supernodes, and the positions of their rows in the targets (relative indices).

#include <cstdint>
#include <span>
#include <vector>

#include "base/raw_vector.hpp"
#include "base/thread_team.hpp"
#include "solver/symbolic/symbolic_factor.hpp"

namespace gpusupernodal {

/// snUpdate(J, K): rows row_begin … row_end−1 of rows_of(J) are columns of K. With L21 the rows from row_begin on,
/// K's panel receives −L21 · L21(0 … row_end−row_begin)ᵀ, its lower trapezoid: entry (i, j), i ≥ j, goes to row
/// relative[i], column relative[j] of K's panel, where relative = relative_rows + Update::relative.
struct Update {
  SupernodeId source;
  SupernodeId target;
  std::int32_t row_begin = 0;
  std::int32_t row_end = 0;
  std::int64_t relative = 0;  ///< First of rows_below(source) − row_begin entries of relative_rows.

  std::int32_t columns() const { return row_end - row_begin; }
};

/// All updates, sorted by target and then source; a target's sources ascend, which fixes the order of additions.
struct UpdateList {
  RawIdVector<UpdateId, Update> updates;
  IdVector<SupernodeId, UpdateId> first_into;  ///< supernodes + 1: updates into K are first_into[K] … first_into[K+1]−1.
  IdVector<SupernodeId, std::int64_t> from_offset;  ///< supernodes + 1, into `from`.
  RawVector<UpdateId> from;                         ///< Updates by source, targets ascending.
  RawVector<std::int32_t> relative_rows;            ///< Ascending within an update.

  IdRange<UpdateId> into(SupernodeId k) const { return {first_into[k], first_into[k + 1]}; }
  std::span<const UpdateId> from_source(SupernodeId j) const {
    return {from.data() + from_offset[j], static_cast<std::size_t>(from_offset[j + 1] - from_offset[j])};
  }
};

/// Lists all updates. Each update merges the rows of its source and its target. Cost O(|relative_rows|) time and memory.
UpdateList build_updates(const SymbolicFactor& factor, ThreadTeam& team);

/// Runs on one thread.
UpdateList build_updates(const SymbolicFactor& factor);

}  // namespace gpusupernodal
