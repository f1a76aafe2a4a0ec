#pragma once

/// \file
/// Sparse products on one core: y := alpha·A x + beta·y (ProductVectors) for a part of a matrix (SparseArrays). Each call
/// writes the rows of its part, and no others.

#include <cstdint>

#include "kernels/common/sparse_arrays.hpp"

namespace gpusupernodal {

/// Rows first … last−1.
template <class S>
void csr_product(const SparseArrays<S>& a, const ProductVectors<S>& v, std::int32_t first, std::int32_t last);

/// Slices first … last−1 of SELL, ELL or blocks.
template <class S>
void sell_product(const SparseArrays<S>& a, const ProductVectors<S>& v, std::int32_t first, std::int32_t last);

/// Rows first … last−1.
template <class S>
void dia_product(const SparseArrays<S>& a, const ProductVectors<S>& v, std::int32_t first, std::int32_t last);

/// y += alpha·A x for the entries first … last−1, which must hold whole rows.
template <class S>
void add_coo_product(const SparseArrays<S>& a, const ProductVectors<S>& v, std::int32_t first, std::int32_t last);

/// y := beta·y in rows first … last−1; 0 if beta is 0.
template <class S>
void scale_rows(const ProductVectors<S>& v, std::int32_t first, std::int32_t last);

}  // namespace gpusupernodal
