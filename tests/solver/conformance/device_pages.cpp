#include <cuda_runtime_api.h>

#include "kernels/cuda/check.hpp"
#include "tests/solver/conformance/poisoned_arena.hpp"

namespace gpusupernodal::test {

void* take_device_pages(std::size_t bytes) {
  void* pages = nullptr;
  return cudaMalloc(&pages, bytes) == cudaSuccess ? pages : nullptr;
}

void give_back_device_pages(void* pages) { static_cast<void>(cudaFree(pages)); }

void poison_device_pages(void* pages, std::size_t bytes) {
  GPUSUPERNODAL_CUDA_CHECK(cudaMemset(pages, 0xff, bytes));
  GPUSUPERNODAL_CUDA_CHECK(cudaDeviceSynchronize());
}

}  // namespace gpusupernodal::test
