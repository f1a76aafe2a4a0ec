#pragma once

/// \file
/// Dispatches on the index width of an IndexArray once, outside of loops.

#include <cstdint>
#include <utility>

#include "gpusupernodal/views.hpp"

namespace gpusupernodal {

/// Calls `body(pointer)` with a `const std::int32_t*` or `const std::int64_t*`, which is null for a null array. Returns its
/// result.
template <class Body>
decltype(auto) with_index_pointer(const IndexArray& array, Body&& body) {
  return array.is_wide() ? std::forward<Body>(body)(array.wide()) : std::forward<Body>(body)(array.narrow());
}

/// Calls `body(offsets, indices)` with the typed pointers of both arrays and returns its result.
template <class Body>
decltype(auto) with_index_pointers(const IndexArray& offsets, const IndexArray& indices, Body&& body) {
  return with_index_pointer(offsets, [&](auto o) -> decltype(auto) {
    return with_index_pointer(indices, [&](auto i) -> decltype(auto) { return body(o, i); });
  });
}

}  // namespace gpusupernodal
