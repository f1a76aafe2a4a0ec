#pragma once

/// \file
/// Copies of device data on the host, for executors that work there.

#include <cstdint>
#include <functional>
#include <vector>

#include "gpusupernodal/views.hpp"
#include "solver/backend/device_copy.hpp"

namespace gpusupernodal {

/// A host copy of `count` device elements, or the elements themselves where they are on the host already.
template <class T>
class HostCopy {
 public:
  HostCopy(const T* data, MemorySpace space, std::int64_t count, void* stream) : data_(data) {
    if (space == MemorySpace::host || count == 0) return;
    copy_.resize(static_cast<std::size_t>(count));
    copy_device_bytes(copy_.data(), MemorySpace::host, data, space, count * static_cast<std::int64_t>(sizeof(T)), stream);
    data_ = copy_.data();
  }
  const T* data() const { return data_; }

 private:
  std::vector<T> copy_;
  const T* data_;
};

/// Elements from the first to the last of a strided view.
template <class T>
std::int64_t extent(const DenseView<T>& view) {
  return view.cols == 0 || view.rows == 0 ? 0 : (view.cols - 1) * view.ld + view.rows;
}

/// Whether two views share memory.
template <class T>
bool overlap(const DenseView<const T>& one, const DenseView<T>& other) {
  if (one.space != other.space || extent(one) == 0 || extent(other) == 0) return false;
  const std::less<const T*> before;
  return before(one.data, other.data + extent(other)) && before(other.data, one.data + extent(one));
}

/// A host matrix whose columns are copied to a device view by `write_back`.
template <class T>
class HostResult {
 public:
  explicit HostResult(const DenseView<T>& target)
      : target_(target), copy_(static_cast<std::size_t>(target.rows * target.cols)) {}
  DenseView<T> view() { return DenseView<T>(copy_.data(), target_.rows, target_.cols, target_.rows > 0 ? target_.rows : 1); }
  void write_back(void* stream) const {
    for (std::int64_t c = 0; c < target_.cols; ++c) {
      copy_device_bytes(target_.data + c * target_.ld, target_.space, copy_.data() + c * target_.rows, MemorySpace::host,
                        target_.rows * static_cast<std::int64_t>(sizeof(T)), stream);
    }
  }

 private:
  DenseView<T> target_;
  std::vector<T> copy_;
};

}  // namespace gpusupernodal
