#pragma once

/// \file
/// The CUDA runtime functions that the examples use. cuda/device.cpp wraps the calls. Builds without CUDA use
/// cuda/no_device.cpp instead, and missing() says so.

#include <cstddef>
#include <string>
#include <vector>

namespace example::device {

/// Empty if the library can use a device; otherwise the reason why not.
std::string missing();

void* allocate(std::size_t bytes);       ///< cudaMalloc; nullptr if memory is insufficient.
void deallocate(void* memory) noexcept;  ///< cudaFree
void* create_stream();                   ///< cudaStreamCreateWithFlags(…, cudaStreamNonBlocking)
void destroy_stream(void* stream);       ///< cudaStreamDestroy
void wait_for(void* stream);             ///< cudaStreamSynchronize
void copy_to_device(void* to, const void* from, std::size_t bytes, void* stream);  ///< cudaMemcpyAsync
void copy_to_host(void* to, const void* from, std::size_t bytes, void* stream);    ///< cudaMemcpyAsync, and waits

/// An array of doubles in device memory.
class Array {
 public:
  explicit Array(std::size_t count) : data_(static_cast<double*>(allocate(count * sizeof(double)))), count_(count) {}
  ~Array() { deallocate(data_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  double* data() const { return data_; }  ///< Device address.
  void set(const std::vector<double>& values, void* stream) {
    copy_to_device(data_, values.data(), count_ * sizeof(double), stream);
  }
  std::vector<double> get(void* stream) const {
    std::vector<double> values(count_);
    copy_to_host(values.data(), data_, count_ * sizeof(double), stream);
    return values;
  }

 private:
  double* data_;
  std::size_t count_;
};

}  // namespace example::device
