#pragma once

/// \file
/// What kernels of LU by columns share.

#include "kernels/cuda/column_kernels.hpp"

namespace gpusupernodal::cuda {

template <class T>
__device__ inline bool in_tail(const ColumnFactor<T>& f, std::int32_t k) {
  return k >= f.tail_begin && k < f.tail_end;
}

template <class T>
__device__ inline std::int64_t tail_position(const ColumnFactor<T>& f, std::int32_t row, std::int32_t column) {
  const std::int64_t order = f.tail_end - f.tail_begin;
  return f.tail_values + order * (row - f.tail_begin) + (column - f.tail_begin);
}

/// Position of the diagonal entry of a row.
template <class T>
__device__ inline std::int64_t diagonal_position(const ColumnFactor<T>& f, std::int32_t k) {
  return in_tail(f, k) ? tail_position(f, k, k) : f.row_offset[k] + f.lower[k];
}

}  // namespace gpusupernodal::cuda
