#pragma once

/// \file
/// An allocator that counts the memory of a device that is taken.

#include "gpusupernodal/allocator.hpp"
#include "tests/kernels/cuda/device_array.hpp"

namespace gpusupernodal::test {

class CountingDeviceMemory final : public Allocator {
 public:
  void* allocate(std::size_t bytes, std::size_t) override {
    void* memory = nullptr;
    GPUSUPERNODAL_CUDA_CHECK(cudaMalloc(&memory, bytes));
    ++requests_;
    bytes_ += static_cast<std::int64_t>(bytes);
    return memory;
  }
  void deallocate(void* pointer, std::size_t bytes, std::size_t) noexcept override {
    static_cast<void>(cudaFree(pointer));
    bytes_ -= static_cast<std::int64_t>(bytes);
  }
  std::int64_t requests() const { return requests_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::int64_t requests_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace gpusupernodal::test
