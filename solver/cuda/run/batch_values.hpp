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
#include "solver/cuda/run/batch_mask.hpp"
#include "solver/cuda/run/device.hpp"

namespace gpusupernodal::cuda {

/// Copies values from host memory, or their addresses. Memory is kept for later calls.
template <class T>
class BatchValueStaging {
 public:
  BatchValueStaging(std::shared_ptr<Allocator> allocator, std::int64_t entries)
      : allocator_(std::move(allocator)), entries_(entries) {}

  /// Sets where the kernels find the values of the systems of a mask. Values at a stride in device memory are read there;
  /// otherwise waits for a copy. Precondition: there are data or addresses, unless no system is wanted. Throws OutOfMemory
  /// and std::bad_alloc before anything is copied.
  void put(const BatchValues<T>& values, const BatchMask& mask, cudaStream_t stream, BatchValuesInput<T>& input) {
    input.data = values.data;
    input.stride = values.stride;
    input.pointers = nullptr;
    if (entries_ == 0) return;
    if (values.space == MemorySpace::host) {
      put_host(values, mask, stream, input);
    } else if (values.data == nullptr && values.pointers != nullptr) {
      take_addresses(values.count);
      copy_addresses(values.pointers, values.count, stream, input);
    }
  }

 private:
  static bool is_contiguous(const BatchValues<T>& values, std::int64_t entries) {
    return values.data != nullptr && (values.stride == entries || values.count == 1);
  }

  /// One copy of the wanted systems, which follow one another on the device.
  void put_host(const BatchValues<T>& values, const BatchMask& mask, cudaStream_t stream, BatchValuesInput<T>& input) {
    if (values_.size() == 0) {
      Buffer<T> room(allocator_, entries_ * values.count, "the values of a batch");
      take_addresses(values.count);
      values_ = std::move(room);
    }
    const bool all = mask.includes_all();
    const bool direct = all && is_contiguous(values, entries_);
    const std::int64_t systems = direct ? values.count : pack(values, mask);
    if (systems == 0) return;
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpyAsync(values_.data(), direct ? values.data : packed_.data(),
                                             static_cast<std::size_t>(systems * entries_) * sizeof(T),
                                             cudaMemcpyHostToDevice, stream));
    input.data = all ? values_.data() : nullptr;
    input.stride = entries_;
    if (!all) copy_addresses(places_.data(), values.count, stream, input);
    GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(stream));
  }

  /// Copies the values of the wanted systems into one array. Returns how many these are.
  std::int64_t pack(const BatchValues<T>& values, const BatchMask& mask) {
    const std::int64_t systems = std::count_if(mask.wanted().begin(), mask.wanted().end(), [](auto w) { return w != 0; });
    packed_.resize(std::max(packed_.size(), static_cast<std::size_t>(systems * entries_)));
    places_.resize(static_cast<std::size_t>(values.count));
    std::int64_t begin = 0;
    for (std::int64_t s = 0; s < values.count; ++s) {
      if (!mask.includes(static_cast<std::size_t>(s))) continue;
      std::copy_n(values.of(s), entries_, packed_.data() + begin);
      places_[static_cast<std::size_t>(s)] = values_.data() + begin;
      begin += entries_;
    }
    return systems;
  }

  void take_addresses(std::int64_t count) {
    if (addresses_.size() == 0) addresses_ = Buffer<const T*>(allocator_, count, "the addresses of a batch's values");
  }
  /// Waits.
  void copy_addresses(const T* const* from, std::int64_t count, cudaStream_t stream, BatchValuesInput<T>& input) const {
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpyAsync(addresses_.data(), from, static_cast<std::size_t>(count) * sizeof(const T*),
                                             cudaMemcpyHostToDevice, stream));
    GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(stream));
    input.pointers = addresses_.data();
  }

  std::shared_ptr<Allocator> allocator_;
  std::int64_t entries_;
  Buffer<T> values_;
  Buffer<const T*> addresses_;    ///< By system.
  std::vector<T> packed_;         ///< The values of wanted systems.
  std::vector<const T*> places_;  ///< By system: where its values are on the device.
};

}  // namespace gpusupernodal::cuda
