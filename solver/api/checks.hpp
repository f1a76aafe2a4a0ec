#pragma once

/// \file
/// Checks of what callers hand in.

#include "gpusupernodal/error.hpp"
#include "gpusupernodal/options.hpp"
#include "gpusupernodal/views.hpp"
#include "solver/common/fail.hpp"
#include "solver/symbolic/adjacency.hpp"

namespace gpusupernodal {

/// Throws InvalidInput naming the option that is out of its range.
void check_options(const Options& options);

/// Throws InvalidInput where the pattern is in device memory.
template <class T>
void require_host_pattern(const MatrixView<T>& a) {
  if (a.pattern_space == MemorySpace::device) {
    fail<InvalidInput>(
        "the pattern (offsets and indices) is in device memory; analyze and checks of the pattern need it on the host");
  }
}

/// Throws InvalidInput unless the view has `order` rows, a sufficient ld, no more entries than an address can tell
/// apart, and data where it has entries.
template <class T>
void check_dense(const DenseView<T>& view, std::int64_t order, const char* name);

/// Throws InvalidInput naming row and right-hand side of the first NaN or Inf. Precondition: b is in host memory.
template <class T>
void check_right_hand_sides(const DenseView<const T>& b);

/// The pattern of a view. Precondition: the pattern is in host memory.
template <class T>
PatternView pattern_of(const MatrixView<T>& a) {
  return {a.n, a.offsets, a.indices, a.part, a.compression};
}

}  // namespace gpusupernodal
