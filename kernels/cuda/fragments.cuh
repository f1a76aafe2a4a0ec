#pragma once

/// \file
/// Products of 16×4 by 4×8 blocks in the registers of a warp, by tensor cores. Fragments are those of mma.m16n8k4, with
/// group = lane / 4 and quad = lane % 4. A lane holds rows group and group+8 of column quad of A, row quad of column
/// group of B, and columns 2·quad and 2·quad+1 of rows group and group+8 of C.
///
/// A float is split into two numbers of 11 bits, and three of the four products are computed. What is left out is at
/// most 2⁻²¹ of the product, so a sum of n products keeps an error of c·n·eps. Before compute capability 8.0, lanes
/// exchange the operands and multiply.

#include "kernels/cuda/scalars.cuh"
#include "kernels/cuda/split_float.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && !defined(GPUSUPERNODAL_NO_TENSOR_CORES)
#define GPUSUPERNODAL_FRAGMENTS_BY_TENSOR_CORES 1
#else
#define GPUSUPERNODAL_FRAGMENTS_BY_TENSOR_CORES 0
#endif

namespace gpusupernodal::cuda {

template <class T>
struct Operand {
  T value;
};
template <>
struct Operand<float> {
  float value;
  float rest;
};
template <class R>
struct Operand<Complex<R>> {
  Operand<R> re, im;
};

__device__ inline Operand<double> operand(double value) { return {value}; }

__device__ inline Operand<float> operand(float value) {
#if GPUSUPERNODAL_FRAGMENTS_BY_TENSOR_CORES
  const SplitFloat parts(value);
  return {__uint_as_float(parts.high), __uint_as_float(parts.low)};
#else
  return {value, 0.0F};
#endif
}

template <class R>
__device__ Operand<Complex<R>> operand(Complex<R> value) {
  return {operand(value.re), operand(value.im)};
}

__device__ inline Operand<double> negated(const Operand<double>& x) { return {-x.value}; }
__device__ inline Operand<float> negated(const Operand<float>& x) { return {-x.value, -x.rest}; }

/// Computes c += a · b by exchanges between lanes.
template <class T>
__device__ void multiply_by_exchange(T (&c)[4], const Operand<T> (&a)[2], const Operand<T>& b) {
  const int group = static_cast<int>(threadIdx.x & 31u) / 4;
  const int quad = static_cast<int>(threadIdx.x & 3u);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    T left[2], right[2];
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      left[h] = __shfl_sync(0xffffffffu, a[h].value, 4 * group + k);
      right[h] = __shfl_sync(0xffffffffu, b.value, 4 * (2 * quad + h) + k);
    }
#pragma unroll
    for (int e = 0; e < 4; ++e) c[e] += left[e / 2] * right[e % 2];
  }
}

__device__ inline void multiply(double (&c)[4], const Operand<double> (&a)[2], const Operand<double>& b) {
#if GPUSUPERNODAL_FRAGMENTS_BY_TENSOR_CORES && __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0].value), "d"(a[1].value), "d"(b.value));
#elif GPUSUPERNODAL_FRAGMENTS_BY_TENSOR_CORES
  for (int h = 0; h < 2; ++h) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(c[2 * h]), "+d"(c[2 * h + 1])
        : "d"(a[h].value), "d"(b.value));
  }
#else
  multiply_by_exchange(c, a, b);
#endif
}

