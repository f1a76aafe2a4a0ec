#pragma once

/// \file
/// Launches of triangular solves: one a direction, and what prepares them. Asynchronous on `stream`; pointers are device
/// memory. Every sum has a fixed order: equal input gives equal bits.

#include <cuda_runtime_api.h>

#include "kernels/common/records.hpp"
#include "kernels/common/solve_shapes.hpp"
#include "kernels/cuda/trace_buffer.hpp"

namespace gpusupernodal::cuda {

/// The tasks of a direction, in an order in which each waits only for earlier ones.
struct SolveSweep {
  const SolveTask* tasks = nullptr;       ///< Of CTAs.
  const SolveTask* warp_tasks = nullptr;  ///< Those that tasks of kind `warps` name.
  int count = 0;                          ///< CTA tasks.
  int* claim = nullptr;                   ///< The next task that nobody has taken: 0 before the launch.
  int* counters = nullptr;                ///< What tasks wait for: 0 before the launch.
  TraceBuffer* trace = nullptr;           ///< Where CTAs write down their tasks, waiting included; nullptr: nowhere.
  TracedWork work = TracedWork::forward;  ///< What they call them.
};

/// With one right-hand side: CTAs that a multiprocessor of compute capability 9.0 holds, and bytes of L that each of them
/// has in shared memory.
template <class T>
inline constexpr int one_rhs_ctas = sizeof(T) == 8 ? 3 : 4;
template <class T>
inline constexpr int tile_bytes = one_rhs_entries<T>* static_cast<int>(sizeof(T));

/// Blocks of vectors are row-major, a row the entries of all right-hand sides: `padded` of them. With one right-hand side
/// entries are unset until they are published (published.cuh): `t`, forward `y`, `u` and `sums`, backward `partials` and
/// `solution`; tasks then wait for these, not for counters.
template <class T>
struct SolveData {
  const T* values;
  const std::int32_t* rows;  ///< Row lists of all panels.
  const RowSources* gather;  ///< Of each row of a front.
  const std::int32_t* gather_more;
  T* x;  ///< order × padded. Forward: right-hand sides, of several overwritten; backward: solution of several.
  T* y;  ///< order × padded. Forward: solution; backward: right-hand sides, of several overwritten.
  T* u;  ///< Forward: contributions, rows × padded; backward: partial sums of several right-hand sides.
  std::int64_t order;
  SolveSweep sweep;
  // Of one right-hand side:
  int tile_bytes = 0;     ///< SolveGrids::tile_bytes.
  T* t = nullptr;         ///< order. Right-hand sides of blocks: forward, of wide fronts, after the first; backward.
  T* sums = nullptr;      ///< Forward: what blocks of wide fronts leave of the rows below.
  T* partials = nullptr;  ///< Backward: partial sums.
  T* solution = nullptr;  ///< order. Backward: solution.
};

/// How a sweep is launched.
struct SolveGrid {
  int ctas = 0;           ///< That the device runs at once.
  int shared_memory = 0;  ///< Dynamic shared memory of each, in bytes.
};

/// For 1, solve_few and solve_many right-hand sides.
struct SolveGrids {
  SolveGrid forward[3];
  SolveGrid backward[3];
  int tile_bytes = 0;  ///< Of L that a CTA's shared memory has room for, with one right-hand side.
};

/// 0, 1 or 2: which sweep solves for `padded` right-hand sides, 1, solve_few or solve_many.
inline int solve_shape(int padded) { return padded == 1 ? 0 : (padded == solve_few ? 1 : 2); }

/// Right-hand sides that a solve of `columns` ≤ solve_many works on.
inline int padded_columns(int columns) { return columns == 1 ? 1 : (columns <= solve_few ? solve_few : solve_many); }

/// Of the current device, of which it must have been asked before a sweep is launched there: it lets the kernels have the
/// shared memory that they need.
template <class T>
SolveGrids solve_grids();

/// Whether the kernels that the current device runs were compiled for compute capability 9.0 or newer: only those wait
/// for the launch before.
bool solves_can_begin_early();

/// L y = x by at most grid.ctas CTAs. Where `early` says so, it may begin before the launch before it has ended; only where
/// solves_can_begin_early().
template <class T>
void forward_sweep(const SolveData<T>& data, int padded, const SolveGrid& grid, bool early, cudaStream_t stream);

/// Lᵀ x = y. Overwrites y.
template <class T>
void backward_sweep(const SolveData<T>& data, int padded, const SolveGrid& grid, bool early, cudaStream_t stream);

/// Widens the inverses of diagonal blocks, all of one `half`: inv = [A 0; B C]⁻¹ has −C⁻¹ B A⁻¹ below the diagonal, which
/// is stored transposed above it. Flops: 4·half³ a task.
template <class T>
void merge_block_inverses(T* values, const PanelInfo* panels, const MergeInversesTask* tasks, int count, int half,
                          cudaStream_t stream);
/// Loads its kernels onto the current device.
template <class T>
void prepare_inverse_merges();

}  // namespace gpusupernodal::cuda
