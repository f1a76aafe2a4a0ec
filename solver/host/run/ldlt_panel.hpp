#pragma once

/// \file
/// LDLᵀ factorization of a panel: by Cholesky where its diagonal block is positive definite, which is faster and, there, as
/// stable as any choice of pivots; otherwise by rook pivoting.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/host/host_kernels.hpp"
#include "solver/host/run/ldlt_pivots.hpp"

namespace gpusupernodal {

/// Entries of the largest panel that is copied as a whole, for the case that it is not definite.
inline constexpr std::int64_t small_ldlt_panel = 512;

/// The panel of one column. Returns 0 if its pivot is not finite, else −1.
template <class T>
std::int32_t factor_ldlt_column(std::int32_t rows, T* l, const LdltPivots<T>& pivots) {
  using Real = typename ScalarTraits<T>::Real;
  pivots.d[1] = T(0);
  pivots.exchange[0] = 0;
  Real pivot = ScalarTraits<T>::real(l[0]);
  const Real size = std::abs(pivot);
  pivots.magnitude[0] = size;
  if (!std::isfinite(size)) return 0;
  if (size < pivots.smallest_allowed) pivot = pivot < Real(0) ? -pivots.smallest_allowed : pivots.smallest_allowed;
  const Real root = std::sqrt(std::abs(pivot));
  const Real factor = pivot < Real(0) ? Real(-1) / root : Real(1) / root;
  l[0] = root;
  for (std::int32_t i = 1; i < rows; ++i) l[i] *= factor;
  pivots.d[0] = pivot < Real(0) ? T(-1) : T(1);
  return -1;
}

/// factor_ldlt_column for a complex symmetric matrix. L has a unit diagonal.
template <class T>
std::int32_t factor_symmetric_column(std::int32_t rows, T* l, const LdltPivots<T>& pivots) {
  using Real = typename ScalarTraits<T>::Real;
  pivots.d[1] = T(0);
  pivots.exchange[0] = 0;
  T pivot = l[0];
  const Real size = std::abs(pivot);
  pivots.magnitude[0] = size;
  if (!std::isfinite(size)) return 0;
  if (size < pivots.smallest_allowed)
    pivot = size > Real(0) ? pivot / size * pivots.smallest_allowed : T(pivots.smallest_allowed);
  l[0] = T(1);
  for (std::int32_t i = 1; i < rows; ++i) l[i] /= pivot;
  pivots.d[0] = pivot;
  return -1;
}

/// Copies the strict lower triangle to the upper one, which panels do not use, and the diagonal to `diagonal`.
template <class T>
void save_lower(std::int32_t n, T* a, std::int64_t lda, T* diagonal) {
  constexpr std::int32_t at_once = 8;  // Columns: what is read and written in one step stays in the cache.
  for (std::int32_t first = 0; first < n; first += at_once) {
    const std::int32_t end = std::min(first + at_once, n);
    for (std::int32_t i = first; i < n; ++i) {
      for (std::int32_t j = first; j < std::min(end, i); ++j) a[j + i * lda] = a[i + j * lda];
    }
    for (std::int32_t j = first; j < end; ++j) diagonal[j] = a[j + j * lda];
  }
}

template <class T>
void restore_lower(std::int32_t n, T* a, std::int64_t lda, const T* diagonal) {
  for (std::int32_t j = 0; j < n; ++j) {
    a[j + j * lda] = diagonal[j];
    for (std::int32_t i = j + 1; i < n; ++i) a[i + j * lda] = a[j + i * lda];
  }
}

/// Whether n pivots of a Cholesky factor are large enough; records their magnitudes in `pivots`.
template <class T>
bool accept_squares(std::int32_t n, const T* l, std::int64_t ldl, const LdltPivots<T>& pivots) {
  bool accepted = true;
  for (std::int32_t k = 0; k < n; ++k) {
    const auto root = ScalarTraits<T>::real(l[k * (ldl + 1)]);
    pivots.magnitude[k] = root * root;
    accepted = accepted && pivots.magnitude[k] >= pivots.smallest_allowed;
  }
  return accepted;
}

/// Factorizes m×n panel l by Cholesky, and returns true; or returns false and leaves it as it was, because its diagonal
/// block is not positive definite, or has a pivot that is too small.
template <class T>
bool factor_definite_panel(const HostKernels<T>& kernels, std::int32_t m, std::int32_t n, T* l, std::int64_t ldl,
                           const LdltPivots<T>& pivots) {
  for (std::int32_t k = 0; k < n; ++k) {
    if (!(ScalarTraits<T>::real(l[k * (ldl + 1)]) >= pivots.smallest_allowed)) return false;
  }
  typename ScalarTraits<T>::Real pivot = 0;
  if (std::int64_t{m} * n <= small_ldlt_panel) {
    T saved[small_ldlt_panel];
    for (std::int32_t k = 0; k < n; ++k) std::copy_n(l + k * ldl, m, saved + std::int64_t{k} * m);
    if (kernels.factor_panel(m, n, l, ldl, &pivot) >= 0 || !accept_squares(n, l, ldl, pivots)) {
      for (std::int32_t k = 0; k < n; ++k) std::copy_n(saved + std::int64_t{k} * m, m, l + k * ldl);
      return false;
    }
  } else {
    T diagonal[max_ldlt_columns];
    save_lower(n, l, ldl, diagonal);
    if (kernels.factor_diagonal(n, l, ldl, &pivot) >= 0 || !accept_squares(n, l, ldl, pivots)) {
      restore_lower(n, l, ldl, diagonal);
      return false;
    }
    kernels.solve_below(m - n, n, l, ldl, l + n, ldl);
  }
  set_ones(pivots, n);
  return true;
}

/// Factorizes an m×n panel, n ≤ max_ldlt_columns, to which no update is missing: its diagonal block P A Pᵀ = L D Lᵀ, and the
/// rows below it, B := B Pᵀ L⁻ᵀ D⁻¹. Overwrites the upper triangle of the block. Returns −1, or the first step that met an
/// entry that is not finite; the panel is then undefined, and its pivots are ones.
template <class T>
std::int32_t factor_ldlt_panel(const HostKernels<T>& kernels, std::int32_t m, std::int32_t n, T* l, std::int64_t ldl,
                               const LdltPivots<T>& pivots) {
  if (n != 1 && !pivots.symmetric && factor_definite_panel(kernels, m, n, l, ldl, pivots)) return -1;
  std::int32_t failed = -1;
  if (n != 1) {
    failed = kernels.factor_ldlt(n, l, ldl, &pivots);
  } else {
    failed = pivots.symmetric ? factor_symmetric_column(m, l, pivots) : factor_ldlt_column(m, l, pivots);
  }
  if (failed >= 0) {
    set_ones(pivots, n);
    std::fill(pivots.magnitude, pivots.magnitude + n, typename ScalarTraits<T>::Real(0));
    return failed;
  }
  if (n == 1 || m == n) return -1;
  exchange_columns(m - n, n, l + n, ldl, pivots.exchange);
  solve_below_block(kernels, m - n, n, l, ldl, l + n, ldl, pivots);
  return -1;
}

}  // namespace gpusupernodal
