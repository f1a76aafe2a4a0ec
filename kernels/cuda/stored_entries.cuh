#pragma once

/// \file
/// Reads entries of a symmetric or Hermitian A where L has them.

#include <cstdint>

#include "kernels/cuda/scalars.cuh"

namespace gpusupernodal::cuda {

/// Where a source (value_kernels.hpp) lies among A's values.
template <class T>
__device__ std::int64_t place_of(std::int64_t source) {
  return ScalarTraits<T>::is_complex && source < 0 ? ~source : source;
}

/// Returns the entry that a source stands for.
template <class T>
__device__ T entry_of(const T* a, std::int64_t source) {
  const T value = a[place_of<T>(source)];
  if constexpr (ScalarTraits<T>::is_complex) {
    return source < 0 ? ScalarTraits<T>::conjugate(value) : value;
  } else {
    return value;
  }
}

/// Returns a part of a value that is not finite.
template <class T>
__device__ double non_finite_part(T value) {
  if constexpr (ScalarTraits<T>::is_complex) {
    return static_cast<double>(isfinite(value.re) ? value.im : value.re);
  } else {
    return static_cast<double>(value);
  }
}

}  // namespace gpusupernodal::cuda
