#pragma once

/// \file
/// The small matrix products of tensor cores, with a fallback for devices without them.
/// Fragments are those of mma.m8n8k4 and mma.m16n8k8: `group` = lane / 4, `quad` = lane mod 4.

#include <cstdint>

#include "kernels/cuda/scalars.cuh"
#include "kernels/cuda/split_float.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && !defined(GPUSUPERNODAL_NO_TENSOR_CORES)
#define GPUSUPERNODAL_TENSOR_CORES 1
#else
#define GPUSUPERNODAL_TENSOR_CORES 0
#endif

namespace gpusupernodal::cuda {

/// Computes c += A·B with A 8×4, B 4×8. Each lane holds A(group, quad), B(quad, group) and C(group, 2·quad + {0, 1}).
/// Without tensor cores, lanes exchange operands by shuffles. All lanes of the warp must call it.
template <class T>
__device__ inline void mma_8x8x4(T (&c)[2], T a, T b) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const int quad = lane & 3;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const T left = shuffle(a, (lane & ~3) + k);
#pragma unroll
    for (int e = 0; e < 2; ++e) add_product(c[e], left, shuffle(b, 4 * (2 * quad + e) + k));
  }
}

#if GPUSUPERNODAL_TENSOR_CORES
/// Volatile: it must stay before branches that only some lanes take.
template <>
__device__ inline void mma_8x8x4<double>(double (&c)[2], double a, double b) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(c[0]), "+d"(c[1])
               : "d"(a), "d"(b));
}

/// Computes c += a · b on FP64 tensor cores, a 16×8, b 8×8: one m16n8k8 (compute capability 9.0), otherwise four
/// m8n8k4.
__device__ inline void mma_16x8x8(double (&c)[4], const double (&a)[4], const double (&b)[2]) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
  for (int k = 0; k < 2; ++k) {
    for (int h = 0; h < 2; ++h) {
      asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
          : "+d"(c[2 * h]), "+d"(c[2 * h + 1])
          : "d"(a[2 * k + h]), "d"(b[k]));
    }
  }
#endif
}

__device__ inline void mma_tf32(float (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// Computes c += a · b as three products of halves, small ones first; the product of the low halves is below rounding.
/// Tensor cores truncate when they add, so they only form a small separate sum, and a long sum is rounded as usual.
__device__ inline void mma_16x8x8(float (&c)[4], const SplitFloat (&a)[4], const SplitFloat (&b)[2]) {
  const std::uint32_t high_a[4] = {a[0].high, a[1].high, a[2].high, a[3].high};
  const std::uint32_t low_a[4] = {a[0].low, a[1].low, a[2].low, a[3].low};
  const std::uint32_t high_b[2] = {b[0].high, b[1].high};
  const std::uint32_t low_b[2] = {b[0].low, b[1].low};
  float sum[4] = {};
  mma_tf32(sum, low_a, high_b);
  mma_tf32(sum, high_a, low_b);
  mma_tf32(sum, high_a, high_b);
#pragma unroll
  for (int e = 0; e < 4; ++e) c[e] += sum[e];
}
#else
template <class T>
__device__ inline void mma_16x8x8(T (&c)[4], const T (&a)[4], const T (&b)[2]) {
  for (int h = 0; h < 2; ++h) {
    T half[2] = {c[2 * h], c[2 * h + 1]};
    for (int k = 0; k < 2; ++k) mma_8x8x4(half, a[2 * k + h], b[k]);
    c[2 * h] = half[0];
    c[2 * h + 1] = half[1];
  }
}
#endif

/// A complex number whose parts are operands of tensor cores.
struct SplitComplex {
  SplitFloat re, im;

  SplitComplex() = default;
  __device__ explicit SplitComplex(Complex<float> value) : re(value.re), im(value.im) {}
};

__device__ inline double negated(double value) { return -value; }
__device__ inline float negated(float value) { return -value; }
__device__ inline SplitFloat negated(SplitFloat value) { return -value; }

#if GPUSUPERNODAL_TENSOR_CORES
/// Computes c += a · b for complex numbers by four real products.
template <>
__device__ inline void mma_8x8x4<Complex<double>>(Complex<double> (&c)[2], Complex<double> a, Complex<double> b) {
  double re[2] = {c[0].re, c[1].re}, im[2] = {c[0].im, c[1].im};
  mma_8x8x4<double>(re, a.re, b.re);
  mma_8x8x4<double>(re, a.im, -b.im);
  mma_8x8x4<double>(im, a.re, b.im);
  mma_8x8x4<double>(im, a.im, b.re);
#pragma unroll
  for (int e = 0; e < 2; ++e) c[e] = {re[e], im[e]};
}

/// Computes c += a · b for complex numbers by four real products. `Entry` has the parts `re` and `im`.
template <class R, class Entry>
__device__ void mma_16x8x8(Complex<R> (&c)[4], const Entry (&a)[4], const Entry (&b)[2]) {
  using Part = decltype(Entry::re);
  R re[4], im[4];
  Part a_re[4], a_im[4];
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    re[e] = c[e].re;
    im[e] = c[e].im;
    a_re[e] = a[e].re;
    a_im[e] = a[e].im;
  }
  const Part b_re[2] = {b[0].re, b[1].re}, b_im[2] = {b[0].im, b[1].im};
  const Part minus_b_im[2] = {negated(b[0].im), negated(b[1].im)};
  mma_16x8x8(re, a_re, b_re);
  mma_16x8x8(im, a_re, b_im);
  mma_16x8x8(re, a_im, minus_b_im);
  mma_16x8x8(im, a_im, b_re);
#pragma unroll
  for (int e = 0; e < 4; ++e) c[e] = {re[e], im[e]};
}
#endif

/// Operand type of mma_16x8x8.
template <class T>
struct Fragment {
  using Entry = T;
};
#if GPUSUPERNODAL_TENSOR_CORES
template <>
struct Fragment<float> {
  using Entry = SplitFloat;
};
template <>
struct Fragment<Complex<float>> {
  using Entry = SplitComplex;
};
#endif

}  // namespace gpusupernodal::cuda
