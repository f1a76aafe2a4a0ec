#pragma once

/// \file
/// Vectors of one instruction set: width, loads and stores of whole and of partial vectors. The headers of this folder
/// are compiled once per instruction set, each time in another namespace. They must not instantiate anything of the
/// standard library: the linker would merge such functions across instruction sets.

#ifndef GPUSUPERNODAL_ISA_NAMESPACE
#error "included by isa_*.cpp only, which define GPUSUPERNODAL_ISA_NAMESPACE"
#endif

#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__clang__)
#define GPUSUPERNODAL_UNROLL _Pragma("unroll")
#else
#define GPUSUPERNODAL_UNROLL _Pragma("GCC unroll 32")
#endif

namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE {

// A register tile is kTileVectors × kTileColumns accumulators; together with a column of A and a broadcast they fill
// the registers.
#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
inline constexpr int kTileVectors = 3;
inline constexpr int kTileColumns = 8;
#elif defined(__AVX2__)
inline constexpr int kVectorBytes = 32;
inline constexpr int kTileVectors = 3;
inline constexpr int kTileColumns = 4;
#else
inline constexpr int kVectorBytes = 16;
inline constexpr int kTileVectors = 2;
inline constexpr int kTileColumns = 4;
#endif

template <class T>
struct VectorOf;
template <>
struct VectorOf<float> {
  typedef float Type __attribute__((vector_size(kVectorBytes)));  // NOLINT(modernize-use-using): takes the attribute
};
template <>
struct VectorOf<double> {
  typedef double Type __attribute__((vector_size(kVectorBytes)));  // NOLINT(modernize-use-using): takes the attribute
};

template <class T>
using Vec = typename VectorOf<T>::Type;
template <class T>
inline constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));
template <class T>
inline constexpr int kTileRows = kTileVectors* kLanes<T>;

template <class T>
[[gnu::always_inline]] inline Vec<T> load(const T* from) {
  Vec<T> vector;
  __builtin_memcpy(&vector, from, sizeof(vector));
  return vector;
}

template <class T>
[[gnu::always_inline]] inline void store(T* to, Vec<T> vector) {
  __builtin_memcpy(to, &vector, sizeof(vector));
}

/// The first lanes of a vector, at least one: the rest of a column after its whole vectors.
template <class T>
struct FirstLanes;

#if defined(__AVX512F__)

template <>
struct FirstLanes<double> {
  __mmask8 mask;
  explicit FirstLanes(int count) : mask(static_cast<__mmask8>((1U << count) - 1U)) {}
};
template <>
struct FirstLanes<float> {
  __mmask16 mask;
  explicit FirstLanes(int count) : mask(static_cast<__mmask16>((1U << count) - 1U)) {}
};

[[gnu::always_inline]] inline Vec<double> load_first(const double* from, FirstLanes<double> lanes) {
  return _mm512_maskz_loadu_pd(lanes.mask, from);
}
[[gnu::always_inline]] inline Vec<float> load_first(const float* from, FirstLanes<float> lanes) {
  return _mm512_maskz_loadu_ps(lanes.mask, from);
}
[[gnu::always_inline]] inline void store_first(double* to, Vec<double> vector, FirstLanes<double> lanes) {
  _mm512_mask_storeu_pd(to, lanes.mask, vector);
}
[[gnu::always_inline]] inline void store_first(float* to, Vec<float> vector, FirstLanes<float> lanes) {
  _mm512_mask_storeu_ps(to, lanes.mask, vector);
}

/// Stores lanes [from, end).
[[gnu::always_inline]] inline void store_between(double* to, Vec<double> vector, int from, int end) {
  _mm512_mask_storeu_pd(to, static_cast<__mmask8>(((1U << end) - 1U) & (~0U << from)), vector);
}
[[gnu::always_inline]] inline void store_between(float* to, Vec<float> vector, int from, int end) {
  _mm512_mask_storeu_ps(to, static_cast<__mmask16>(((1U << end) - 1U) & (~0U << from)), vector);
}

#else

#if defined(__AVX2__)

template <>
struct FirstLanes<double> {
  int count;
  __m256i mask;
  explicit FirstLanes(int lanes)
      : count(lanes), mask(_mm256_cmpgt_epi64(_mm256_set1_epi64x(lanes), _mm256_setr_epi64x(0, 1, 2, 3))) {}
};
template <>
struct FirstLanes<float> {
  int count;
  __m256i mask;
  explicit FirstLanes(int lanes)
      : count(lanes), mask(_mm256_cmpgt_epi32(_mm256_set1_epi32(lanes), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))) {}
};

[[gnu::always_inline]] inline Vec<double> load_first(const double* from, const FirstLanes<double>& lanes) {
  return _mm256_maskload_pd(from, lanes.mask);
}
[[gnu::always_inline]] inline Vec<float> load_first(const float* from, const FirstLanes<float>& lanes) {
  return _mm256_maskload_ps(from, lanes.mask);
}

