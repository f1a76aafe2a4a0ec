#pragma once

/// \file
/// Warps of a CTA that work on a whole front: all of them, or a half or a quarter, each with its part of the CTA's room.
/// What a warp does around its part of a product, and the trips of a front's vectors, cost the same for a small front: with
/// fewer warps a front the first is paid less often, and more fronts are on their way at once.

#include "kernels/cuda/solve_queue.cuh"

namespace gpusupernodal::cuda {

template <int Warps>
struct Team {
  static constexpr int warps = Warps;
  static constexpr int threads = 32 * Warps;
  static constexpr int teams = solve_warps / Warps;
  static constexpr int log_threads = Warps == 8 ? 8 : (Warps == 4 ? 7 : 6);
  static_assert(threads == 1 << log_threads && teams * Warps == solve_warps);

  __device__ static int index() { return Warps == solve_warps ? 0 : static_cast<int>(threadIdx.x) / threads; }
  __device__ static int thread() { return static_cast<int>(threadIdx.x) % threads; }
  __device__ static int warp() { return thread() / 32; }
  /// A barrier of the team.
  __device__ static void sync() {
    if constexpr (Warps == solve_warps) {
      __syncthreads();
    } else {
      sync_as<1>();
    }
  }

 private:
  /// By a constant: a CTA has all barriers otherwise, of which a multiprocessor has few.
  template <int Name>
  __device__ static void sync_as() {
    if (Name == teams || index() + 1 == Name) {
      asm volatile("bar.sync %0, %1;" ::"n"(Name), "n"(threads) : "memory");
    } else if constexpr (Name < teams) {
      sync_as<Name + 1>();
    }
  }
};
using Cta = Team<solve_warps>;

}  // namespace gpusupernodal::cuda
