#pragma once

/// \file
/// Launches of triangular solves: one a level of the assembly tree and direction. Asynchronous on `stream`; pointers are
/// device memory.

#include <cuda_runtime_api.h>

#include "kernels/cuda/tasks.hpp"

namespace gpusupernodal::cuda {

/// Right-hand sides that one CTA works on.
inline constexpr int solve_columns = 4;

template <class T>
struct SolveData {
  const T* values;
  const PanelInfo* panels;
  const std::int32_t* rows;  ///< Row lists of all panels.
  T* x;                      ///< forward: right-hand sides, reduced as it goes; backward: not used.
  T* y;                      ///< forward: solution; backward: in place.
  std::int64_t ld;           ///< Of x and y.
  int columns;               ///< Right-hand sides.
  std::int32_t* counters;    ///< All 0 before and after; counters · ⌈columns / solve_columns⌉.
  std::int32_t counter_count;
};

/// y(task's columns) := L⁻¹ x, and x(rows below) −= L · y, for a task's chunk of rows. Several tasks may add to one row, by
/// atomics, in any order.
template <class T>
void forward_level(const SolveData<T>& data, const SolveTask* tasks, int count, cudaStream_t stream);

/// y(task's columns) := L⁻ᵀ (y − Lᵀ y(rows below)). The last of the tasks that share columns finishes them.
template <class T>
void backward_level(const SolveData<T>& data, const SolveTask* tasks, int count, cudaStream_t stream);

}  // namespace gpusupernodal::cuda
