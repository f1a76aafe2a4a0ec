#pragma once

/// \file
/// What kernels do with a scalar, real or complex. For real scalars each function is one instruction or none.

#include "kernels/common/device_complex.hpp"

namespace gpusupernodal::cuda {

template <class T>
using Real = typename ScalarTraits<T>::Real;

/// Returns the value of lane `lane`; all lanes of the warp must call it.
template <class T>
__device__ T shuffle(T value, int lane) {
  if constexpr (ScalarTraits<T>::is_complex) {
    return {__shfl_sync(0xffffffffu, value.re, lane), __shfl_sync(0xffffffffu, value.im, lane)};
  } else {
    return __shfl_sync(0xffffffffu, value, lane);
  }
}
/// Returns the value of the lane whose number differs in the bits of `step`; all lanes of the warp must call it.
template <class T>
__device__ T shuffle_xor(T value, int step) {
  if constexpr (ScalarTraits<T>::is_complex) {
    return {__shfl_xor_sync(0xffffffffu, value.re, step), __shfl_xor_sync(0xffffffffu, value.im, step)};
  } else {
    return __shfl_xor_sync(0xffffffffu, value, step);
  }
}

/// Loads through the L2 cache, past the L1 cache.
template <class T>
__device__ T load_l2(const T* from) {
  return __ldcg(from);
}
template <>
__device__ inline Complex<double> load_l2(const Complex<double>* from) {
  const double2 parts = __ldcg(reinterpret_cast<const double2*>(from));
  return {parts.x, parts.y};
}
template <>
__device__ inline Complex<float> load_l2(const Complex<float>* from) {
  const float2 parts = __ldcg(reinterpret_cast<const float2*>(from));
  return {parts.x, parts.y};
}

/// Adds to a value that other threads add to as well.
template <class T>
__device__ void atomic_add(T* to, T value) {
  if constexpr (ScalarTraits<T>::is_complex) {
    atomicAdd(&to->re, value.re);
    atomicAdd(&to->im, value.im);
  } else {
    atomicAdd(to, value);
  }
}

/// Computes sum += x·y by multiply-adds.
template <class T>
__device__ void add_product(T& sum, T x, T y) {
  if constexpr (ScalarTraits<T>::is_complex) {
    sum.re += x.re * y.re;
    sum.re -= x.im * y.im;
    sum.im += x.re * y.im;
    sum.im += x.im * y.re;
  } else {
    sum += x * y;
  }
}
/// Computes sum −= x·y by multiply-adds.
template <class T>
__device__ void subtract_product(T& sum, T x, T y) {
  if constexpr (ScalarTraits<T>::is_complex) {
    sum.re -= x.re * y.re;
    sum.re += x.im * y.im;
    sum.im -= x.re * y.im;
    sum.im -= x.im * y.re;
  } else {
    sum -= x * y;
  }
}

template <bool Conjugate, class T>
__device__ T conjugate_if(T value) {
  if constexpr (Conjugate) {
    return ScalarTraits<T>::conjugate(value);
  } else {
    return value;
  }
}

template <class T>
__device__ bool is_finite(T value) {
  if constexpr (ScalarTraits<T>::is_complex) {
    return isfinite(value.re) && isfinite(value.im);
  } else {
    return isfinite(value);
  }
}

/// Returns |value|.
template <class T>
__device__ Real<T> magnitude(T value) {
  if constexpr (ScalarTraits<T>::is_complex) {
    return hypot(value.re, value.im);
  } else {
    return fabs(value);
  }
}

/// Returns |value|; for complex values a bound of it, at most √2 times as large, which needs no root.
template <class T>
__device__ Real<T> magnitude_bound(T value) {
  if constexpr (ScalarTraits<T>::is_complex) {
    return fabs(value.re) + fabs(value.im);
  } else {
    return fabs(value);
  }
}

/// Returns |value|, for complex values the larger of the magnitudes of their parts; NaN does not count.
template <class T>
__device__ Real<T> larger_part(T value) {
  if constexpr (ScalarTraits<T>::is_complex) {
    return fmax(fabs(value.re), fabs(value.im));
  } else {
    return fabs(value);
  }
}

/// Returns a square root of a finite value.
template <class R>
__device__ Complex<R> root_of(Complex<R> value) {
  const R half = sqrt(R(0.5) * (hypot(value.re, value.im) + fabs(value.re)));  // The part of the root that cancels nothing.
  if (half == R(0)) return {R(0), R(0)};
  const R other = R(0.5) * value.im / half;
  return value.re >= R(0) ? Complex<R>(half, other) : Complex<R>(fabs(other), copysign(half, value.im));
}

/// Returns |value| in double precision.
template <class T>
__device__ double wide_magnitude(T value) {
  if constexpr (ScalarTraits<T>::is_complex) {
    return hypot(static_cast<double>(value.re), static_cast<double>(value.im));
  } else {
    return fabs(static_cast<double>(value));
  }
}

/// Returns 1/value, by a division that neither overflows nor underflows before the result does.
template <class T>
__device__ T inverse_of(T value) {
  if constexpr (ScalarTraits<T>::is_complex) {
    if (value.im == Real<T>(0)) return T(Real<T>(1) / value.re);
    const bool tall = fabs(value.im) > fabs(value.re);
    const Real<T> large = tall ? value.im : value.re;
    const Real<T> ratio = (tall ? value.re : value.im) / large;
    const Real<T> scale = Real<T>(1) / (large + (tall ? value.re : value.im) * ratio);
    return tall ? T(ratio * scale, -scale) : T(scale, -(ratio * scale));
  } else {
    return T(1) / value;
  }
}

}  // namespace gpusupernodal::cuda
