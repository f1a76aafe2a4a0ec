#pragma once

/// \file
/// Sparse products on one core: each call computes the rows of some units, and no others.

#include <cstdint>

#include "kernels/common/sparse_arrays.hpp"

namespace gpusupernodal {

/// Rows first … last−1 of a CSR matrix.
template <class S>
void csr_product(const SparseArrays<S>& a, const ProductVectors<S>& v, std::int32_t first, std::int32_t last);

}  // namespace gpusupernodal
