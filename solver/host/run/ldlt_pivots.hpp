#pragma once

/// \file
/// The pivots of an LDLᵀ factorization on the host, and what they do to panels and vectors.
///
/// A diagonal block is factorized as P A Pᵀ = L D Lᵀ. If it is positive definite, this is a Cholesky factorization: P and D
/// are identities, and the block is called definite. Otherwise L has a unit diagonal. P stays inside the block: the rows of
/// other blocks keep their order, and solves exchange the entries of a block where they enter and leave it.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/host/host_kernels.hpp"

namespace gpusupernodal {

/// Scales and pivots in elimination order.
template <class T>
struct LdltRules {
  using Real = typename ScalarTraits<T>::Real;
  const Real* scale = nullptr;   ///< Of rows and columns.
  LdltPivots<T> pivots;          ///< Of all columns.
  Real* largest_in_l = nullptr;  ///< Receives the largest magnitude of each column of L.

  /// Those of the columns from `column` on; none for other forms than LDLᵀ.
  LdltPivots<T> pivots_from(std::int32_t column) const {
    if (pivots.d == nullptr) return {};
    return {pivots.smallest_allowed, pivots.d + 2 * std::int64_t{column}, pivots.exchange + column,
            pivots.magnitude + column};
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

/// Solves [a b; b c] (x, y) := (x, y) for a pair of pivots. |b| is as large as the smaller of |a| and |c| or larger.
template <class T>
void divide_by_pair(const T* d, T& x, T& y) {
  const T beside = d[1];
  const T upper = d[0] / beside;
  const T lower = d[2] / beside;
  const T denominator = upper * lower - T(1);
  const T first = x / beside;
  const T second = y / beside;
  x = (lower * first - second) / denominator;
  y = (upper * second - first) / denominator;
}

/// Columns of B (m×n) := those of B·D⁻¹.
template <class T>
void divide_by_pivots(std::int32_t m, std::int32_t n, T* b, std::int64_t ldb, const T* d) {
  for (std::int32_t k = 0; k < n; ++k) {
    T* const column = b + k * ldb;
    if (d[2 * k + 1] == T(0)) {
      const T pivot = d[2 * k];
      for (std::int32_t i = 0; i < m; ++i) column[i] /= pivot;
    } else {
      for (std::int32_t i = 0; i < m; ++i) divide_by_pair(d + 2 * k, column[i], column[i + ldb]);
      ++k;
    }
  }
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

/// target (n×depth) := B·D for columns first … first+depth−1 of B, which begin and end between pivots.
template <class T>
void multiply_by_pivots(std::int32_t n, std::int32_t depth, const T* b, std::int64_t ldb, const T* d, T* target) {
  for (std::int32_t k = 0; k < depth; ++k) {
    const T* const column = b + k * ldb;
    T* const to = target + std::int64_t{k} * n;
    const T pivot = d[2 * k];
    const T beside = d[2 * k + 1];
    if (beside == T(0)) {
      for (std::int32_t j = 0; j < n; ++j) to[j] = pivot * column[j];
      continue;
    }
    const T next = d[2 * k + 2];
    for (std::int32_t j = 0; j < n; ++j) {
      to[j] = pivot * column[j] + beside * column[j + ldb];
      to[j + n] = beside * column[j] + next * column[j + ldb];
    }
    ++k;
  }
}

/// Calls product(first, depth, (B·D)(:, first … first+depth−1), n) for parts of the k columns of B (n×k) that together are
/// all of them. Precondition: n ≤ max_ldlt_columns. Takes 65·max_ldlt_columns values of the stack.
template <class T, class Product>
[[gnu::noinline]] void for_each_multiplied_part(std::int32_t n, std::int32_t k, const T* b, std::int64_t ldb, const T* d,
                                                const Product& product) {
  constexpr std::int32_t columns = 64;
  T multiplied[(columns + 1) * max_ldlt_columns];  // One column more, for a pair at the end.
  for (std::int32_t first = 0, end = 0; first < k; first = end) {
    end = std::min(first + columns, k);
    if (d[2 * end - 1] != T(0)) ++end;
    multiply_by_pivots(n, end - first, b + first * ldb, ldb, d + 2 * std::int64_t{first}, multiplied);
    product(first, end - first, static_cast<const T*>(multiplied), std::int64_t{n});
  }
}

/// for_each_multiplied_part in one part, for n·k ≤ few_multiplied: a large frame on the stack takes longer to enter.
inline constexpr std::int64_t few_multiplied = 512;
template <class T, class Product>
[[gnu::noinline]] void for_few_multiplied(std::int32_t n, std::int32_t k, const T* b, std::int64_t ldb, const T* d,
                                          const Product& product) {
  T multiplied[few_multiplied];
  multiply_by_pivots(n, k, b, ldb, d, multiplied);
  product(0, k, static_cast<const T*>(multiplied), std::int64_t{n});
}

}  // namespace gpusupernodal
