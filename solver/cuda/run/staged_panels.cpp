#include "solver/cuda/run/staged_panels.hpp"

#include "gpusupernodal/error.hpp"
#include "kernels/cuda/check.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal::cuda {

PinnedMemory::PinnedMemory(std::int64_t bytes) {
  if (bytes == 0) return;
  const cudaError_t code = cudaHostAlloc(&data_, static_cast<std::size_t>(bytes), cudaHostAllocDefault);
  if (code != cudaErrorMemoryAllocation) {
    GPUSUPERNODAL_CUDA_CHECK(code);  // The device may be lost.
    return;
  }
  static_cast<void>(cudaGetLastError());
  throw OutOfMemory(
      fmt::format("no memory for the panels that the device does not hold: {} bytes of page-locked host memory were refused",
                  bytes),
      __FILE__, __LINE__, bytes, -1);
}

PinnedMemory::~PinnedMemory() { static_cast<void>(cudaFreeHost(data_)); }

}  // namespace gpusupernodal::cuda
