#pragma once

/// \file
/// Loads of matrix data. They pass by L1, which is for x, and carry a policy for L2: a matrix that is larger than L2 is
/// evicted first, so that the vectors stay; a smaller one stays for the next product.

#include <cstdint>

namespace gpusupernodal::cuda {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define GPUSUPERNODAL_MATRIX_LOAD(Type, letter, suffix)                        \
  __device__ inline Type load_matrix(const Type* from, std::uint64_t policy) { \
    Type value;                                                                \
    asm("ld.global.nc.L1::no_allocate.L2::cache_hint." suffix " %0, [%1], %2;" \
        : "=" letter(value)                                                    \
        : "l"(from), "l"(policy));                                             \
    return value;                                                              \
  }
GPUSUPERNODAL_MATRIX_LOAD(double, "d", "f64")
GPUSUPERNODAL_MATRIX_LOAD(float, "f", "f32")
GPUSUPERNODAL_MATRIX_LOAD(std::int32_t, "r", "s32")
GPUSUPERNODAL_MATRIX_LOAD(std::uint16_t, "h", "u16")
#undef GPUSUPERNODAL_MATRIX_LOAD

#define GPUSUPERNODAL_REUSED_LOAD(Type, letter, suffix)                                                       \
  __device__ inline Type load_reused(const Type* from, std::uint64_t policy) {                                \
    Type value;                                                                                               \
    asm("ld.global.nc.L2::cache_hint." suffix " %0, [%1], %2;" : "=" letter(value) : "l"(from), "l"(policy)); \
    return value;                                                                                             \
  }
GPUSUPERNODAL_REUSED_LOAD(double, "d", "f64")
GPUSUPERNODAL_REUSED_LOAD(float, "f", "f32")
#undef GPUSUPERNODAL_REUSED_LOAD

/// The policy of a matrix, for load_matrix and for load_reused, which leaves the value in L1.
__device__ inline std::uint64_t matrix_policy(bool streamed) {
  std::uint64_t first, normal;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(first));
  asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(normal));
  return streamed ? first : normal;
}
#else
template <class Type>
__device__ inline Type load_matrix(const Type* from, std::uint64_t) {
  return __ldg(from);
}
template <class Type>
__device__ inline Type load_reused(const Type* from, std::uint64_t) {
  return __ldg(from);
}
__device__ inline std::uint64_t matrix_policy(bool) { return 0; }
#endif

}  // namespace gpusupernodal::cuda