#if GPUSUPERNODAL_FRAGMENTS_BY_TENSOR_CORES
__device__ inline void multiply_tf32(float (&c)[4], float a0, float a1, float b) {
  asm("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(__float_as_uint(a0)), "r"(__float_as_uint(a1)), "r"(__float_as_uint(b)));
}
#endif

__device__ inline void multiply(float (&c)[4], const Operand<float> (&a)[2], const Operand<float>& b) {
#if GPUSUPERNODAL_FRAGMENTS_BY_TENSOR_CORES
  multiply_tf32(c, a[0].rest, a[1].rest, b.value);
  multiply_tf32(c, a[0].value, a[1].value, b.rest);
  multiply_tf32(c, a[0].value, a[1].value, b.value);
#else
  multiply_by_exchange(c, a, b);
#endif
}

/// Computes c += a[0] · b[0] + a[1] · b[1].
__device__ inline void multiply_two(double (&c)[4], const Operand<double> (&a)[2][2], const Operand<double> (&b)[2]) {
#if GPUSUPERNODAL_FRAGMENTS_BY_TENSOR_CORES && __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0][0].value), "d"(a[0][1].value), "d"(a[1][0].value), "d"(a[1][1].value), "d"(b[0].value), "d"(b[1].value));
#else
  for (int k = 0; k < 2; ++k) multiply(c, a[k], b[k]);
#endif
}

#if GPUSUPERNODAL_FRAGMENTS_BY_TENSOR_CORES
__device__ inline void multiply_two_tf32(float (&c)[4], float a0, float a1, float a2, float a3, float b0, float b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(__float_as_uint(a0)), "r"(__float_as_uint(a1)), "r"(__float_as_uint(a2)), "r"(__float_as_uint(a3)),
        "r"(__float_as_uint(b0)), "r"(__float_as_uint(b1)));
}
#endif

__device__ inline void multiply_two(float (&c)[4], const Operand<float> (&a)[2][2], const Operand<float> (&b)[2]) {
#if GPUSUPERNODAL_FRAGMENTS_BY_TENSOR_CORES
  multiply_two_tf32(c, a[0][0].rest, a[0][1].rest, a[1][0].rest, a[1][1].rest, b[0].value, b[1].value);
  multiply_two_tf32(c, a[0][0].value, a[0][1].value, a[1][0].value, a[1][1].value, b[0].rest, b[1].rest);
  multiply_two_tf32(c, a[0][0].value, a[0][1].value, a[1][0].value, a[1][1].value, b[0].value, b[1].value);
#else
  for (int k = 0; k < 2; ++k) multiply(c, a[k], b[k]);
#endif
}

/// Computes c += Σ a[k] · b[k] over `Steps` steps of complex operands by four real products. multiply(c, a, b) computes a
/// real one.
template <int Steps, class R, class Multiply>
__device__ void multiply_parts(Complex<R> (&c)[4], const Operand<Complex<R>> (&a)[Steps][2],
                               const Operand<Complex<R>> (&b)[Steps], const Multiply& multiply) {
  R re[4], im[4];
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    re[e] = c[e].re;
    im[e] = c[e].im;
  }
  Operand<R> a_re[Steps][2], a_im[Steps][2], b_re[Steps], b_im[Steps], minus_b_im[Steps];
#pragma unroll
  for (int k = 0; k < Steps; ++k) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      a_re[k][h] = a[k][h].re;
      a_im[k][h] = a[k][h].im;
    }
    b_re[k] = b[k].re;
    b_im[k] = b[k].im;
    minus_b_im[k] = negated(b[k].im);
  }
  multiply(re, a_re, b_re);
  multiply(im, a_re, b_im);
  multiply(re, a_im, minus_b_im);
  multiply(im, a_im, b_re);
#pragma unroll
  for (int e = 0; e < 4; ++e) c[e] = {re[e], im[e]};
}

template <class R>
__device__ void multiply(Complex<R> (&c)[4], const Operand<Complex<R>> (&a)[2], const Operand<Complex<R>>& b) {
  const Operand<Complex<R>> left[1][2] = {{a[0], a[1]}};
  const Operand<Complex<R>> right[1] = {b};
  multiply_parts(c, left, right,
                 [](R(&sum)[4], const Operand<R>(&x)[1][2], const Operand<R>(&y)[1]) { multiply(sum, x[0], y[0]); });
}

template <class R>
__device__ void multiply_two(Complex<R> (&c)[4], const Operand<Complex<R>> (&a)[2][2], const Operand<Complex<R>> (&b)[2]) {
  multiply_parts(c, a, b, [](R(&sum)[4], const Operand<R>(&x)[2][2], const Operand<R>(&y)[2]) { multiply_two(sum, x, y); });
}

}  // namespace gpusupernodal::cuda
