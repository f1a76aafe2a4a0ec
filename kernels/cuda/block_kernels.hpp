#pragma once

/// \file
/// Launches beside cuBLAS and cuSOLVER for block tasks: the indexed subtraction, and what the solves need of a factorized
/// block. All asynchronous on `stream`; pointers are device memory.

#include <cuda_runtime_api.h>

#include "kernels/common/records.hpp"

namespace gpusupernodal::cuda {

/// The `modify` of [ZDG]: c(rows[i], cols[j]) −= u(i, j) for i < m, j < n, with `lower` for i ≥ j only. u and c are
/// column-major. Rows and columns are distinct, so that no two threads write one entry.
template <class T>
void subtract_indexed(const T* u, std::int64_t ldu, std::int32_t m, std::int32_t n, const std::int32_t* rows,
                      const std::int32_t* cols, bool lower, T* c, std::int64_t ldc, cudaStream_t stream);

/// Writes L⁻¹ transposed strictly above the diagonal of factorized pieces of at most tile_size columns, as factor_diagonal
/// does.
template <class T>
void invert_pieces(T* values, const PanelInfo* panels, const DiagonalTask* pieces, int count, cudaStream_t stream);

/// After cuSOLVER's potrf of a block at `diagonal`: makes sure that the pivot it failed at (*info > 0, counted from 1) is
/// not a positive finite number, which is how inspect_pivots finds it. Where the library left one there, its own pivot is
/// not known, and NaN says so.
template <class T>
void mark_failed_pivot(T* diagonal, std::int64_t ld, const int* info, cudaStream_t stream);

/// Loads the kernels onto the current device and raises their limits of dynamic shared memory there; once before the first
/// launch.
template <class T>
void prepare_block_kernels();

}  // namespace gpusupernodal::cuda
