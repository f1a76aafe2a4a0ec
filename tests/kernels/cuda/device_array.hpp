#pragma once

/// \file
/// Device arrays for tests, and a macro that skips a test if no device is available.

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "kernels/cuda/check.hpp"

namespace gpusupernodal::test {

inline bool has_device() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

#define SKIP_WITHOUT_DEVICE()                           \
  do {                                                  \
    if (!::gpusupernodal::test::has_device()) {         \
      GTEST_SKIP() << "no CUDA device on this machine"; \
    }                                                   \
  } while (false)

/// Device copy of a host vector.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& host) : size_(host.size()) {
    GPUSUPERNODAL_CUDA_CHECK(cudaMalloc(&data_, bytes() + 1));
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpy(data_, host.data(), bytes(), cudaMemcpyHostToDevice));
    // A copy from pageable memory may return before the data has arrived. Synchronize this stream only: other threads may be
    // capturing graphs, and CUDA refuses to wait for a capturing stream.
    GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(cudaStreamLegacy));
  }
  ~DeviceArray() { static_cast<void>(cudaFree(data_)); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* get() const { return static_cast<T*>(data_); }
  std::vector<T> host() const {
    std::vector<T> copy(size_);
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpy(copy.data(), data_, bytes(), cudaMemcpyDeviceToHost));
    return copy;
  }

 private:
  std::size_t bytes() const { return size_ * sizeof(T); }
  std::size_t size_;
  void* data_ = nullptr;
};

/// Uniform random values in [−1, 1].
template <class T>
std::vector<T> random_values(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(uniform(generator));
  return values;
}

}  // namespace gpusupernodal::test
