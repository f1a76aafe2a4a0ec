#pragma once

/// \file
/// The mask of wanted systems, on the host and on a device.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "gpusupernodal/allocator.hpp"
#include "kernels/cuda/check.hpp"
#include "solver/backend/buffer.hpp"
#include "solver/cuda/run/device.hpp"

namespace gpusupernodal::cuda {

/// At first all systems are wanted. A graph of the caller that was captured with a mask keeps it: the next mask goes into
/// another array.
class BatchMask {
 public:
  /// Copies to the current device. Throws OutOfMemory.
  BatchMask(std::shared_ptr<Allocator> allocator, std::int64_t systems)
      : allocator_(std::move(allocator)), wanted_(static_cast<std::size_t>(systems), 1), device_(another()) {
    if (!wanted_.empty()) copy_to_device(device_.data(), wanted_.data(), wanted_.size());
  }

  const unsigned char* device() const { return device_.data(); }
  const std::vector<unsigned char>& wanted() const { return wanted_; }
  bool includes(std::size_t system) const { return wanted_[system] != 0; }
  bool includes_all() const { return std::find(wanted_.begin(), wanted_.end(), 0) == wanted_.end(); }

  /// A graph refers to the array that device() returns now.
  void note_capture() { is_captured_ = true; }

  /// Replaces the mask, and waits for the copy. Throws OutOfMemory and DeviceError; the mask is then unchanged.
  /// Precondition: as many systems as before.
  void set(const std::vector<unsigned char>& wanted, cudaStream_t stream) {
    if (wanted == wanted_) return;
    if (is_captured_) {
      kept_.reserve(kept_.size() + 1);
      Buffer<unsigned char> next = another();
      copy(wanted, next, stream);
      kept_.push_back(std::exchange(device_, std::move(next)));
      is_captured_ = false;
    } else {
      copy(wanted, device_, stream);
    }
    wanted_ = wanted;
  }

 private:
  Buffer<unsigned char> another() const {
    return {allocator_, static_cast<std::int64_t>(wanted_.size()), "the mask of a batch"};
  }
  static void copy(const std::vector<unsigned char>& wanted, const Buffer<unsigned char>& to, cudaStream_t stream) {
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpyAsync(to.data(), wanted.data(), wanted.size(), cudaMemcpyHostToDevice, stream));
    GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(stream));
  }

  std::shared_ptr<Allocator> allocator_;
  std::vector<unsigned char> wanted_;
  Buffer<unsigned char> device_;
  std::vector<Buffer<unsigned char>> kept_;  ///< Arrays that graphs refer to.
  bool is_captured_ = false;
};

}  // namespace gpusupernodal::cuda
