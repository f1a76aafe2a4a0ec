#pragma once

/// \file
/// Turns the run-time choice of index width of an IndexArray into a type, once, outside of loops.

#include <cstdint>
#include <utility>

#include "gpusupernodal/views.hpp"

namespace gpusupernodal {

/// Calls `body(pointer)` with `const std::int32_t*` or `const std::int64_t*`; a null array comes as a null pointer.
template <class Body>
decltype(auto) with_index_pointer(const IndexArray& array, Body&& body) {
  return array.is_wide() ? std::forward<Body>(body)(array.wide()) : std::forward<Body>(body)(array.narrow());
}

/// The same for two arrays: `body(offsets, indices)`.
template <class Body>
decltype(auto) with_index_pointers(const IndexArray& offsets, const IndexArray& indices, Body&& body) {
  return with_index_pointer(offsets, [&](auto o) -> decltype(auto) {
    return with_index_pointer(indices, [&](auto i) -> decltype(auto) { return body(o, i); });
  });
}

}  // namespace gpusupernodal
