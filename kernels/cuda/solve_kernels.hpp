#pragma once

/// \file
/// Launches of triangular solves: one a level of the assembly tree and direction, and what prepares them. Asynchronous on
/// `stream`; pointers are device memory. Every sum has a fixed order: equal input gives equal bits.

#include <cuda_runtime_api.h>

#include "kernels/cuda/tasks.hpp"

namespace gpusupernodal::cuda {

/// Right-hand sides that one CTA works on.
inline constexpr int solve_columns = 4;
/// Widest diagonal block whose inverse is kept whole.
inline constexpr int solve_block = 512;
/// Rows or columns that are a CTA's results.
inline constexpr int solve_outputs = 32;

/// Blocks of vectors are column-major, a column a right-hand side.
template <class T>
struct SolveData {
  const T* values;
  const std::int32_t* rows;           ///< Row lists of all panels.
  const std::int64_t* gather_offset;  ///< Contributions to a row of a front: source[offset[r]] … source[offset[r + 1] − 1].
  const std::int32_t* gather_source;
  T* x;        ///< order × columns. Forward: right-hand sides, overwritten; backward: solution.
  T* y;        ///< order × columns. Forward: solution; backward: right-hand sides.
  T* u;        ///< Contributions: rows × columns.
  T* partial;  ///< Partial sums: partials × columns.
  std::int64_t order;
  std::int64_t contributions;
  std::int64_t partials;
  int columns;  ///< Right-hand sides.
  bool early;   ///< Launches may begin before the one before has ended; only where solves_can_begin_early().
};

/// Whether the kernels that the current device runs were compiled for compute capability 9.0 or newer: only those wait
/// for the launch before.
bool solves_can_begin_early();

/// L y = x for the fronts of one level, or a step of them: `warps` tasks of warps, then `ctas` of CTAs.
template <class T>
void forward_level(const SolveData<T>& data, const SolveTask* tasks, int warps, int ctas, cudaStream_t stream);

/// Lᵀ x = y.
template <class T>
void backward_level(const SolveData<T>& data, const SolveTask* tasks, int warps, int ctas, cudaStream_t stream);

/// Widens the inverses of diagonal blocks, all of one `half`: inv = [A 0; B C]⁻¹ has −C⁻¹ B A⁻¹ below the diagonal, which
/// is stored transposed above it. Flops: 4·half³ a task.
template <class T>
void widen_inverses(T* values, const PanelInfo* panels, const WidenTask* tasks, int count, int half, cudaStream_t stream);

}  // namespace gpusupernodal::cuda
