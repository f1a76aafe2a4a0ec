#pragma once

/// \file
/// Names and numbers of options in PETSc's types.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "plugin/petsc/petsc_compat.hpp"

namespace gpusupernodal::petsc {

/// Returns the first `Count` names followed by the three entries that end PETSc's enumeration lists.
template <std::size_t Count, std::size_t All>
constexpr std::array<const char*, Count + 3> with_end(const std::array<const char*, All>& names, const char* enumeration) {
  std::array<const char*, Count + 3> list{};
  for (std::size_t k = 0; k < Count; ++k) list[k] = names[k];
  list[Count] = enumeration;
  list[Count + 1] = "";
  return list;
}

/// Clamps a PetscInt, which may have 64 bits, to the range of int32; the library then checks the value.
inline std::int32_t to_int(PetscInt value) {
  constexpr PetscInt least = std::numeric_limits<std::int32_t>::min();
  constexpr PetscInt largest = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::clamp(value, least, largest));
}

/// Clamps a number of bytes; one that is negative or no number becomes −1, which the library refuses.
inline std::int64_t to_bytes(PetscReal value) {
  constexpr double largest = 1e18;
  const auto bytes = static_cast<double>(value);
  return bytes >= 0.0 ? static_cast<std::int64_t>(std::min(bytes, largest)) : -1;
}

}  // namespace gpusupernodal::petsc
