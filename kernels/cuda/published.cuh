#pragma once

/// \file
/// Self-flagging entries: an entry is "unset" until a task publishes it, and readers poll it until it is set. That
/// saves a fence, a counter and a second memory round trip between two tasks. The unset value is a signalling NaN.
/// Arithmetic produces only quiet NaNs, so no result equals it. Both parts of a complex entry are unset, and each is set on
/// its own, because the hardware may split a store of both.

#include <cstdint>

#include "kernels/cuda/scalars.cuh"

namespace gpusupernodal::cuda {

template <class T>
struct UnsetBits;
template <>
struct UnsetBits<double> {
  static constexpr unsigned long long value = 0x7FF4000000000000ULL;
};
template <>
struct UnsetBits<float> {
  static constexpr unsigned value = 0x7FA00000U;
};

__device__ inline bool is_unset(double value) {
  return static_cast<unsigned long long>(__double_as_longlong(value)) == UnsetBits<double>::value;
}
__device__ inline bool is_unset(float value) { return __float_as_uint(value) == UnsetBits<float>::value; }

__device__ inline void unset(double* entry) { *reinterpret_cast<unsigned long long*>(entry) = UnsetBits<double>::value; }
__device__ inline void unset(float* entry) { *reinterpret_cast<unsigned*>(entry) = UnsetBits<float>::value; }

/// Reads the current value of an entry, bypassing the L1 cache.
__device__ inline double read_now(const double* entry) {
  unsigned long long bits;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(bits) : "l"(entry) : "memory");
  return __longlong_as_double(static_cast<long long>(bits));
}
__device__ inline float read_now(const float* entry) {
  unsigned bits;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(bits) : "l"(entry) : "memory");
  return __uint_as_float(bits);
}

/// Publishes an entry. Precondition: `value` is a result of arithmetic.
__device__ inline void publish(double* entry, double value) {
  asm volatile("st.relaxed.gpu.global.f64 [%0], %1;" ::"l"(entry), "d"(value) : "memory");
}
__device__ inline void publish(float* entry, float value) {
  asm volatile("st.relaxed.gpu.global.f32 [%0], %1;" ::"l"(entry), "f"(value) : "memory");
}

template <class R>
__device__ bool is_unset(Complex<R> value) {
  return is_unset(value.re) || is_unset(value.im);
}
template <class R>
__device__ void unset(Complex<R>* entry) {
  unset(&entry->re);
  unset(&entry->im);
}
__device__ inline Complex<double> read_now(const Complex<double>* entry) {
  unsigned long long re, im;
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(re), "=l"(im) : "l"(entry) : "memory");
  return {__longlong_as_double(static_cast<long long>(re)), __longlong_as_double(static_cast<long long>(im))};
}
__device__ inline Complex<float> read_now(const Complex<float>* entry) {
  unsigned re, im;
  asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];" : "=r"(re), "=r"(im) : "l"(entry) : "memory");
  return {__uint_as_float(re), __uint_as_float(im)};
}
__device__ inline void publish(Complex<double>* entry, Complex<double> value) {
  asm volatile("st.relaxed.gpu.global.v2.f64 [%0], {%1, %2};" ::"l"(entry), "d"(value.re), "d"(value.im) : "memory");
}
__device__ inline void publish(Complex<float>* entry, Complex<float> value) {
  asm volatile("st.relaxed.gpu.global.v2.f32 [%0], {%1, %2};" ::"l"(entry), "f"(value.re), "f"(value.im) : "memory");
}

/// Returns the entry once it is set; `found` is a value read from it before.
template <class T>
__device__ T await_set(const T* entry, T found) {
  while (is_unset(found)) found = read_now(entry);
  return found;
}

template <class T>
__device__ T await_entry(const T* entry) {
  return await_set(entry, read_now(entry));
}

}  // namespace gpusupernodal::cuda
