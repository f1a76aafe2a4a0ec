#pragma once

/// \file
/// Teams: warps of a CTA that solve a whole front. A team is all warps, a half or a quarter of them, or one warp, with
/// the same share of the CTA's shared memory. For small fronts, the overhead of each warp and the latency of the vectors
/// dominate. With fewer warps per front, less overhead is paid and more fronts are in flight at once.

#include "kernels/common/solve_shapes.hpp"

namespace gpusupernodal::cuda {

inline constexpr int solve_threads = 32 * solve_warps;

template <int Warps>
struct Team {
  static constexpr int warps = Warps;
  static constexpr int threads = 32 * Warps;
  static constexpr int teams = solve_warps / Warps;
  static constexpr int log_threads = Warps == 8 ? 8 : (Warps == 4 ? 7 : 4 + Warps);
  static_assert(threads == 1 << log_threads && teams * Warps == solve_warps);

  __device__ static int index() { return Warps == solve_warps ? 0 : static_cast<int>(threadIdx.x) / threads; }
  __device__ static int thread() { return static_cast<int>(threadIdx.x) % threads; }
  __device__ static int warp() { return thread() / 32; }
  /// Barrier of the team.
  __device__ static void sync() {
    if constexpr (Warps == solve_warps) {
      __syncthreads();
    } else if constexpr (Warps == 1) {
      __syncwarp();
    } else {
      sync_as<1>();
    }
  }

 private:
  /// The barrier's name is a constant: with a variable name the compiler reserves all barriers, of which a
  /// multiprocessor has few.
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
using OneWarp = Team<1>;

}  // namespace gpusupernodal::cuda
