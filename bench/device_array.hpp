#pragma once

/// \file
/// Vectors in device memory, and times that include the device's work.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "bench/timing.hpp"
#include "gpusupernodal/views.hpp"

namespace gpusupernodal::bench {

/// A copy of a vector in a memory space, rounded to T.
template <class T>
class Array {
 public:
  Array(const std::vector<double>& host, MemorySpace space) : host_(host.begin(), host.end()), space_(space) {
    if (space == MemorySpace::host || host.empty()) return;
    if (cudaMalloc(&device_, bytes()) != cudaSuccess ||
        cudaMemcpy(device_, host_.data(), bytes(), cudaMemcpyHostToDevice) != cudaSuccess) {
      throw std::runtime_error("no device memory for a vector");
    }
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { cudaFree(device_); }
  T* data() { return space_ == MemorySpace::host ? host_.data() : static_cast<T*>(device_); }
  std::vector<double> to_host() {
    if (device_ != nullptr) cudaMemcpy(host_.data(), device_, bytes(), cudaMemcpyDeviceToHost);
    return {host_.begin(), host_.end()};
  }

 private:
  std::size_t bytes() const { return host_.size() * sizeof(T); }
  std::vector<T> host_;
  MemorySpace space_;
  void* device_ = nullptr;
};

/// Median time of a call and of the work that it puts on the device; the first call is not counted.
template <class Call>
double median_seconds(int repeat, const Call& call) {
  const auto finished = [&] {
    call();
    cudaDeviceSynchronize();
  };
  finished();
  std::vector<double> seconds;
  for (int r = 0; r < repeat; ++r) seconds.push_back(seconds_of(finished));
  return median(seconds);
}

}  // namespace gpusupernodal::bench
