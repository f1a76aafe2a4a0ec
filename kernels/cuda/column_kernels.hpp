#pragma once

/// \file
/// Launches of LU by columns. All are asynchronous on `stream`; pointers are device memory.

#include <cuda_runtime_api.h>

#include "kernels/common/column_records.hpp"
#include "kernels/common/records.hpp"

namespace gpusupernodal::cuda {

/// Values of L + U with their pattern, as ColumnStructure has them.
template <class T>
struct ColumnFactor {
  T* values = nullptr;
  const std::int64_t* row_offset = nullptr;
  const std::int32_t* lower = nullptr;
  const std::int32_t* upper = nullptr;
  const std::int32_t* columns = nullptr;
  const std::int64_t* column_offset = nullptr;
  const std::int32_t* rows = nullptr;
  const std::int64_t* position = nullptr;
  const std::int32_t* before = nullptr;
  const std::int32_t* above = nullptr;
  std::int32_t n = 0;
  std::int32_t tail_begin = 0;
  std::int32_t tail_end = 0;
  std::int64_t tail_values = 0;  ///< Position of the tail's first value.
  DeviceStatus* status = nullptr;
  double perturbation = 0.0;
};

/// Tasks of a factorization. `one_by_one`: sources of a task depend on one another, as in levels of rows.
struct ColumnTasks {
  const ColumnTask* tasks = nullptr;
  const ColumnSource* sources = nullptr;
  const std::int64_t* level_tasks = nullptr;
  bool one_by_one = false;
};

/// Runs the tasks of a launch. A pivot that is too small is used as one of the smallest magnitude allowed; it is replaced in
/// inspect_columns. Precondition: the status has the largest magnitude of the scaled A.
template <class T>
void run_columns(const ColumnFactor<T>& factor, const ColumnTasks& tasks, const ColumnLaunch& launch, cudaStream_t stream);

/// Factorizes the dense tail, in strips of tail_block columns: three launches a strip.
template <class T>
void factorize_tail(const ColumnFactor<T>& factor, cudaStream_t stream);

/// Replaces pivots that are too small, and sets bad_value, failed_column, failed_pivot, replaced_pivots, the extreme pivots
/// and largest_in_lu, as inspect_lu does.
template <class T>
void inspect_columns(const ColumnFactor<T>& factor, cudaStream_t stream);

/// Vectors of a solve, row-major with `stride` entries per row. All but x are unset when it begins (published.cuh).
template <class T>
struct ColumnVectors {
  const T* x = nullptr;  ///< Right-hand sides in elimination order.
  T* tail = nullptr;     ///< Right-hand sides of the tail after the columns before it have been subtracted.
  T* y = nullptr;        ///< Solution of the first triangular solve.
  T* z = nullptr;        ///< Solution.
  int stride = 1;
  int columns = 1;
  int* claims = nullptr;  ///< A counter for each column; zero.
};

/// Solves with L and U, or with their transposes, in one launch. `nodes` are `count` SolveNodes. Steps are
/// claimed in this order, so each waits only for steps that are done or running.
template <class T>
void solve_columns(const ColumnFactor<T>& factor, const std::int32_t* nodes, std::int64_t count, bool transposed,
                   const ColumnVectors<T>& vectors, cudaStream_t stream);

/// Marks entries as unset.
template <class T>
void mark_unset(T* entries, std::int64_t count, cudaStream_t stream);

/// Loads the kernels onto the current device.
template <class T>
void prepare_columns();

}  // namespace gpusupernodal::cuda
