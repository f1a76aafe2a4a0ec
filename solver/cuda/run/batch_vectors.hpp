#pragma once

/// \file
/// Right-hand sides and solutions of a batch in host memory, on their way to a device and back.

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

/// Packs the matrices of all systems into one array, on the host and on the device. Memory is kept for later calls. Before
/// more memory replaces it, the event `done` of the last call's work is waited for.
template <class T>
class BatchStaging {
 public:
  BatchStaging(std::shared_ptr<Allocator> allocator, const char* what) : allocator_(std::move(allocator)), what_(what) {}

  /// Copies b to the device. Waits.
  BatchVectors<const T> take(const BatchView<const T>& b, cudaStream_t stream, const Event& done) {
    const std::int64_t systems = b.stride == 0 ? std::min<std::int64_t>(b.count, 1) : b.count;
    reserve(b.rows * b.cols * systems, done);
    for (std::int64_t s = 0; s < systems; ++s) pack(b.of(s), host_.data() + s * b.rows * b.cols);
    GPUSUPERNODAL_CUDA_CHECK(
        cudaMemcpyAsync(device_.data(), host_.data(), bytes(b.rows * b.cols * systems), cudaMemcpyHostToDevice, stream));
    GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(stream));
    return {device_.data(), b.rows, b.stride == 0 ? 0 : b.rows * b.cols};
  }

  /// Room on the device for solutions of this size.
  BatchVectors<T> room(const BatchView<T>& x, const Event& done) {
    reserve(x.rows * x.cols * x.count, done);
    return {device_.data(), x.rows, x.rows * x.cols};
  }

  /// Copies the solutions of the systems for which is_written(s) to x. Waits.
  template <class IsWritten>
  void give(const BatchView<T>& x, cudaStream_t stream, const IsWritten& is_written) {
    GPUSUPERNODAL_CUDA_CHECK(
        cudaMemcpyAsync(host_.data(), device_.data(), bytes(x.rows * x.cols * x.count), cudaMemcpyDeviceToHost, stream));
    GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(stream));
    for (std::int64_t s = 0; s < x.count; ++s) {
      if (!is_written(s)) continue;
      const DenseView<T> to = x.of(s);
      for (std::int64_t c = 0; c < x.cols; ++c)
        std::copy_n(host_.data() + (s * x.cols + c) * x.rows, x.rows, to.data + c * to.ld);
    }
  }

 private:
  static std::size_t bytes(std::int64_t entries) { return static_cast<std::size_t>(entries) * sizeof(T); }

  static void pack(const DenseView<const T>& from, T* to) {
    for (std::int64_t c = 0; c < from.cols; ++c) std::copy_n(from.data + c * from.ld, from.rows, to + c * from.rows);
  }
  /// If memory is refused, the earlier arrays stay, and the host's is not the smaller one.
  void reserve(std::int64_t entries, const Event& done) {
    if (entries <= device_.size()) return;
    host_.resize(static_cast<std::size_t>(entries));
    Buffer<T> larger(allocator_, entries, what_);
    GPUSUPERNODAL_CUDA_CHECK(cudaEventSynchronize(done.get()));
    device_ = std::move(larger);
  }

  std::shared_ptr<Allocator> allocator_;
  const char* what_;
  Buffer<T> device_;
  std::vector<T> host_;
};

}  // namespace gpusupernodal::cuda
