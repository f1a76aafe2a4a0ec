#pragma once

/// \file
/// VectorSpace: memory for vectors and operations on them.

#include <cstdint>

#include "gpusupernodal/views.hpp"

namespace gpusupernodal {

/// Vectors in one memory space. Unless stated otherwise, all arguments lie in space().
template <class S>
class VectorSpace {
 public:
  virtual ~VectorSpace() = default;
  VectorSpace() = default;
  VectorSpace(const VectorSpace&) = delete;
  VectorSpace& operator=(const VectorSpace&) = delete;

  virtual MemorySpace space() const = 0;
  /// Uninitialised rows × cols memory in space(), from the backend's allocator. A slot keeps its memory between calls and
  /// grows when necessary, which waits for the device. Throws OutOfMemory.
  virtual DenseView<S> scratch(int slot, std::int64_t rows, std::int64_t cols) = 0;
  /// to := from. Each may lie in any memory space that the backend reaches. Waits if one of them is in host memory.
  virtual void copy(const DenseView<const S>& from, const DenseView<S>& to) = 0;
  /// y += alpha·x. A device returns without waiting.
  virtual void axpy(S alpha, const DenseView<const S>& x, const DenseView<S>& y) = 0;
  /// ‖x‖∞ of one column; NaN if an entry is NaN. Precondition: ExecutorOptions::keep_a. Waits for the device.
  virtual double max_norm(const DenseView<const S>& x) = 0;
};

}  // namespace gpusupernodal