#else

template <class T>
struct FirstLanes {
  int count;
  explicit FirstLanes(int lanes) : count(lanes) {}
};

template <class T>
[[gnu::always_inline]] inline Vec<T> load_first(const T* from, FirstLanes<T> lanes) {
  Vec<T> vector = {};
  GPUSUPERNODAL_UNROLL
  for (int lane = 0; lane < kLanes<T>; ++lane) {
    if (lane < lanes.count) {
      vector[lane] = from[lane];
    }
  }
  return vector;
}

#endif

// Masked stores of AVX2 are microcoded on several processors; storing single elements is not slower.
template <class T>
[[gnu::always_inline]] inline void store_first(T* to, Vec<T> vector, const FirstLanes<T>& lanes) {
  GPUSUPERNODAL_UNROLL
  for (int lane = 0; lane < kLanes<T>; ++lane) {
    if (lane < lanes.count) {
      to[lane] = vector[lane];
    }
  }
}

/// Stores lanes [from, end).
template <class T>
[[gnu::always_inline]] inline void store_between(T* to, Vec<T> vector, int from, int end) {
  GPUSUPERNODAL_UNROLL
  for (int lane = 0; lane < kLanes<T>; ++lane) {
    if (lane >= from && lane < end) {
      to[lane] = vector[lane];
    }
  }
}

#endif

/// Returns the sum of the lanes, added by halves.
template <class T>
[[gnu::always_inline]] inline T sum_lanes(Vec<T> vector) {
  T lanes[kLanes<T>];
  __builtin_memcpy(lanes, &vector, sizeof(vector));
  GPUSUPERNODAL_UNROLL
  for (int half = kLanes<T> / 2; half > 0; half /= 2) {
    GPUSUPERNODAL_UNROLL
    for (int lane = 0; lane < half; ++lane) {
      lanes[lane] += lanes[lane + half];
    }
  }
  return lanes[0];
}

/// Scatters a vector's leading elements: the n-th element goes to the n-th set bit of a mask.
template <class T>
class Spread;

#if defined(__AVX512F__)

template <>
class Spread<double> {
 public:
  explicit Spread(std::uint32_t mask)
      : mask_(mask),
        order_(_mm512_maskz_expand_epi64(static_cast<__mmask8>(mask), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7))) {}
  /// For each set bit r of the mask, to[r] −= the next element of `from`; the first `skip` elements are left out.
  [[gnu::always_inline]] void subtract(double* to, const double* from, std::int32_t skip) const {
    const auto kept = static_cast<__mmask8>(skip <= 0 ? mask_ : skip >= 8 ? 0 : _pdep_u32(~0U << skip, mask_));
    const Vec<double> value = _mm512_maskz_permutexvar_pd(kept, order_, load(from));
    _mm512_mask_storeu_pd(to, kept, _mm512_maskz_loadu_pd(kept, to) - value);
  }

 private:
  std::uint32_t mask_;
  __m512i order_;
};

template <>
class Spread<float> {
 public:
  explicit Spread(std::uint32_t mask)
      : mask_(mask),
        order_(_mm512_maskz_expand_epi32(static_cast<__mmask16>(mask),
                                         _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))) {}
  [[gnu::always_inline]] void subtract(float* to, const float* from, std::int32_t skip) const {
    const auto kept = static_cast<__mmask16>(skip <= 0 ? mask_ : skip >= 16 ? 0 : _pdep_u32(~0U << skip, mask_));
    const Vec<float> value = _mm512_maskz_permutexvar_ps(kept, order_, load(from));
    _mm512_mask_storeu_ps(to, kept, _mm512_maskz_loadu_ps(kept, to) - value);
  }

 private:
  std::uint32_t mask_;
  __m512i order_;
};

#else

template <class T>
class Spread {
 public:
  explicit Spread(std::uint32_t mask) : mask_(mask) {}
  /// For each set bit r of the mask, to[r] −= the next element of `from`; the first `skip` elements are left out.
  [[gnu::always_inline]] void subtract(T* to, const T* from, std::int32_t skip) const {
    if (skip <= 0 && mask_ == (1U << kLanes<T>)-1U) {
      store(to, load(to) - load(from));
      return;
    }
    for (std::uint32_t mask = mask_; mask != 0; mask &= mask - 1) {
      if (--skip < 0) {
        to[__builtin_ctz(mask)] -= *from;
      }
      ++from;
    }
  }

 private:
  std::uint32_t mask_;
};

#endif

[[gnu::always_inline]] inline std::int32_t smaller(std::int32_t a, std::int32_t b) { return a < b ? a : b; }
[[gnu::always_inline]] inline std::int32_t larger(std::int32_t a, std::int32_t b) { return a > b ? a : b; }

}  // namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE
