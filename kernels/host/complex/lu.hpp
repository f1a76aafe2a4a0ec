#pragma once

/// \file
/// LU factorization of a complex panel without exchanges. The partner V of L holds Uᴴ in the shape of L, so that each
/// product of the Cholesky factorization becomes two with the same kernels: L −= L·Vᴴ and V −= V·Lᴴ.

#include "kernels/host/complex/factor.hpp"
#include "kernels/host/host_kernels.hpp"
#include "kernels/host/isa/lu.hpp"

namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE {

/// Records the pivot of a column, and replaces it in place if it is too small. A replaced pivot keeps its direction.
template <class R, class Pivots>
void accept_complex_pivot(R* pivot, std::int32_t column, Pivots* pivots) {
  const R size = complex_magnitude(pivot);
  if (!is_finite_magnitude(size)) {
    if (pivots->failed < 0) pivots->failed = column;
    return;
  }
  if (size < pivots->smallest) {
    pivots->smallest = size;
    pivots->smallest_at = column;
  }
  pivots->largest = size > pivots->largest ? size : pivots->largest;
  if (size >= pivots->smallest_allowed) return;
  ++pivots->replaced;
  const bool has_direction = size > R(0);
  pivot[0] = has_direction ? pivot[0] / size * pivots->smallest_allowed : pivots->smallest_allowed;
  pivot[1] = has_direction ? pivot[1] / size * pivots->smallest_allowed : R(0);
}

/// complex_factor_lu for few columns, one by one. `first` is the number of the first column, for the report.
template <class R, class Pivots>
void complex_factor_lu_strip(std::int32_t m, std::int32_t n, R* l, std::int64_t ldl, R* v, std::int64_t ldv,
                             std::int32_t first, Pivots* pivots) {
  for (std::int32_t j = 0; j < n; ++j) {
    R* const lj = l + 2 * j * ldl;
    R* const vj = v + 2 * j * ldv;
    accept_complex_pivot(vj + 2 * j, first + j, pivots);
    lj[2 * j] = R(1);
    lj[2 * j + 1] = R(0);
    complex_divide<true>(m - j - 1, vj + 2 * j, lj + 2 * (j + 1));
    for (std::int32_t c = j + 1; c < n; ++c) {
      complex_axpy<true>(m - c, vj + 2 * c, lj + 2 * c, l + 2 * (c + c * ldl));
      complex_axpy<true>(m - c, lj + 2 * c, vj + 2 * c, v + 2 * (c + c * ldv));
    }
  }
}

/// HostKernels::factor_lu. Left-looking by blocks.
template <class R, class Pivots>
void complex_factor_lu(std::int32_t m, std::int32_t n, R* l, std::int64_t ldl, R* v, std::int64_t ldv, Pivots* pivots) {
  for (std::int32_t first = 0; first < n; first += kComplexBlock) {
    const std::int32_t columns = smaller(kComplexBlock, n - first);
    R* const in_l = l + 2 * (first + first * ldl);
    R* const in_v = v + 2 * (first + first * ldv);
    const R* const l_rows = l + 2 * first;
    const R* const v_rows = v + 2 * first;
    complex_product<true, true>(m - first, columns, first, l_rows, ldl, {v_rows, ldv, 1}, ComplexDense<R>{in_l, ldl});
    complex_product<true, true>(m - first, columns, first, v_rows, ldv, {l_rows, ldl, 1}, ComplexDense<R>{in_v, ldv});
    complex_factor_lu_strip(m - first, columns, in_l, ldl, in_v, ldv, first, pivots);
  }
}

}  // namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE
