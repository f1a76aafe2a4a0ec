#include "solver/cuda/run/device_memory.hpp"

#include <cuda_runtime_api.h>

#include "gpusupernodal/error.hpp"
#include "kernels/cuda/check.hpp"
#include "solver/common/fail.hpp"
#include "solver/cuda/run/device.hpp"

namespace gpusupernodal::cuda {
namespace {

class CudaMalloc final : public Allocator {
 public:
  explicit CudaMalloc(int device) : device_(device) {}

  /// cudaMalloc aligns to at least 256 bytes.
  void* allocate(std::size_t bytes, std::size_t) override {
    const DeviceGuard guard(device_);
    void* memory = nullptr;
    const cudaError_t code = cudaMalloc(&memory, bytes);
    if (code == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      return nullptr;
    }
    GPUSUPERNODAL_CUDA_CHECK(code);
    return memory;
  }

  void deallocate(void* pointer, std::size_t, std::size_t) noexcept override { static_cast<void>(cudaFree(pointer)); }

 private:
  int device_;
};

}  // namespace

std::shared_ptr<Allocator> make_device_allocator(int device) { return std::make_shared<CudaMalloc>(device); }

void require_free_memory(std::int64_t bytes) {
  std::size_t free = 0;
  std::size_t total = 0;
  GPUSUPERNODAL_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  if (bytes <= static_cast<std::int64_t>(free)) return;
  throw OutOfMemory(
      fmt::format("the factorization needs {} bytes of device memory, but only {} of {} bytes are free", bytes, free, total),
      __FILE__, __LINE__, bytes, static_cast<std::int64_t>(free));
}

void* Slab::cut(std::int64_t bytes) {
  const std::int64_t padded = (bytes + alignment - 1) / alignment * alignment;
  if (used_ + padded > bytes_.size()) {
    fail<InvalidState>("internal error: {} bytes of device memory were planned, but {} more are needed; please report this",
                       bytes_.size(), used_ + padded - bytes_.size());
  }
  void* const begin = bytes_.data() + used_;
  used_ += padded;
  return begin;
}

void* Slab::upload_bytes(const void* host, std::int64_t bytes) {
  void* const device = cut(bytes);
  copy_to_device(device, host, static_cast<std::size_t>(bytes));
  return device;
}

}  // namespace gpusupernodal::cuda
