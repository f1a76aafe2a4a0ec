#pragma once

/// \file
/// Copies vectors to and from the memory of a SparseApply where the caller has them elsewhere.

#include <memory>
#include <utility>

#include "gpusupernodal/views.hpp"
#include "solver/backend/buffer.hpp"
#include "solver/backend/device_copy.hpp"
#include "solver/sparse/sparse_apply.hpp"

namespace gpusupernodal {

/// The columns of a view in the memory of a backend: the view itself if it lies there, else a copy without gaps.
template <class T>
class StagedVectors {
 public:
  /// Copies if `reads`; waits for the copies. Throws OutOfMemory.
  StagedVectors(const DenseView<const T>& view, const SparseApply<T>& apply, std::shared_ptr<Allocator> allocator,
                void* stream, bool reads)
      : view_(view), stream_(stream) {
    if (view.space == apply.space() || view.rows == 0) return;
    copy_ = apply.scratch(view.rows * view.cols, std::move(allocator), "vectors on their way to a sparse operator");
    view_ = DenseView<const T>(copy_.data(), view.rows, view.cols, view.rows, apply.space());
    for (std::int64_t c = 0; reads && c < view.cols; ++c)
      copy_column(copy_.data() + c * view.rows, apply.space(), view.data + c * view.ld, view.space);
  }

  const DenseView<const T>& view() const { return view_; }
  /// Precondition: the view was of memory that may be written.
  DenseView<T> writable() const { return {const_cast<T*>(view_.data), view_.rows, view_.cols, view_.ld, view_.space}; }
  /// Copies the columns to where they came from, unless they lie there.
  void write_back(const DenseView<T>& target) const {
    if (copy_.size() == 0) return;
    for (std::int64_t c = 0; c < target.cols; ++c)
      copy_column(target.data + c * target.ld, target.space, copy_.data() + c * target.rows, view_.space);
  }

 private:
  void copy_column(T* to, MemorySpace to_space, const T* from, MemorySpace from_space) const {
    copy_device_bytes(to, to_space, from, from_space, view_.rows * static_cast<std::int64_t>(sizeof(T)), stream_);
  }

  DenseView<const T> view_;
  void* stream_;
  Buffer<T> copy_;
};

}  // namespace gpusupernodal
