#pragma once

/// \file
/// One value that all parts know, from one of each.

#include <cstdint>
#include <type_traits>

#include "gpusupernodal/fabric.hpp"

namespace gpusupernodal {

/// Returns the values of the parts, merged in ascending order; the same bits on all parts. Precondition: `merge` is
/// associative, because parts merge neighbouring groups, pair by pair. All parts call it, with no sends pending. Takes no
/// memory. Cost: each part receives at most log₂(parts) messages, one after another, and one broadcast.
template <class Value, class Merge>
Value merge_parts(Fabric& fabric, Value own, const Merge& merge) {
  static_assert(std::is_trivially_copyable_v<Value>);
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(Value));
  const int part = fabric.part();
  // In each step, the groups of `step` parts are merged in pairs: the first part of a group has its value.
  for (int step = 1; step < fabric.parts(); step *= 2) {
    if (part % (2 * step) != 0) {
      fabric.send(part - step, &own, bytes);
      fabric.wait_for_sends();
      break;
    }
    if (part + step >= fabric.parts()) continue;
    Value other;
    fabric.receive(part + step, &other, bytes);
    own = merge(own, other);
  }
  fabric.broadcast(0, &own, bytes);
  return own;
}

}  // namespace gpusupernodal
