#pragma once

/// \file
/// Random delays for a test build (GPUSUPERNODAL_CUDA_DELAYS). They expose wrong assumptions about ordering in kernels
/// that wait for each other's flags; racecheck cannot, because it checks shared memory only.

namespace gpusupernodal::cuda {

/// In a test build, delays about one call in eight by up to 30 µs; otherwise does nothing.
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
