#pragma once

/// \file
/// Pivots of an LU factorization without exchanges: which are replaced, and what the status learns of them.

#include <limits>

#include "kernels/common/accepted_pivot.hpp"
#include "kernels/cuda/lu_kernels.hpp"
#include "kernels/cuda/strip_factor.cuh"

namespace gpusupernodal::cuda {

/// Returns the magnitude that pivots have at least. Precondition: the status has the largest magnitude of the scaled A.
template <class T>
__device__ Real<T> smallest_pivot(const DeviceStatus* status, double perturbation) {
  const double largest = __longlong_as_double(static_cast<long long>(__ldcg(&status->largest_in_a)));
  return max(static_cast<Real<T>>(perturbation * (largest > 0.0 ? largest : 1.0)), std::numeric_limits<Real<T>>::min());
}
template <class T>
__device__ Real<T> smallest_pivot(const LuData<T>& lu) {
  return smallest_pivot<T>(lu.status, lu.perturbation);
}

/// Returns the pivot, replaced by one of magnitude `smallest` and the same sign if it is smaller. NaN stays.
template <class T>
__device__ T accepted_pivot(T pivot, T smallest) {
  const T replacement = pivot < T(0) ? -smallest : smallest;
  return fabs(pivot) < smallest ? replacement : pivot;
}

/// Returns 1/x of a number of either sign: the hardware's approximation and one third-order step, without a branch. Returns
/// 0 if x is not finite, or if it or its reciprocal is subnormal.
__device__ inline double signed_reciprocal(double pivot) {
  const bool good = is_good_pivot(fabs(pivot));
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(pivot));
  y = good ? y : 0.0;
  const double x = good ? pivot : 0.0;
  const double error = fma(-x, y, 1.0);
  return fma(fma(error, error, error), y, y);
}
__device__ inline float signed_reciprocal(float pivot) {
  const bool good = is_good_pivot(fabsf(pivot));
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(pivot));
  y = good ? y : 0.0F;
  const float x = good ? pivot : 0.0F;
  return fmaf(fmaf(-x, y, 1.0F), y, y);
}

/// Returns 1/x of a complex number. It first scales the number so that its larger part is 1 or −1.
template <class R>
__device__ Complex<R> signed_reciprocal(Complex<R> pivot) {
  const R scale = signed_reciprocal(larger_part(pivot));
  const R re = scale * pivot.re, im = scale * pivot.im;
  const R factor = scale * pivot_reciprocal(re * re + im * im);
  return is_finite(pivot) ? Complex<R>(re * factor, -im * factor) : Complex<R>(0);
}

/// Returns the bits of a magnitude, which order as the magnitudes do.
__device__ inline unsigned long long magnitude_bits(double value) {
  return static_cast<unsigned long long>(__double_as_longlong(fabs(value)));
}

/// Returns a key that orders pivots by magnitude, in single precision, and then by column.
__device__ inline unsigned long long pivot_key(double magnitude, std::int32_t column) {
  return static_cast<unsigned long long>(__float_as_uint(static_cast<float>(magnitude))) << 32 |
         static_cast<std::uint32_t>(column);
}

/// Where a block's pivots are reported.
struct LuPivotReport {
  DeviceStatus* status;
  std::int32_t first_column;  ///< Column of the matrix that the block's first column is.

  /// Notes a pivot that was replaced, and one that failed because it is not finite. Others are found on U's diagonal after
  /// the factorization.
  template <class T>
  __device__ void note(T found, T used, int column) const {
    if (!is_finite(used)) atomicMin(&status->failed_column, first_column + column);
    if (found == used || found != found) return;
    const double magnitude = wide_magnitude(found);
    atomicAdd(&status->replaced_pivots, 1);
    atomicMin(reinterpret_cast<unsigned long long*>(&status->smallest_pivot), magnitude_bits(magnitude));
    atomicMin(reinterpret_cast<unsigned long long*>(&status->smallest_pivot_key),
              pivot_key(magnitude, first_column + column));
  }
};

}  // namespace gpusupernodal::cuda
