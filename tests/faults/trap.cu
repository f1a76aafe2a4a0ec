/// A kernel that loses the device.

#include "tests/faults/trap.hpp"

namespace gpusupernodal::test {
namespace {

__global__ void trap_kernel() { __trap(); }

}  // namespace

cudaError_t lose_device_for_good() {
  trap_kernel<<<1, 1>>>();
  return cudaDeviceSynchronize();
}

}  // namespace gpusupernodal::test
