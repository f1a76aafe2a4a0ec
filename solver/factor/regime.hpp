#pragma once

/// \file
/// The parts of the assembly tree that reports distinguish.

#include <array>
#include <cstdint>

#include "solver/factor/schedule.hpp"
#include "solver/factor/task_flops.hpp"

namespace gpusupernodal {

/// leaf: leaf subtrees of a schedule. top: supernodes above them with more than top_width columns. middle: the others.
enum class Regime : std::int8_t { none = -1, leaf, middle, top };

inline constexpr std::int32_t top_width = 256;

inline Regime regime_of(const SymbolicFactor& factor, const Schedule& schedule, SupernodeId s) {
  if (schedule.in_leaf_subtree(s)) return Regime::leaf;
  return factor.width(s) > top_width ? Regime::top : Regime::middle;
}

/// Returns the flops of leaf, middle and top. Cost O(supernodes).
inline std::array<double, 3> regime_flops(const SymbolicFactor& factor, const Schedule& schedule) {
  std::array<double, 3> flops{};
  for (SupernodeId s : factor.supernode_ids()) {
    flops[static_cast<std::size_t>(regime_of(factor, schedule, s))] += supernode_flops(factor, s);
  }
  return flops;
}

}  // namespace gpusupernodal
