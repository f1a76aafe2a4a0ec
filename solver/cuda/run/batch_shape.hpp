#pragma once

/// \file
/// How many systems a CTA of a batch computes, and with how many threads.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "kernels/common/batch_records.hpp"
#include "kernels/cuda/check.hpp"
#include "solver/cuda/plan/batch_program.hpp"

namespace gpusupernodal::cuda {

inline int multiprocessors(int device) {
  int count = 0;
  GPUSUPERNODAL_CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

/// The fewest systems in a group with which all groups run at once, one on each multiprocessor; at least a sector of memory.
template <class T>
std::int32_t lane_bits_for(std::int64_t systems, int device) {
  constexpr std::int64_t sector = 32;
  std::int64_t lanes = sector / static_cast<std::int64_t>(sizeof(T));
  while (lanes < max_batch_lanes && systems > lanes * multiprocessors(device)) lanes *= 2;
  return std::countr_zero(static_cast<std::uint64_t>(lanes));
}

/// Threads of a CTA: teams for the tasks of an average stage. Solves have fewer tasks in a stage, but their residuals and
/// copies take as many threads.
inline int threads_for(const BatchProgram& program, std::int32_t lane_bits) {
  constexpr std::size_t min_threads = 64;
  const std::size_t stages = std::max<std::size_t>(static_cast<std::size_t>(program.factor.stages()), 1);
  const std::size_t teams = (program.factor.tasks.size() + stages - 1) / stages;
  const std::size_t threads = std::bit_ceil(std::max<std::size_t>(teams, 1)) << lane_bits;
  return static_cast<int>(std::clamp<std::size_t>(threads, min_threads, max_batch_threads));
}

}  // namespace gpusupernodal::cuda
