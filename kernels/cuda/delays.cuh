#pragma once

/// \file
/// Delays for a test build (GPUSUPERNODAL_CUDA_DELAYS): what kernels that wait for each other's flags assume about the order
/// in which things happen then shows. Racecheck cannot: it sees shared memory only.

namespace gpusupernodal::cuda {

/// In a test build about one call of a warp in eight waits for up to 30 µs; nothing else.
__device__ inline void perhaps_delay([[maybe_unused]] int place) {
#ifdef GPUSUPERNODAL_CUDA_DELAYS
  constexpr unsigned long long mixer = 0x9e3779b97f4a7c15ULL;
  const auto where = static_cast<unsigned long long>(place + 4096 * static_cast<int>(threadIdx.x / 32u));
  unsigned long long drawn = (static_cast<unsigned long long>(clock64()) + where) * mixer;
  drawn = (drawn ^ (drawn >> 29)) * mixer;
  if (drawn >> 61 == 0) __nanosleep(static_cast<unsigned>(drawn >> 47) & 0x3fffU);
#endif
}

}  // namespace gpusupernodal::cuda
