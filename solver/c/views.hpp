#pragma once

/// \file
/// Numbers and pointers of the C interface as enumerators and arrays of C++.

#include <cstdint>

#include "gpusupernodal.h"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/views.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal::c {

/// Returns the C++ enumerator for a number; both enumerations count from 0 in the same order.
template <class Enum>
Enum enumerator(int number, Enum last, const char* what) {
  if (number < 0 || number > static_cast<int>(last)) {
    fail<InvalidInput>("{} is {}; it must be 0 to {}", what, number, static_cast<int>(last));
  }
  return static_cast<Enum>(number);
}

inline MemorySpace space_of(int number, const char* what) { return enumerator(number, MemorySpace::device, what); }

inline IndexArray index_array(const void* data, int index) {
  if (enumerator(index, GPUSUPERNODAL_INT64, "the matrix's index") == GPUSUPERNODAL_INT64)
    return {static_cast<const std::int64_t*>(data)};
  return {static_cast<const std::int32_t*>(data)};
}

}  // namespace gpusupernodal::c
