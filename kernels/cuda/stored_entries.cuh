#pragma once

/// \file
/// Reads entries of a symmetric or Hermitian A where L has them.

#include <cstdint>

#include "kernels/common/records.hpp"
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

/// Returns a part of the value of A that the status names because it is not finite.
template <class T>
__device__ double bad_value(const DeviceStatus* status) {
  const T value = static_cast<const T*>(status->values)[status->bad_entry];
  return static_cast<double>(ScalarTraits<T>::non_finite_part(value));
}

}  // namespace gpusupernodal::cuda
