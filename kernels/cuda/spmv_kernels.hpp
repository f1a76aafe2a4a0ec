#pragma once

/// \file
/// Sparse products on a device. Asynchronous on `stream`; pointers are device memory. Nothing is allocated. Every product is
/// y := alpha·A x + beta·y (ProductVectors) for a matrix in the format of its name (SparseArrays).

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/common/sparse_arrays.hpp"

namespace gpusupernodal::cuda {

/// CTAs of a product whose ProductVectors::partials are wanted, at most: one partial sum each. They fill the 132
/// multiprocessors of an H200.
inline constexpr int max_dot_blocks = 1056;

/// Bytes: (4 + sizeof S) an entry, 4 + 2·sizeof S a row and column.
template <class S>
void csr_product(const SparseArrays<S>& a, const ProductVectors<S>& v, cudaStream_t stream);
/// Partial sums that csr_product writes.
template <class S>
int csr_dot_blocks(const SparseArrays<S>& a);
/// Loads the kernels of csr_product onto the current device; so do the other prepare functions.
template <class S>
void prepare_csr_product();

/// For the formats sell and ell. Bytes: (2 or 4 + sizeof S) a stored entry.
template <class S>
void sell_product(const SparseArrays<S>& a, const ProductVectors<S>& v, cudaStream_t stream);
/// Partial sums that sell_product and block_product write.
template <class S>
int sell_dot_blocks(const SparseArrays<S>& a);
template <class S>
void prepare_sell_product();

/// For blocks of 2, 3 and 6. Bytes: sizeof S a stored entry, 2 or 4 a block.
template <class S>
void block_product(const SparseArrays<S>& a, const ProductVectors<S>& v, cudaStream_t stream);
template <class S>
void prepare_block_product();

/// Bytes: sizeof S a stored entry; a symmetric half is read twice, the second time mostly from L2.
template <class S>
void dia_product(const SparseArrays<S>& a, const ProductVectors<S>& v, cudaStream_t stream);
/// Partial sums that dia_product writes.
template <class S>
int dia_dot_blocks(const SparseArrays<S>& a);
template <class S>
void prepare_dia_product();

/// y += alpha·A x for one column. `carries` has 2·coo_chunks(stored_values) entries of workspace. Bytes: (8 + sizeof S) an
/// entry. Two launches.
template <class S>
void add_coo_product(const SparseArrays<S>& a, S alpha, const S* x, S* y, S* carries, cudaStream_t stream);
template <class S>
void prepare_coo_product();
constexpr std::int64_t coo_chunks(std::int64_t entries) { return (entries + coo_chunk - 1) / coo_chunk; }

/// stored[k] := values[source[k]], or 0 where source[k] is −1, for k < count.
template <class S>
void gather_values(const S* values, const std::int32_t* source, std::int64_t count, S* stored, cudaStream_t stream);

/// y := beta·y for all columns of `rows` rows; 0 if beta is 0.
template <class S>
void scale_rows(std::int32_t rows, const ProductVectors<S>& v, cudaStream_t stream);

/// partials[0 … row_dot_blocks(rows)−1] := parts of xᵀy.
template <class S>
void dot_rows(const S* x, const S* y, std::int32_t rows, double* partials, cudaStream_t stream);
int row_dot_blocks(std::int32_t rows);

template <class S>
void prepare_sparse_values();

}  // namespace gpusupernodal::cuda
