#pragma once

/// \file
/// LU factorization of a panel without exchanges. L and Uᵀ have the same shape, so each product of the Cholesky
/// factorization becomes two: L takes (L, Uᵀ), and Uᵀ takes (Uᵀ, L).

#include "kernels/host/isa/factor.hpp"

namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE {

[[gnu::always_inline]] inline double magnitude(double x) { return __builtin_fabs(x); }
[[gnu::always_inline]] inline float magnitude(float x) { return __builtin_fabsf(x); }
[[gnu::always_inline]] inline bool is_finite_magnitude(double x) { return x <= __DBL_MAX__; }
[[gnu::always_inline]] inline bool is_finite_magnitude(float x) { return x <= __FLT_MAX__; }

/// Returns the pivot of a column, replaced if it is too small, and records it.
template <class T>
[[gnu::always_inline]] inline T accept_pivot(T pivot, std::int32_t column, LuPivots<T>* pivots) {
  const T size = magnitude(pivot);
  if (!is_finite_magnitude(size)) {
    if (pivots->failed < 0) {
      pivots->failed = column;
    }
    return pivot;
  }
  if (size < pivots->smallest) {
    pivots->smallest = size;
    pivots->smallest_at = column;
  }
  pivots->largest = size > pivots->largest ? size : pivots->largest;
  if (size < pivots->smallest_allowed) {
    ++pivots->replaced;
    return pivot < 0 ? -pivots->smallest_allowed : pivots->smallest_allowed;
  }
  return pivot;
}

/// factor_lu for n ≤ kTileColumns: plain loops over columns, vectorized by the compiler. `first` is the number of the first
/// column, for the report.
template <class T>
[[gnu::noinline]] void factor_lu_strip(std::int32_t m, std::int32_t n, T* __restrict l, std::int64_t ldl, T* __restrict u,
                                       std::int64_t ldu, std::int32_t first, LuPivots<T>* pivots) {
  for (std::int32_t j = 0; j < n; ++j) {
    T* const lj = l + j * ldl;
    T* const uj = u + j * ldu;
    const T pivot = accept_pivot(uj[j], first + j, pivots);
    uj[j] = pivot;
    lj[j] = T(1);
    for (std::int32_t i = j + 1; i < m; ++i) {
      lj[i] /= pivot;  // Not times the reciprocal, which could overflow.
    }
    for (std::int32_t c = j + 1; c < n; ++c) {
      const T from_u = uj[c];
      const T from_l = lj[c];
      T* const lc = l + c * ldl;
      T* const uc = u + c * ldu;
      for (std::int32_t i = c; i < m; ++i) {
        lc[i] -= lj[i] * from_u;
        uc[i] -= uj[i] * from_l;
      }
    }
  }
}

template <class T>
void factor_lu_from(std::int32_t m, std::int32_t n, T* l, std::int64_t ldl, T* u, std::int64_t ldu, std::int32_t first,
                    LuPivots<T>* pivots) {
  if (n <= kTileColumns) {
    return factor_lu_strip(m, n, l, ldl, u, ldu, first, pivots);
  }
  const std::int32_t half = first_half(n);
  factor_lu_from(m, half, l, ldl, u, ldu, first, pivots);
  const T* const lower = l + half;
  const T* const upper = u + half;
  T* const l_corner = l + half + half * ldl;
  T* const u_corner = u + half + half * ldu;
  subtract_product_lower(m - half, n - half, half, lower, ldl, upper, ldu, l_corner, ldl);
  subtract_product_lower(m - half, n - half, half, upper, ldu, lower, ldl, u_corner, ldu);
  factor_lu_from(m - half, n - half, l_corner, ldl, u_corner, ldu, first + half, pivots);
}

template <class T>
void factor_lu(std::int32_t m, std::int32_t n, T* l, std::int64_t ldl, T* u, std::int64_t ldu, LuPivots<T>* pivots) {
  factor_lu_from(m, n, l, ldl, u, ldu, 0, pivots);
}

}  // namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE
