#pragma once

/// \file
/// How host products of all formats store a row's result.

#include "kernels/common/scalar_products.hpp"
#include "kernels/common/sparse_arrays.hpp"

namespace gpusupernodal {

/// y(row, column) := alpha·sum + beta·y(row, column); reads y only if beta is not 0.
template <class S>
inline void store_row(const ProductVectors<S>& v, std::int32_t row, std::int32_t column, S sum) {
  S* const y = v.y + row + column * v.ld_y;
  *y = v.beta == S(0) ? times(v.alpha, sum) : times(v.alpha, sum) + times(v.beta, *y);
}

}  // namespace gpusupernodal
