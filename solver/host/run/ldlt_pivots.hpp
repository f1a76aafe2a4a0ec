#pragma once

/// \file
/// The pivots of an LDLᵀ factorization on the host, and what they do to panels and vectors.
///
/// A complex matrix is Hermitian, A = L D Lᴴ, or symmetric, A = L D Lᵀ. Kernels read ᵀ as ᴴ; for symmetric matrices,
/// operands are conjugated before or after the call.
///
/// A diagonal block is factorized as P A Pᵀ = L D Lᵀ. If it is positive definite, this is a Cholesky factorization: P and D
/// are identities, and the block is called definite. Otherwise L has a unit diagonal. Blocks of complex symmetric matrices
/// never count as definite. P stays inside the block: the rows of other blocks keep their order, and solves exchange the
/// entries of a block where they enter and leave it.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/host/host_kernels.hpp"

namespace gpusupernodal {

/// Scales and pivots in elimination order.
template <class T>
struct LdltRules {
  using Real = typename ScalarTraits<T>::Real;
  const Real* scale = nullptr;   ///< Scales of rows and columns.
  LdltPivots<T> pivots;          ///< Pivots of all columns.
  Real* largest_in_l = nullptr;  ///< Receives the largest magnitude of each column of L.

  /// The pivots of the columns from `column` on; none for other forms than LDLᵀ.
  LdltPivots<T> pivots_from(std::int32_t column) const {
    if (pivots.d == nullptr) return {};
    return {pivots.smallest_allowed, pivots.d + 2 * std::int64_t{column}, pivots.exchange + column,
            pivots.magnitude + column, pivots.symmetric};
  }
};

/// Whether n pivots, as LdltPivots::d stores them, are 1.
template <class T>
bool are_ones(const T* d, std::int32_t n) {
  std::int32_t others = 0;
  for (std::int32_t k = 0; k < n; ++k) others += static_cast<int>(d[2 * k] != T(1)) | static_cast<int>(d[2 * k + 1] != T(0));
  return others == 0;
}

/// Entries of n pivots that make a block definite.
template <class T>
void set_ones(const LdltPivots<T>& pivots, std::int32_t n) {
  for (std::int32_t k = 0; k < n; ++k) {
    pivots.d[2 * k] = T(1);
    pivots.d[2 * k + 1] = T(0);
    pivots.exchange[k] = 0;
  }
}

/// Entry (j, i) of a matrix whose entry (i, j) is x.
template <class T>
T mirrored(T x, bool symmetric) {
  return symmetric ? x : ScalarTraits<T>::conjugate(x);
}

/// x / pivot, where the pivot of a matrix that is not complex symmetric is real.
template <class T>
T divided_by_single(T x, T pivot, bool symmetric) {
  if constexpr (ScalarTraits<T>::is_complex) {
    if (symmetric) return x / pivot;
  }
  return x / ScalarTraits<T>::real(pivot);
}

/// Solves [a p; q c] (x, y) := (x, y). |p| and |q| are as large as the smaller of |a| and |c| or larger.
template <class T>
void solve_pair(T a, T p, T q, T c, T& x, T& y) {
  const T upper = a / p;
  const T lower = c / q;
  const T denominator = upper * lower - T(1);
  const T first = x / p;
  const T second = y / q;
  x = (lower * first - second) / denominator;
  y = (upper * second - first) / denominator;
}

/// (x, y) := D⁻¹ (x, y) for the pair of pivots at d.
template <class T>
void divide_by_pair(const T* d, T& x, T& y, bool symmetric) {
  solve_pair(d[0], mirrored(d[1], symmetric), d[1], d[2], x, y);
}

/// Columns of B (m×n) := those of B·D⁻¹.
template <class T>
void divide_by_pivots(std::int32_t m, std::int32_t n, T* b, std::int64_t ldb, const LdltPivots<T>& pivots) {
  const T* const d = pivots.d;
  for (std::int32_t k = 0; k < n; ++k) {
    T* const column = b + k * ldb;
    const T beside = d[2 * k + 1];
    if (beside == T(0)) {
      const T pivot = d[2 * k];
      for (std::int32_t i = 0; i < m; ++i) column[i] = divided_by_single(column[i], pivot, pivots.symmetric);
    } else {
      const T above = mirrored(beside, pivots.symmetric);
      for (std::int32_t i = 0; i < m; ++i) solve_pair(d[2 * k], beside, above, d[2 * k + 2], column[i], column[i + ldb]);
      ++k;
    }
  }
}

/// Conjugates the m×n matrix B.
template <class T>
void conjugate_entries(std::int32_t m, std::int32_t n, T* b, std::int64_t ldb) {
  for (std::int32_t j = 0; j < n; ++j) {
    for (std::int32_t i = 0; i < m; ++i) b[i + j * ldb] = ScalarTraits<T>::conjugate(b[i + j * ldb]);
  }
}

/// B (m×n) := B·L⁻ᵀ·D⁻¹ for a diagonal block `l`.
template <class T>
void solve_below_block(const HostKernels<T>& kernels, std::int32_t m, std::int32_t n, const T* l, std::int64_t ldl, T* b,
                       std::int64_t ldb, const LdltPivots<T>& pivots) {
  if (pivots.symmetric) conjugate_entries(m, n, b, ldb);
  kernels.solve_below(m, n, l, ldl, b, ldb);
  if (pivots.symmetric) conjugate_entries(m, n, b, ldb);
  if (!are_ones(pivots.d, n)) divide_by_pivots(m, n, b, ldb, pivots);
}

/// B (m×n) := B·Pᵀ, for the exchanges of a block of n columns.
template <class T>
void exchange_columns(std::int32_t m, std::int32_t n, T* b, std::int64_t ldb, const std::int32_t* exchange) {
  for (std::int32_t k = 0; k < n; ++k) {
    if (exchange[k] != 0) std::swap_ranges(b + k * ldb, b + k * ldb + m, b + (k + exchange[k]) * ldb);
  }
}

/// Y (n×nrhs) := P·Y.
template <class T>
void exchange_rows(std::int32_t n, std::int32_t nrhs, T* y, std::int64_t ldy, const std::int32_t* exchange) {
  for (std::int32_t k = 0; k < n; ++k) {
    if (exchange[k] == 0) continue;
    for (std::int32_t c = 0; c < nrhs; ++c) std::swap(y[k + c * ldy], y[k + exchange[k] + c * ldy]);
  }
}

/// Y (n×nrhs) := Pᵀ·Y.
template <class T>
void exchange_rows_back(std::int32_t n, std::int32_t nrhs, T* y, std::int64_t ldy, const std::int32_t* exchange) {
  for (std::int32_t k = n - 1; k >= 0; --k) {
    if (exchange[k] == 0) continue;
    for (std::int32_t c = 0; c < nrhs; ++c) std::swap(y[k + c * ldy], y[k + exchange[k] + c * ldy]);
  }
}

/// target (n×depth) := B·D for columns first … first+depth−1 of B, which begin and end between pivots. For complex symmetric
/// matrices, its conjugate.
template <class T>
void multiply_by_pivots(std::int32_t n, std::int32_t depth, const T* b, std::int64_t ldb, const T* d, bool symmetric,
                        T* target) {
  for (std::int32_t k = 0; k < depth; ++k) {
    const T* const column = b + k * ldb;
    T* const to = target + std::int64_t{k} * n;
    const T pivot = d[2 * k];
    const T beside = d[2 * k + 1];
    if (beside == T(0)) {
      for (std::int32_t j = 0; j < n; ++j) to[j] = pivot * column[j];
      continue;
    }
    const T above = mirrored(beside, symmetric);
    const T next = d[2 * k + 2];
    for (std::int32_t j = 0; j < n; ++j) {
      to[j] = pivot * column[j] + beside * column[j + ldb];
      to[j + n] = above * column[j] + next * column[j + ldb];
    }
    ++k;
  }
  if (symmetric) conjugate_entries(n, depth, target, n);
}

/// Calls product(first, depth, (B·D)(:, first … first+depth−1), n) for parts of the k columns of B (n×k) that together are
/// all of them. Precondition: n ≤ max_ldlt_columns. Takes 65·max_ldlt_columns values of the stack.
template <class T, class Product>
[[gnu::noinline]] void for_each_multiplied_part(std::int32_t n, std::int32_t k, const T* b, std::int64_t ldb, const T* d,
                                                bool symmetric, const Product& product) {
  constexpr std::int32_t columns = 64;
  T multiplied[(columns + 1) * max_ldlt_columns];  // One column more, for a pair at the end.
  for (std::int32_t first = 0, end = 0; first < k; first = end) {
    end = std::min(first + columns, k);
    if (d[2 * end - 1] != T(0)) ++end;
    multiply_by_pivots(n, end - first, b + first * ldb, ldb, d + 2 * std::int64_t{first}, symmetric, multiplied);
    product(first, end - first, static_cast<const T*>(multiplied), std::int64_t{n});
  }
}

/// for_each_multiplied_part in one part, for n·k ≤ few_multiplied: a large frame on the stack takes longer to enter.
inline constexpr std::int64_t few_multiplied = 512;
template <class T, class Product>
[[gnu::noinline]] void for_few_multiplied(std::int32_t n, std::int32_t k, const T* b, std::int64_t ldb, const T* d,
                                          bool symmetric, const Product& product) {
  T multiplied[few_multiplied];
  multiply_by_pivots(n, k, b, ldb, d, symmetric, multiplied);
  product(0, k, static_cast<const T*>(multiplied), std::int64_t{n});
}

}  // namespace gpusupernodal
