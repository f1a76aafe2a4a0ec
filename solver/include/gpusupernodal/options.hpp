#pragma once

/// \file
/// Everything a caller may choose. The defaults are measured choices (bench/notebook).

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpusupernodal/allocator.hpp"

namespace gpusupernodal {

/// Which executor holds the values. `automatic` takes CUDA where a device is found and the cost model says it is faster.
enum class Backend { automatic, host, cuda };

/// Fill-reducing ordering. `nested_dissection` is the library's own, on all threads; `metis` runs on one. `user` takes
/// Options::permutation.
enum class Ordering { automatic, nested_dissection, metis, amd, natural, user };

/// How supernodes are merged. `narrow`: child and parent both narrower than `merge_width` [ZDG];
/// `bounded`: as long as the explicit zeros stay under a bound that falls with the width [AG89, CDHR08].
enum class Merging { none, narrow, bounded };

/// How the CUDA backend schedules the supernodes above the narrow ones. `levels`: kernels of the library's own, all
/// independent pieces of a level of the assembly tree a launch. `streams`: the founding schedule [ZDG], block tasks by
/// cuBLAS and cuSOLVER over streams and events, kept as the baseline to compare with.
enum class CudaSchedule { levels, streams };

/// Iterative refinement in solve: x += A⁻¹(b − A x).
struct Refinement {
  int max_steps = 0;  ///< At most; 0: off.
  double backward_error =
      0.0;  ///< Stop when ‖b − Ax‖∞ / (‖A‖∞‖x‖∞ + ‖b‖∞) is at most this; 0: until a step no longer halves it.
};

/// What a progress callback is told; `fraction` in [0, 1] within the phase.
struct Progress {
  const char* phase = "";  ///< Name of the step that begins, or "factorize"; lives as long as the program.
  double fraction = 0.0;   ///< Of the phase, done.
};

/// Everything a caller may choose; the defaults suit most matrices. docs/options.md says how to choose.
/// All act from the next analyze on, but `refinement` and `factor_progress` from the next factorize on, and
/// `check_right_hand_sides` from the next solve on.
struct Options {
  Backend backend = Backend::automatic;  ///< Where to factorize and solve.

  Ordering ordering = Ordering::automatic;  ///< Order of elimination.
  /// For Ordering::user: permutation[k] is the row of A (zero-based) to be eliminated k-th. The order is postordered: rows
  /// may be eliminated earlier or later, so that each supernode's columns are adjacent, but L has the same fill.
  /// Solver::old_of_new() returns the order in which rows are eliminated, which counts for System::l, System::lt and
  /// extract_l. Ordering::natural is postordered too.
  std::vector<std::int64_t> permutation;
  /// Rows of A (zero-based) to be eliminated after all others, as for a Schur complement: groups in the order of
  /// elimination, each after the one before it and all rows that are in none. Every ordering keeps to it and is free within
  /// a group; a permutation must have it. Rows of two groups are in no supernode together.
  std::vector<std::vector<std::int64_t>> last_rows;
  /// Of the random choices of Ordering::nested_dissection: the same seed gives the same order, on any number of threads.
  std::uint64_t ordering_seed = 0;
  /// How many factorizations of the pattern will follow: by this Ordering::automatic weighs the time of an ordering against
  /// what it saves in each. With 1 it takes a quick one where that is better in all, from 1000 on it tries harder.
  std::int32_t expected_factorizations = 100;
  /// Take the plan of an earlier analyze of the same pattern with the same options, and keep plans for later ones, as far as
  /// set_plan_cache_limits allows (plan_cache.hpp).
  bool plan_cache = true;
  Merging merging = Merging::bounded;  ///< Which supernodes are merged.
  std::int32_t merge_width = 64;       ///< The width t of Merging::narrow.
  std::int32_t block_width = 0;        ///< Columns of a block; 0: the backend's default (cuda 1024, host 128 to 384). Blocks
                                       ///< end at multiples of 512 columns too.

  /// Host threads; 0: all that the process may use. Never more than that, or than a tbb::global_control of the program
  /// allows; AnalyzeReport::device says how many work on the host backend.
  int threads = 0;
  int device = -1;  ///< CUDA device; −1: the caller's current one.
  int streams = 4;  ///< CUDA streams of the task schedule, 1 to 32.
  /// The device that plans for CUDA are made for, by a name that the library has figures of ("H200", "H100"). Empty: the
  /// device that is found, else the H200. With it, Solver::preview tells what a device would need on a machine that has
  /// none.
  std::string device_profile;

  CudaSchedule cuda_schedule = CudaSchedule::levels;  ///< How CUDA works on wide supernodes.

  Refinement refinement;     ///< Of each solve of System::a; from the next factorize on.
  bool check_finite = true;  ///< Report NaN and Inf in A as a status with its position.
  /// The same bits in every factorization of the same values on the same device (CudaSchedule::levels). The host's and those
  /// of solves are so in any case. docs/schedules.md has the price.
  bool deterministic = false;
  /// Refuse NaN and Inf in right-hand sides, naming row and right-hand side. From the next solve on; looks at those in host
  /// memory only. Otherwise, and where this is off, they spread to x.
  bool check_right_hand_sides = true;

  std::shared_ptr<Allocator> host_allocator;    ///< nullptr: aligned operator new.
  std::shared_ptr<Allocator> device_allocator;  ///< nullptr: cudaMalloc.

  /// Record what runs where and when, for Solver::trace_json and FactorReport::regimes. Takes host memory as long as it is
  /// on (96 bytes a task), on CUDA device memory too, and there times each launch by events, which makes small
  /// factorizations slower. docs/observability.md.
  bool trace = false;

  /// Called between the steps of analyze, from the calling thread; return false to cancel (throws Cancelled). What it throws
  /// comes out of analyze. It may use other solvers, but must not call members of the one that calls it; this holds for
  /// factor_progress too.
  std::function<bool(const Progress&)> progress;
  /// Called in factorize and refactorize, from the calling thread, with the share of the flops done: first 0, then about
  /// each 1 % that tasks of this thread see, at last 1; return false to cancel (throws Cancelled; there is no factor then,
  /// and the next factorize works). From the next factorize on. With one set, CUDA waits for the device some twenty times in
  /// each factorize that no graph captures; without one it costs nothing.
  std::function<bool(const Progress&)> factor_progress;
};

}  // namespace gpusupernodal
