#pragma once

/// \file
/// Loops over parts of panels that are too small, or too simple, for a kernel.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>

#include "kernels/common/scalar_traits.hpp"

namespace gpusupernodal {

/// HostKernels::factor_panel for a supernode of one column: common in small matrices, and too small to justify a kernel
/// call.
template <class T>
std::int32_t factor_column(std::int32_t rows, T* column, typename ScalarTraits<T>::Real* pivot) {
  using Real = typename ScalarTraits<T>::Real;
  *pivot = ScalarTraits<T>::real(column[0]);
  if (!(*pivot > Real(0)) || !std::isfinite(*pivot)) return 0;
  const Real root = std::sqrt(*pivot);
  column[0] = root;
  const Real inverse = Real(1) / root;
  for (std::int32_t r = 1; r < rows; ++r) column[r] *= inverse;
  return -1;
}

/// C(relative, relative) −= A Bᴴ, its lower half, for so few products that calling a kernel would take longer. A and B have
/// `rows` rows and `width` columns; C is updated in its first `columns` columns of `relative`.
template <class T>
void subtract_by_columns(std::int32_t rows, std::int32_t columns, std::int32_t width, const T* a, std::int64_t lda,
                         const T* b, std::int64_t ldb, T* c, std::int64_t ldc, const std::int32_t* relative) {
  for (std::int32_t j = 0; j < columns; ++j) {
    T* const column = c + relative[j] * ldc;
    for (std::int32_t r = j; r < rows; ++r) {
      const T* of_row = a + r;
      const T* of_column = b + j;
      T sum = ScalarTraits<T>::times_conjugate(*of_row, *of_column);
      for (std::int32_t k = 1; k < width; ++k)
        sum += ScalarTraits<T>::times_conjugate(*(of_row += lda), *(of_column += ldb));
      column[relative[r]] -= sum;
    }
  }
}

/// Largest magnitude of n entries; NaN does not count. For complex entries, infinity if its square leaves the range.
template <class T>
typename ScalarTraits<T>::Real largest_magnitude(std::int32_t n, const T* entries) {
  using Real = typename ScalarTraits<T>::Real;
  constexpr std::int32_t lanes = 8;
  Real largest[lanes] = {};
  std::int32_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (std::int32_t q = 0; q < lanes; ++q) {
      const Real magnitude = ScalarTraits<T>::order(entries[i + q]);
      largest[q] = magnitude > largest[q] ? magnitude : largest[q];
    }
  }
  for (; i < n; ++i) largest[0] = std::max(largest[0], ScalarTraits<T>::order(entries[i]));
  return ScalarTraits<T>::magnitude_of(*std::max_element(largest, largest + lanes));
}

/// maximum := max(maximum, value), while other threads do the same.
template <class T>
void raise(T& maximum, T value) {
  std::atomic_ref<T> shared(maximum);
  T seen = shared.load(std::memory_order_relaxed);
  while (value > seen && !shared.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

}  // namespace gpusupernodal
