#pragma once

/// \file
/// Maximum norms of vectors, in double precision; NaN counts as the largest value.

namespace gpusupernodal::cuda {

/// Returns the larger value, or NaN if one of them is NaN.
__device__ inline double larger(double a, double b) { return b > a || isnan(b) ? b : a; }

/// NaN counts as the largest value: its bits without the sign exceed those of infinity.
__device__ inline void raise(double* norm, double value) {
  atomicMax(reinterpret_cast<unsigned long long*>(norm), static_cast<unsigned long long>(__double_as_longlong(fabs(value))));
}

/// Raises the norm to the largest value of a warp; all its lanes must call this.
__device__ inline void raise_by_warp(double* norm, double largest) {
  for (int step = 16; step > 0; step /= 2) {
    largest = larger(largest, __shfl_xor_sync(0xffffffffu, largest, step));
  }
  if (threadIdx.x % 32u == 0) raise(norm, largest);
}

}  // namespace gpusupernodal::cuda
