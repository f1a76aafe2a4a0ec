#pragma once

/// \file
/// Pivots of a Cholesky factorization: reciprocals and roots without branches, and what a failed pivot leaves behind.

#include <limits>

#include "kernels/common/scalar_traits.hpp"

namespace gpusupernodal::cuda {

/// Whether a pivot is positive and finite, and neither it nor its reciprocal is subnormal: from 2⁻¹⁰²² to 2¹⁰²¹ in
/// double precision, from 2⁻¹²⁶ to 2¹²⁵ in single. Bit patterns of positive numbers order as integers do.
__device__ inline bool is_good_pivot(double pivot) {
  return static_cast<unsigned>(__double2hiint(pivot)) - 0x00100000u < 0x7fc00000u - 0x00100000u;
}
__device__ inline bool is_good_pivot(float pivot) {
  return __float_as_uint(pivot) - 0x00800000u < 0x7e000000u - 0x00800000u;
}

/// Returns 1/x of a good pivot and 0 otherwise: the hardware's approximation (20 bits or more) and one third-order
/// step, without a branch.
__device__ inline double pivot_reciprocal(double pivot) {
  const bool good = is_good_pivot(pivot);
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(pivot));
  y = good ? y : 0.0;
  const double x = good ? pivot : 0.0;
  const double error = fma(-x, y, 1.0);
  return fma(fma(error, error, error), y, y);
}
__device__ inline float pivot_reciprocal(float pivot) {
  const bool good = is_good_pivot(pivot);
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(pivot));
  y = good ? y : 0.0F;
  const float x = good ? pivot : 0.0F;
  return fmaf(fmaf(-x, y, 1.0F), y, y);
}

/// Returns 1/√x of a good pivot and 0 otherwise.
__device__ inline double pivot_rsqrt(double pivot) {
  const bool good = is_good_pivot(pivot);
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(pivot));
  y = good ? y : 0.0;
  const double x = good ? pivot : 0.0;
  const double error = fma(-(x * y), y, 1.0);
  return fma(fma(0.375, error, 0.5) * error, y, y);
}
__device__ inline float pivot_rsqrt(float pivot) { return is_good_pivot(pivot) ? rsqrtf(pivot) : 0.0F; }

/// The pivots of a Cholesky factorization. signed_pivots.cuh has those of LDLᵀ, with the same members.
template <class T>
struct PositivePivots {
  static_assert(!ScalarTraits<T>::is_complex);
  using Value = T;  ///< Pivots of Hermitian matrices are real too.
  static constexpr bool is_signed = false;
  static constexpr bool are_noted = false;  ///< Whether pivots are kept for a report.
  static constexpr bool is_adjoint = true;  ///< The second factor is Lᴴ.
  /// 1/pivot, by which a column is divided; 0 if the pivot has failed.
  __device__ T reciprocal(T pivot) const { return pivot_reciprocal(pivot); }
  /// 1/√pivot, or 0.
  __device__ T root(T pivot) const { return pivot_rsqrt(pivot); }
};

template <class T>
inline constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();

/// Returns what a failed pivot leaves on the diagonal: itself if it is not positive and finite, otherwise NaN, because
/// a positive number would look like a valid root. Its column has become zero, so later entries stay finite.
template <class T>
__device__ T failed_pivot(T pivot) {
  return pivot > T(0) && isfinite(pivot) ? not_a_number<T> : pivot;
}

}  // namespace gpusupernodal::cuda
