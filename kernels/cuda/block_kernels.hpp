#pragma once

/// \file
/// Launches that complement cuBLAS and cuSOLVER for block tasks: indexed subtraction, and preparation of a factorized
/// block for solves. All are asynchronous on `stream`; pointers are device memory.

#include <cuda_runtime_api.h>

#include "kernels/common/records.hpp"

namespace gpusupernodal::cuda {

/// The `modify` of [ZDG]: c(rows[i], cols[j]) −= u(i, j) for i < m, j < n; with `lower`, only for i ≥ j. u and c are
/// column-major. Precondition: rows and columns are distinct, so no two threads write the same entry.
template <class T>
void subtract_indexed(const T* u, std::int64_t ldu, std::int32_t m, std::int32_t n, const std::int32_t* rows,
                      const std::int32_t* cols, bool lower, T* c, std::int64_t ldc, cudaStream_t stream);

/// Writes the transpose of L⁻¹ strictly above the diagonal of factorized pieces of at most tile_size columns, as
/// factor_diagonal does.
template <class T>
void invert_pieces(T* values, const PanelInfo* panels, const DiagonalTask* pieces, int count, cudaStream_t stream);

/// Marks a pivot at which cuSOLVER's potrf failed (*info > 0, counted from 1) so that inspect_pivots finds it. If the
/// library left a positive finite number there, the real pivot is unknown and is replaced by NaN.
template <class T>
void mark_failed_pivot(T* diagonal, std::int64_t ld, const int* info, cudaStream_t stream);

/// Loads the kernels onto the current device and raises their limits of dynamic shared memory. Call it once before the
/// first launch.
template <class T>
void prepare_block_kernels();

}  // namespace gpusupernodal::cuda
