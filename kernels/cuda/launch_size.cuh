#pragma once

/// \file
/// Sizes of one-dimensional launches.

#include <algorithm>
#include <cstdint>

namespace gpusupernodal::cuda {

inline constexpr int flat_threads = 256;

/// CTAs of flat_threads threads for a grid-stride loop over `count` items: enough to fill any device, never 0.
inline unsigned flat_blocks(std::int64_t count) {
  const std::int64_t blocks = (count + flat_threads - 1) / flat_threads;
  return static_cast<unsigned>(std::clamp<std::int64_t>(blocks, 1, 16384));
}

__device__ inline std::int64_t flat_index() { return static_cast<std::int64_t>(blockIdx.x) * flat_threads + threadIdx.x; }
__device__ inline std::int64_t flat_step() { return static_cast<std::int64_t>(gridDim.x) * flat_threads; }

}  // namespace gpusupernodal::cuda
