#pragma once

/// \file
/// What one of several devices does in a factorization that they compute together, and in the solves.

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/common/panel_blocks.hpp"
#include "solver/cuda/plan/solve_plan.hpp"
#include "solver/factor/part_map.hpp"

namespace gpusupernodal {

/// Who owns what. Each device has some subtrees of the assembly tree, and some block columns of the supernodes above them,
/// the top. Its launches come in two phases: those of the subtrees in levels before first_top_level, those of the top from
/// that level on.
struct DeviceMap {
  PartMap parts;
  IdVector<SupernodeId, std::int32_t> first_block;  ///< Index into parts.top of a supernode's first block column; −1: none.
  std::int32_t first_top_level = 0;

  bool in_top(SupernodeId s) const { return parts.in_top(s); }
  /// Owner of a column, which counts from the first column of the supernode.
  PartId owner(SupernodeId s, std::int32_t column) const {
    const PartId p = parts.part_of[s];
    if (p.valid()) return p;
    return parts.top[static_cast<std::size_t>(first_block[s] + column / panel_block)].owner;
  }
};

/// The share of one device.
struct DeviceShare {
  std::shared_ptr<const DeviceMap> map;
  PartId part;
  std::vector<NewIndex> columns;  ///< The columns that it owns, ascending.
  CudaSolvePlan top;              ///< Only the sweeps, with the tasks of the top. All devices solve with all of the top.

  bool owns(SupernodeId s, std::int32_t column) const { return map->owner(s, column) == part; }
  /// Whether the device stores the panel: it is its own, or of the top.
  bool stores(SupernodeId s) const { return map->in_top(s) || map->parts.part_of[s] == part; }
};

}  // namespace gpusupernodal
