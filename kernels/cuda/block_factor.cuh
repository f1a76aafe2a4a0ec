#pragma once

/// \file
/// Cholesky of a small block in shared memory by one warp, a row a lane, and the substitution with its columns.

namespace gpusupernodal::cuda {

/// v := L⁻¹ v for a vector in registers; L(i, k) = s[k·LD + i] and reciprocal[k] = 1/L(k, k). The updates of one step are
/// independent, so that they hide each other's latency; s is read by all lanes at one address (a broadcast).
template <class T, int N, int LD>
__device__ void substitute(T (&v)[N], const T* s, const T* reciprocal, int width) {
#pragma unroll
  for (int k = 0; k < N; ++k) {
    if (k < width) {
      v[k] *= reciprocal[k];
#pragma unroll
      for (int i = k + 1; i < N; ++i) v[i] -= s[k * LD + i] * v[k];
    }
  }
}

/// Factorizes the lower block s (width ≤ N ≤ 32, column-major, leading dimension LD): L replaces it, the strictly lower
/// part of L⁻¹ goes transposed above the diagonal, and the diagonal's reciprocals to `reciprocal`. A pivot that is not
/// positive and finite stays on the diagonal as it is and its column becomes zero, so that what follows stays finite.
/// One step a column: pivot by shuffle, rsqrt, column to shared memory, update of the rows in registers. Called by a
/// whole warp, which need not be the only one of its CTA.
template <class T, int N, int LD>
__device__ void factor_block(T* s, T* reciprocal, int width) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  T v[N];
#pragma unroll
  for (int k = 0; k < N; ++k) v[k] = (k <= lane && lane < width) ? s[k * LD + lane] : T(0);
#pragma unroll
  for (int j = 0; j < N; ++j) {
    if (j < width) {
      const T pivot = __shfl_sync(0xffffffffu, v[j], j);
      const bool good = pivot > T(0) && isfinite(pivot);
      const T inverse = good ? rsqrt(pivot) : T(0);
      const T l = lane == j ? (good ? pivot * inverse : pivot) : v[j] * inverse;
      if (lane >= j && lane < width) s[j * LD + lane] = l;
      if (lane == j) reciprocal[j] = inverse;
      __syncwarp();
#pragma unroll
      for (int k = j + 1; k < N; ++k) v[k] -= l * s[j * LD + k];
    }
  }
#pragma unroll
  for (int i = 0; i < N; ++i) v[i] = i == lane ? T(1) : T(0);
  substitute<T, N, LD>(v, s, reciprocal, width);
#pragma unroll
  for (int i = 1; i < N; ++i) {
    if (i < width && lane < i) s[i * LD + lane] = v[i];
  }
  __syncwarp();
}

}  // namespace gpusupernodal::cuda
