#pragma once

/// \file
/// Register tiles of complex products. A complex entry is two numbers R, its real and its imaginary part, and pointers are
/// to R: std::complex would put functions of the standard library into this instruction set (simd.hpp). Leading
/// dimensions and strides count complex entries.

#include "kernels/host/isa/simd.hpp"

namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE {

template <class R>
inline constexpr int kComplexLanes = kLanes<R> / 2;  ///< Complex entries per vector.
inline constexpr int kComplexTileVectors = 2;
template <class R>
inline constexpr int kComplexTileRows = kComplexTileVectors* kComplexLanes<R>;
inline constexpr int kComplexTileColumns = kVectorBytes == 64 ? 4 : 2;

/// Exchanges real and imaginary parts.
#if !defined(__clang__) && __GNUC__ < 12  // GCC has __builtin_shufflevector from 12 on.
template <class Lanes, class Vector>
[[gnu::always_inline]] inline Vector swap_lanes(Vector v) {
  Lanes partner = {};
  GPUSUPERNODAL_UNROLL
  for (int lane = 0; lane < static_cast<int>(sizeof(Vector) / sizeof(v[0])); ++lane) partner[lane] = lane ^ 1;
  return __builtin_shuffle(v, partner);
}
[[gnu::always_inline]] inline Vec<double> swap_parts(Vec<double> v) {
  typedef long long Lanes __attribute__((vector_size(kVectorBytes)));
  return swap_lanes<Lanes>(v);
}
[[gnu::always_inline]] inline Vec<float> swap_parts(Vec<float> v) {
  typedef int Lanes __attribute__((vector_size(kVectorBytes)));
  return swap_lanes<Lanes>(v);
}
#elif defined(__AVX512F__)
[[gnu::always_inline]] inline Vec<double> swap_parts(Vec<double> v) {
  return __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6);
}
[[gnu::always_inline]] inline Vec<float> swap_parts(Vec<float> v) {
  return __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
}
#elif defined(__AVX2__)
[[gnu::always_inline]] inline Vec<double> swap_parts(Vec<double> v) { return __builtin_shufflevector(v, v, 1, 0, 3, 2); }
[[gnu::always_inline]] inline Vec<float> swap_parts(Vec<float> v) {
  return __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6);
}
#else
[[gnu::always_inline]] inline Vec<double> swap_parts(Vec<double> v) { return __builtin_shufflevector(v, v, 1, 0); }
[[gnu::always_inline]] inline Vec<float> swap_parts(Vec<float> v) { return __builtin_shufflevector(v, v, 1, 0, 3, 2); }
#endif

/// (first, second, first, second, …).
template <class R>
[[gnu::always_inline]] inline Vec<R> alternating(R first, R second) {
  Vec<R> v = {};
  GPUSUPERNODAL_UNROLL
  for (int lane = 0; lane < kLanes<R>; ++lane) v[lane] = lane % 2 == 0 ? first : second;
  return v;
}

/// The right operand of a product: entry (k, j) is entries[2·(k·depth_stride + j·column_stride)].
template <class R>
struct ComplexRight {
  const R* entries;
  std::int64_t depth_stride;
  std::int64_t column_stride;
};

/// sums (kVectors·kComplexLanes × kColumns, column-major) := A·B, or A·conj(B) if kConjugate, for `depth` columns of A.
/// The products with real and with imaginary parts of B are summed apart: these sums are real products. If kPartial, only
/// the `last` lanes of the last vector of a column of A are read.
template <int kColumns, int kVectors, bool kPartial, bool kConjugate, class R>
[[gnu::noinline]] void complex_tile(std::int32_t depth, const R* a, std::int64_t lda, const ComplexRight<R>& b,
                                    const FirstLanes<R>& last, R* sums) {
  Vec<R> by_real[kColumns][kVectors] = {};
  Vec<R> by_imaginary[kColumns][kVectors] = {};
  for (std::int32_t k = 0; k < depth; ++k) {
    const R* const column = a + 2 * k * lda;
    Vec<R> left[kVectors];
    GPUSUPERNODAL_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      const R* const from = column + v * kLanes<R>;
      left[v] = kPartial && v == kVectors - 1 ? load_first(from, last) : load(from);
    }
    GPUSUPERNODAL_UNROLL
    for (int j = 0; j < kColumns; ++j) {
      const R* const right = b.entries + 2 * (k * b.depth_stride + j * b.column_stride);
      GPUSUPERNODAL_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        by_real[j][v] += left[v] * right[0];
        by_imaginary[j][v] += left[v] * right[1];
      }
    }
  }
  const Vec<R> sign = kConjugate ? alternating(R(1), R(-1)) : alternating(R(-1), R(1));
  GPUSUPERNODAL_UNROLL
  for (int j = 0; j < kColumns; ++j) {
    GPUSUPERNODAL_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      store(sums + (j * kVectors + v) * kLanes<R>, by_real[j][v] + sign * swap_parts(by_imaginary[j][v]));
    }
  }
}

/// A tile's sums in a fixed place: kComplexTileRows × kComplexTileColumns at most.
template <class R>
struct ComplexSums {
  R entries[2 * kComplexTileRows<R> * kComplexTileColumns];
  std::int32_t ld;
};

/// complex_tile for 1 to kComplexTileRows rows.
template <int kColumns, bool kConjugate, class R>
[[gnu::always_inline]] inline void complex_tile_rows(std::int32_t rows, std::int32_t depth, const R* a, std::int64_t lda,
                                                     const ComplexRight<R>& b, ComplexSums<R>& sums) {
  const FirstLanes<R> last(2 * (rows <= kComplexLanes<R> ? rows : rows - kComplexLanes<R>));
  sums.ld = rows <= kComplexLanes<R> ? kComplexLanes<R> : kComplexTileRows<R>;
  if (rows == kComplexTileRows<R>) {
    complex_tile<kColumns, 2, false, kConjugate>(depth, a, lda, b, last, sums.entries);
  } else if (rows > kComplexLanes<R>) {
    complex_tile<kColumns, 2, true, kConjugate>(depth, a, lda, b, last, sums.entries);
  } else {
    complex_tile<kColumns, 1, true, kConjugate>(depth, a, lda, b, last, sums.entries);
  }
}

}  // namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE
