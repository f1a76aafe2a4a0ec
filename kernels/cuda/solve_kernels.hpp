#pragma once

/// \file
/// Launches of triangular solves, one per direction, and their preparation. Asynchronous on `stream`; pointers are
/// device memory. Every sum has a fixed order: equal input gives equal bits.

#include <cuda_runtime_api.h>

#include "kernels/common/device_complex.hpp"
#include "kernels/common/records.hpp"
#include "kernels/common/scalar_traits.hpp"
#include "kernels/common/solve_shapes.hpp"
#include "kernels/cuda/trace_buffer.hpp"

namespace gpusupernodal::cuda {

/// The tasks of one direction, in an order in which each waits only for earlier ones.
struct SolveSweep {
  const SolveTask* tasks = nullptr;       ///< Tasks of CTAs.
  const SolveTask* warp_tasks = nullptr;  ///< Tasks of warps, which CTA tasks of kind `warps` refer to.
  int count = 0;                          ///< Number of CTA tasks.
  int* claim = nullptr;                   ///< Index of the next unclaimed task: 0 before the launch.
  int* counters = nullptr;                ///< Counters that tasks wait for: 0 before the launch.
  TraceBuffer* trace = nullptr;           ///< Where CTAs record their tasks, waiting included; nullptr: nowhere.
  TracedWork work = TracedWork::forward;  ///< Kind of work that they record.
};

/// One right-hand side: CTAs per multiprocessor of compute capability 9.0, and bytes of L that each holds in shared
/// memory.
template <class T>
inline constexpr int one_rhs_ctas = ScalarTraits<T>::bytes == 4 ? 4 : (ScalarTraits<T>::bytes == 8 ? 3 : 1);
template <class T>
inline constexpr int tile_bytes = one_rhs_entries<T>* static_cast<int>(sizeof(T));

/// Entries of L as its transpose takes them: as they are, or for Hermitian matrices conjugated.
template <class T>
struct Mirror {
#ifdef __CUDACC__
  __device__ T operator()(T entry) const { return entry; }
#endif
};
template <class R>
struct Mirror<Complex<R>> {
  R sign = R(1);  ///< −1: conjugated.

#ifdef __CUDACC__
  __device__ Complex<R> operator()(Complex<R> entry) const { return {entry.re, sign * entry.im}; }
#endif
};

/// Vectors and panels of a solve. Blocks of vectors are row-major; a row has `padded` entries, one per right-hand side.
/// With one right-hand side, entries of `t`, `partials` and `solution` and, forward, of `y`, `u` and `sums` are unset
/// until they are published (published.cuh); tasks then wait for entries instead of counters.
template <class T>
struct SolveData : Mirror<T> {
  const T* values;
  const std::int32_t* rows;  ///< Row lists of all panels.
  const RowSources* gather;  ///< Sources of each row of a front.
  const std::int32_t* gather_more;
  T* x;  ///< order × padded. Forward: right-hand sides (several are overwritten); backward: solution of several.
  T* y;  ///< order × padded. Forward: solution; backward: right-hand sides (several are overwritten).
  T* u;  ///< Forward: contributions, rows × padded; backward: partial sums of several right-hand sides.
  std::int64_t order;
  SolveSweep sweep;
  // One right-hand side only:
  int tile_bytes = 0;     ///< SolveGrids::tile_bytes.
  T* t = nullptr;         ///< order. Right-hand sides of blocks; forward, only of wide fronts and after the first block.
  T* sums = nullptr;      ///< Forward: what blocks of wide fronts leave for the rows below.
  T* partials = nullptr;  ///< Backward: partial sums.
  T* solution = nullptr;  ///< order. Backward: solution.
};

/// Launch size of a sweep.
struct SolveGrid {
  int ctas = 0;           ///< CTAs that the device runs at once.
  int shared_memory = 0;  ///< Dynamic shared memory per CTA, in bytes.
};

/// Launch sizes for 1, solve_few and solve_many right-hand sides.
struct SolveGrids {
  SolveGrid forward[3];
  SolveGrid backward[3];
  int tile_bytes = 0;  ///< One right-hand side: bytes of L that fit into a CTA's shared memory.
};

/// Returns 0, 1 or 2, the index of the sweep for `padded` = 1, solve_few or solve_many right-hand sides.
inline int solve_shape(int padded) { return padded == 1 ? 0 : (padded == solve_few ? 1 : 2); }

/// Returns the padded number of right-hand sides for a solve of `columns` ≤ solve_many.
inline int padded_columns(int columns) { return columns == 1 ? 1 : (columns <= solve_few ? solve_few : solve_many); }

/// Returns the launch sizes on the current device and allows the kernels the shared memory that they need. Must be
/// called before a sweep is launched on that device.
template <class T>
SolveGrids solve_grids();

/// Whether the kernels that the current device runs were compiled for compute capability 9.0 or newer. Only those wait
/// for the preceding launch.
template <class T>
bool solves_can_begin_early();

/// Solves L y = x with at most grid.ctas CTAs. With `early`, which requires solves_can_begin_early(), the launch may
/// begin before the preceding one has ended.
template <class T>
void forward_sweep(const SolveData<T>& data, int padded, const SolveGrid& grid, bool early, cudaStream_t stream);

/// Solves Lᵀ x = y. Overwrites y.
template <class T>
void backward_sweep(const SolveData<T>& data, int padded, const SolveGrid& grid, bool early, cudaStream_t stream);

/// What merge_block_inverses must know of a factor.
struct MergeInverses {
  std::int64_t partner = 0;  ///< LU: distance of the panels' partners in values; 0: there are none.
  bool adjoint = true;       ///< Complex scalars: adjoints of inverses are stored, not transposes.
};

/// Merges inverses of diagonal blocks, all with the same `half`: [A 0; B C]⁻¹ has −C⁻¹ B A⁻¹ below the diagonal, which
/// is stored transposed above it. Likewise, for LU, in the partners of the panels. Flops: 4·half³ per task and partner.
template <class T>
void merge_block_inverses(T* values, const MergeInverses& merges, const PanelInfo* panels, const MergeInversesTask* tasks,
                          int count, int half, cudaStream_t stream);
/// Loads the kernels of merge_block_inverses onto the current device. `adjoint` as in MergeInverses.
template <class T>
void prepare_inverse_merges(bool adjoint);

}  // namespace gpusupernodal::cuda
