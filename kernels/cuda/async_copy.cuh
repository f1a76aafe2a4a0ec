#pragma once

/// \file
/// Copies from global to shared memory that overlap with arithmetic (cp.async, compute capability 8.0), or plain copies
/// on older devices.

namespace gpusupernodal::cuda {

/// Copies Bytes bytes (4, 8 or 16; both addresses must be aligned to them), or zeroes the destination if `valid` is
/// false. `from` must be a readable address in either case.
template <int Bytes>
__device__ inline void copy_async(void* to, const void* from, bool valid) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const int size = valid ? Bytes : 0;
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(size) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(address), "l"(from), "n"(Bytes), "r"(size)
                 : "memory");
  }
#else
  struct alignas(Bytes) Chunk {
    char bytes[Bytes];
  };
  *static_cast<Chunk*>(to) = valid ? *static_cast<const Chunk*>(from) : Chunk{};
#endif
}

/// Copies the first `bytes` of 16 bytes and zeroes the rest. Both addresses must be aligned to 16.
__device__ inline void copy_part_async(void* to, const void* from, int bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
#else
  for (int i = 0; i < 4; ++i) static_cast<int*>(to)[i] = 4 * i < bytes ? static_cast<const int*>(from)[i] : 0;
#endif
}

__device__ inline void commit_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until at most `Pending` of this thread's committed groups are in flight.
template <int Pending>
__device__ inline void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}

}  // namespace gpusupernodal::cuda
