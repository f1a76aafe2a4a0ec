#pragma once

/// \file
/// Work that runs concurrently with a solver: kernels that only occupy multiprocessors or a stream for a while.

#include <cuda_runtime_api.h>

namespace gpusupernodal::test {

/// Occupies whole multiprocessors from the constructor on. A kernel that assumes that all of its CTAs are resident, or that
/// a particular multiprocessor is free, waits until they are released.
class DeviceOccupant {
 public:
  /// Occupies all but `left_free` multiprocessors until release(), or for `seconds` at most. Returns when they are occupied.
  DeviceOccupant(int left_free, double seconds);
  ~DeviceOccupant();
  DeviceOccupant(const DeviceOccupant&) = delete;
  DeviceOccupant& operator=(const DeviceOccupant&) = delete;

  /// Whether all multiprocessors are still occupied.
  bool holds() const;
  void release();

 private:
  struct Flags;
  Flags* flags_ = nullptr;  ///< Page-locked memory that the device reads and writes.
  cudaStream_t stream_ = nullptr;
  int ctas_ = 0;
};

/// Number of multiprocessors of the current device.
int multiprocessors();

/// Launches a kernel of one thread that takes this long.
void delay(cudaStream_t stream, double microseconds);

}  // namespace gpusupernodal::test
