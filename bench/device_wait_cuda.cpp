#include <cuda_runtime_api.h>

#include "bench/device_wait.hpp"

namespace gpusupernodal::bench {

void wait_for_device() {
  static const bool there = [] {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
  }();
  if (there) cudaDeviceSynchronize();
}

}  // namespace gpusupernodal::bench
