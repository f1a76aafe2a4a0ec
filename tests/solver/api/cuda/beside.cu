#include <algorithm>
#include <cstdint>
#include <thread>

#include "kernels/cuda/check.hpp"
#include "tests/solver/api/cuda/beside.hpp"

namespace gpusupernodal::test {

struct DeviceOccupant::Flags {
  int arrived;
  int left;
  int released;
};

namespace {

__device__ std::uint64_t nanoseconds() {
  std::uint64_t time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

__global__ void delay_kernel(std::uint64_t duration) {
  const std::uint64_t begin = nanoseconds();
  while (nanoseconds() - begin < duration) {
  }
}

/// Waits for a bounded time, so that a solver that cannot make progress fails its test instead of hanging.
__global__ void hold_kernel(int* arrived, int* left, const volatile int* released, std::uint64_t duration) {
  const std::uint64_t begin = nanoseconds();
  atomicAdd_system(arrived, 1);
  while (*released == 0 && nanoseconds() - begin < duration) __nanosleep(2000);
  atomicAdd_system(left, 1);
}

int attribute(cudaDeviceAttr which) {
  int device = 0;
  int value = 0;
  GPUSUPERNODAL_CUDA_CHECK(cudaGetDevice(&device));
  GPUSUPERNODAL_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

}  // namespace

int multiprocessors() { return attribute(cudaDevAttrMultiProcessorCount); }

DeviceOccupant::DeviceOccupant(int left_free, double seconds) : ctas_(std::max(1, multiprocessors() - left_free)) {
  // Take all shared memory of a multiprocessor, so that no other CTA fits on it.
  const int shared = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  GPUSUPERNODAL_CUDA_CHECK(cudaFuncSetAttribute(hold_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  GPUSUPERNODAL_CUDA_CHECK(cudaHostAlloc(reinterpret_cast<void**>(&flags_), sizeof(Flags), cudaHostAllocMapped));
  *flags_ = Flags{};
  GPUSUPERNODAL_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  hold_kernel<<<ctas_, 1, shared, stream_>>>(&flags_->arrived, &flags_->left, &flags_->released,
                                             static_cast<std::uint64_t>(seconds * 1e9));
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("hold_kernel");
  const volatile int& arrived = flags_->arrived;
  while (arrived < ctas_) std::this_thread::yield();
}

DeviceOccupant::~DeviceOccupant() {
  release();
  static_cast<void>(cudaStreamSynchronize(stream_));
  static_cast<void>(cudaStreamDestroy(stream_));
  static_cast<void>(cudaFreeHost(flags_));
}

bool DeviceOccupant::holds() const {
  const volatile int& left = flags_->left;
  return left == 0;
}

void DeviceOccupant::release() {
  volatile int& released = flags_->released;
  released = 1;
}

void delay(cudaStream_t stream, double microseconds) {
  delay_kernel<<<1, 1, 0, stream>>>(static_cast<std::uint64_t>(microseconds * 1e3));
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("delay_kernel");
}

}  // namespace gpusupernodal::test
