#pragma once

/// \file
/// Device arrays, and the device memory that a peer uses, for peers that run on a device.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace gpusupernodal::bench {

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(status));
}

/// Owns device memory.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t size) : size_(size) {
    check(cudaMalloc(reinterpret_cast<void**>(&data_), std::max<std::size_t>(1, size) * sizeof(T)));
  }
  explicit DeviceArray(const std::vector<T>& host) : DeviceArray(host.size()) {
    check(cudaMemcpy(data_, host.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  /// Copies the first `count` elements to the host; waits for the device.
  std::vector<T> first(std::size_t count) const {
    std::vector<T> host(count);
    check(cudaMemcpy(host.data(), data_, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

/// Measures the maximum device memory in use since construction, sampled at the calls of `taken`.
class DeviceMemoryWatch {
 public:
  DeviceMemoryWatch() : before_(free_bytes()) {}
  double taken() {
    most_ = std::max(most_, static_cast<double>(before_) - static_cast<double>(free_bytes()));
    return most_;
  }

 private:
  static std::size_t free_bytes() {
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total));
    return free;
  }
  std::size_t before_;
  double most_ = 0.0;
};

inline void finish_device() { check(cudaDeviceSynchronize()); }

inline std::string device_name() {
  cudaDeviceProp properties;
  int device = 0;
  check(cudaGetDevice(&device));
  check(cudaGetDeviceProperties(&properties, device));
  return properties.name;
}

}  // namespace gpusupernodal::bench
