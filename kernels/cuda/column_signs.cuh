#pragma once

/// \file
/// Signs of columns in products L·S·Lᵀ, where S is diagonal with entries 1 and −1.

#include "kernels/common/device_complex.hpp"

namespace gpusupernodal::cuda {

/// Returns the value, negated if the sign bit of `sign` is set.
__device__ inline double with_sign_of(double value, double sign) {
  return __hiloint2double(__double2hiint(value) ^ (__double2hiint(sign) & static_cast<int>(0x80000000u)),
                          __double2loint(value));
}
__device__ inline float with_sign_of(float value, float sign) {
  return __uint_as_float(__float_as_uint(value) ^ (__float_as_uint(sign) & 0x80000000u));
}
/// `sign` is real, but stored as a complex number.
template <class R>
__device__ Complex<R> with_sign_of(Complex<R> value, Complex<R> sign) {
  return {with_sign_of(value.re, sign.re), with_sign_of(value.im, sign.re)};
}

/// All signs are positive.
struct NoSigns {
  template <class T>
  __device__ T operator()(T value, int) const {
    return value;
  }
};

/// Column k has the sign of of[k·step].
template <class T>
struct ColumnSigns {
  const T* of;
  int step;

  __device__ T operator()(T value, int k) const { return with_sign_of(value, of[k * step]); }
};

/// The signs that are stored in of[k·step]: ColumnSigns if `Signed`, otherwise NoSigns.
template <bool Signed, class T>
__device__ auto column_signs(const T* of, int step) {
  if constexpr (Signed) {
    return ColumnSigns<T>{of, step};
  } else {
    return NoSigns{};
  }
}

}  // namespace gpusupernodal::cuda
