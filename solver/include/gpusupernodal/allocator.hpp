#pragma once

/// \file
/// Where the memory for values and workspaces comes from; replace it to use a pool of your own.

#include <cstddef>

#include "gpusupernodal/export.hpp"

namespace gpusupernodal {

/// Source of memory for factor values, workspaces and (on a device) index structures.
/// Called in analyze and where room for right-hand sides is reserved, never in refactorize or solve of up to the number of
/// right-hand sides reserved. Implementations may be called from several threads when solvers in several threads share one.
class GPUSUPERNODAL_API Allocator {
 public:
  virtual ~Allocator() = default;
  /// Returns `bytes` > 0 bytes aligned to `alignment` (a power of two ≥ 64), or nullptr when there is not enough. Memory on
  /// a device can be used from any stream at once: a pool that orders its memory by a stream waits for that stream first.
  virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;
  /// Gives back what `allocate` returned for the same size and alignment. No work of the solver uses it any more, nor does a
  /// graph that has captured some.
  virtual void deallocate(void* pointer, std::size_t bytes, std::size_t alignment) noexcept = 0;
};

}  // namespace gpusupernodal
