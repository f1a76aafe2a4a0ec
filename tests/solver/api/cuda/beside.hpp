#pragma once

/// \file
/// Work beside a solver: kernels that do nothing but hold multiprocessors or a stream for a while.

#include <cuda_runtime_api.h>

namespace gpusupernodal::test {

/// Holds multiprocessors, each as a whole, from the constructor on. Whoever assumes that its CTAs run together, or that any
/// multiprocessor is free, waits until they are given back.
class DeviceOccupant {
 public:
  /// All but `left_free` multiprocessors, until release() or for `seconds` at most. They are held when it returns.
  DeviceOccupant(int left_free, double seconds);
  ~DeviceOccupant();
  DeviceOccupant(const DeviceOccupant&) = delete;
  DeviceOccupant& operator=(const DeviceOccupant&) = delete;

  /// Whether none was given back so far.
  bool holds() const;
  void release();

 private:
  struct Flags;
  Flags* flags_ = nullptr;  ///< In page-locked memory that the device reads and writes.
  cudaStream_t stream_ = nullptr;
  int ctas_ = 0;
};

/// Multiprocessors of the current device.
int multiprocessors();

/// A kernel of one thread that takes this long.
void delay(cudaStream_t stream, double microseconds);

}  // namespace gpusupernodal::test
