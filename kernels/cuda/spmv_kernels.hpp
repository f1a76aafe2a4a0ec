#pragma once

/// \file
/// Sparse products on a device. Asynchronous on `stream`; pointers are device memory. Nothing is allocated.

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/common/sparse_arrays.hpp"

namespace gpusupernodal::cuda {

/// CTAs of a product whose ProductVectors::partials are wanted: one partial sum each. Fits an H200's 132 multiprocessors
/// eight times.
inline constexpr int max_dot_blocks = 1056;

/// CTAs of a CSR product with partial sums.
template <class S>
int csr_dot_blocks(const SparseArrays<S>& a);

/// Bytes: (4 + sizeof S) an entry, 4 + 2·sizeof S a row and column.
template <class S>
void csr_product(const SparseArrays<S>& a, const ProductVectors<S>& v, cudaStream_t stream);

/// stored[k] := values[source[k]], or 0 where source[k] is −1, for k < count.
template <class S>
void gather_values(const S* values, const std::int32_t* source, std::int64_t count, S* stored, cudaStream_t stream);

/// y := beta·y for all columns of `rows` rows; 0 if beta is 0.
template <class S>
void scale_rows(std::int32_t rows, const ProductVectors<S>& v, cudaStream_t stream);

/// Loads the kernels of a format onto the current device.
template <class S>
void prepare_csr_product();
/// Loads the kernels of gather_values and scale_rows.
template <class S>
void prepare_sparse_values();

}  // namespace gpusupernodal::cuda
