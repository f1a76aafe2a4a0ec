#pragma once

/// \file
/// Interface to the memory for values and workspaces; derive from it to use a memory pool.

#include <cstddef>

#include "gpusupernodal/export.hpp"

namespace gpusupernodal {

/// Allocates factor values, workspaces and (on a device) index structures.
/// The solver calls it in analyze and when it reserves workspace for right-hand sides, never in refactorize, and never
/// in solve with at most the reserved number of right-hand sides. If solvers in several threads share one, it must be
/// thread-safe. BatchSolver also calls it in refactorize and solve, from its worker threads, for systems whose rows are
/// exchanged again: for a batch with several threads it must be thread-safe.
class GPUSUPERNODAL_API Allocator {
 public:
  virtual ~Allocator() = default;
  /// Returns `bytes` > 0 bytes aligned to `alignment` (a power of two ≥ 64), or nullptr if memory is short. Device
  /// memory must be usable from any stream at once: a stream-ordered pool must wait for its stream before it returns.
  virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;
  /// Frees what `allocate` returned for this size and alignment. By then neither the solver nor a graph that captured
  /// its work uses the memory.
  virtual void deallocate(void* pointer, std::size_t bytes, std::size_t alignment) noexcept = 0;
};

}  // namespace gpusupernodal
