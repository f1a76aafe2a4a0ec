#pragma once

/// \file
/// Binary exponents of the scales that Ruiz's iteration [Ruiz01] gives to rows and columns.

#include <cstdint>
#include <limits>

#include "kernels/common/records.hpp"
#include "kernels/cuda/stored_entries.cuh"

namespace gpusupernodal::cuda {

/// Every byte of an exponent that is not set.
inline constexpr int unset_byte = 0x80;
/// Exponents of rows without an entry are below this: every byte is unset_byte.
inline constexpr std::int32_t unset_exponent = -2000000000;

/// Returns the exponent of a value's leading bit, or a number below unset_exponent for zero, infinity and NaN.
template <class T>
__device__ inline std::int32_t exponent_of(T value) {
  return value != T(0) && isfinite(value) ? ilogb(value) : std::numeric_limits<std::int32_t>::min();
}

/// Returns the exponent of the larger part of a complex value.
template <class R>
__device__ std::int32_t exponent_of(Complex<R> value) {
  return is_finite(value) ? exponent_of(fmax(fabs(value.re), fabs(value.im))) : std::numeric_limits<std::int32_t>::min();
}

/// Raises an exponent to `exponent`.
__device__ inline void raise(std::int32_t* largest, std::int32_t exponent) {
  if (*largest < exponent) atomicMax(largest, exponent);
}

/// Returns the exponent of the scale of a row or a column after `sweeps` sweeps, in the normal range of T. `largest` has the
/// largest exponents that each of them found, `step` entries apart.
template <class T>
__device__ inline std::int32_t scale_exponent(const std::int32_t* start, const std::int32_t* largest, std::int64_t step,
                                              std::int32_t sweeps, std::int32_t k) {
  constexpr std::int32_t limit = std::numeric_limits<T>::max_exponent - 2;
  std::int32_t exponent = start == nullptr ? 0 : start[k];
  for (std::int32_t sweep = 0; sweep < sweeps; ++sweep) {
    const std::int32_t found = largest[k + sweep * step];
    exponent -= found < unset_exponent ? 0 : found >> 1;
  }
  return min(max(exponent, -limit), limit);
}

/// The values of A with the factor of the status.
template <class T>
struct ScaledInput {
  const T* values;
  Real<T> scale;

  __device__ explicit ScaledInput(const DeviceStatus* status)
      : values(static_cast<const T*>(status->values)), scale(static_cast<Real<T>>(status->scale)) {}
  __device__ T operator()(std::int64_t source) const { return scale * entry_of(values, source); }
};

/// Returns value · 2^exponent in double precision.
template <class T>
__device__ auto scaled_by(T value, std::int32_t exponent) {
  if constexpr (ScalarTraits<T>::is_complex) {
    return Complex<double>(scalbn(static_cast<double>(value.re), exponent), scalbn(static_cast<double>(value.im), exponent));
  } else {
    return scalbn(static_cast<double>(value), exponent);
  }
}

/// Returns 2^exponent.
template <class T>
__device__ T power_of_two(std::int32_t exponent) {
  return static_cast<T>(scalbn(1.0, exponent));
}

}  // namespace gpusupernodal::cuda
