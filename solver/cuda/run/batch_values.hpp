#pragma once

/// \file
/// The values of a batch on their way to the kernels.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "gpusupernodal/allocator.hpp"
#include "gpusupernodal/batch.hpp"
#include "kernels/cuda/batch_kernels.hpp"
#include "solver/backend/buffer.hpp"
#include "solver/cuda/run/device.hpp"

namespace gpusupernodal::cuda {

/// Copies values from host memory, or their addresses. Memory is kept for later calls.
template <class T>
class BatchValueStaging {
 public:
  BatchValueStaging(std::shared_ptr<Allocator> allocator, std::int64_t entries)
      : allocator_(std::move(allocator)), entries_(entries) {}

  /// Sets where the kernels find the values of the systems of a mask. Values at a stride in device memory are read there;
  /// otherwise waits for a copy.
  void put(const BatchValues<T>& values, const std::vector<unsigned char>& mask, cudaStream_t stream,
           BatchValuesInput<T>& input) {
    input.data = values.data;
    input.stride = values.stride;
    input.pointers = nullptr;
    if (entries_ == 0) return;
    if (values.space == MemorySpace::host) {
      input.data = staging(values.count);
      input.stride = entries_;
      values.data != nullptr ? copy_all(values, stream) : copy_each(values, mask, stream);
      GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(stream));
    } else if (values.data == nullptr) {
      input.pointers = addresses(values, stream);
    }
  }

 private:
  T* staging(std::int64_t count) {
    if (values_.size() == 0) values_ = Buffer<T>(allocator_, entries_ * count, "the values of a batch");
    return values_.data();
  }
  std::size_t width() const { return static_cast<std::size_t>(entries_) * sizeof(T); }

  void copy_all(const BatchValues<T>& values, cudaStream_t stream) const {
    const std::size_t pitch = static_cast<std::size_t>(std::max(values.stride, entries_)) * sizeof(T);
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpy2DAsync(values_.data(), width(), values.data, pitch, width(),
                                               static_cast<std::size_t>(values.count), cudaMemcpyHostToDevice, stream));
  }
  void copy_each(const BatchValues<T>& values, const std::vector<unsigned char>& mask, cudaStream_t stream) const {
    for (std::int64_t s = 0; s < values.count; ++s) {
      if (mask[static_cast<std::size_t>(s)] == 0) continue;
      GPUSUPERNODAL_CUDA_CHECK(
          cudaMemcpyAsync(values_.data() + s * entries_, values.pointers[s], width(), cudaMemcpyHostToDevice, stream));
    }
  }
  const T* const* addresses(const BatchValues<T>& values, cudaStream_t stream) {
    if (pointers_.size() == 0) pointers_ = Buffer<const T*>(allocator_, values.count, "the addresses of a batch's values");
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpyAsync(pointers_.data(), values.pointers,
                                             static_cast<std::size_t>(values.count) * sizeof(const T*),
                                             cudaMemcpyHostToDevice, stream));
    GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(stream));
    return pointers_.data();
  }

  std::shared_ptr<Allocator> allocator_;
  std::int64_t entries_;
  Buffer<T> values_;
  Buffer<const T*> pointers_;
};

}  // namespace gpusupernodal::cuda
