#pragma once

/// \file
/// Register tiles of complex products. A complex entry is two doubles, its real and its imaginary part, and pointers are to
/// doubles: std::complex would put functions of the standard library into this instruction set (simd.hpp). Leading
/// dimensions and strides count complex entries.

#include "kernels/host/isa/simd.hpp"

namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE {

using ComplexVector = Vec<double>;

inline constexpr int kComplexLanes = kLanes<double> / 2;  ///< Complex entries per vector.
inline constexpr int kComplexTileVectors = 2;
inline constexpr int kComplexTileRows = kComplexTileVectors * kComplexLanes;
inline constexpr int kComplexTileColumns = kVectorBytes == 64 ? 4 : 2;

/// Exchanges real and imaginary parts.
[[gnu::always_inline]] inline ComplexVector swap_parts(ComplexVector v) {
#if !defined(__clang__) && __GNUC__ < 12  // GCC has __builtin_shufflevector from 12 on.
  typedef long long Lanes __attribute__((vector_size(kVectorBytes)));
  Lanes partner = {};
  GPUSUPERNODAL_UNROLL
  for (int lane = 0; lane < kLanes<double>; ++lane) partner[lane] = lane ^ 1;
  return __builtin_shuffle(v, partner);
#elif defined(__AVX512F__)
  return __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6);
#elif defined(__AVX2__)
  return __builtin_shufflevector(v, v, 1, 0, 3, 2);
#else
  return __builtin_shufflevector(v, v, 1, 0);
#endif
}

/// (first, second, first, second, …).
[[gnu::always_inline]] inline ComplexVector alternating(double first, double second) {
  ComplexVector v = {};
  GPUSUPERNODAL_UNROLL
  for (int lane = 0; lane < kLanes<double>; ++lane) v[lane] = lane % 2 == 0 ? first : second;
  return v;
}

/// The right operand of a product: entry (k, j) is entries[2·(k·depth_stride + j·column_stride)].
struct ComplexRight {
  const double* entries;
  std::int64_t depth_stride;
  std::int64_t column_stride;
};

/// sums (kVectors·kComplexLanes × kColumns, column-major) := A·B, or A·conj(B) if kConjugate, for `depth` columns of A.
/// The products with real and with imaginary parts of B are summed apart: these sums are real products. If kPartial, only
/// the `last` lanes of the last vector of a column of A are read.
template <int kColumns, int kVectors, bool kPartial, bool kConjugate>
[[gnu::noinline]] void complex_tile(std::int32_t depth, const double* a, std::int64_t lda, const ComplexRight& b,
                                    const FirstLanes<double>& last, double* sums) {
  ComplexVector by_real[kColumns][kVectors] = {};
  ComplexVector by_imaginary[kColumns][kVectors] = {};
  for (std::int32_t k = 0; k < depth; ++k) {
    const double* const column = a + 2 * k * lda;
    ComplexVector left[kVectors];
    GPUSUPERNODAL_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      const double* const from = column + v * kLanes<double>;
      left[v] = kPartial && v == kVectors - 1 ? load_first(from, last) : load(from);
    }
    GPUSUPERNODAL_UNROLL
    for (int j = 0; j < kColumns; ++j) {
      const double* const right = b.entries + 2 * (k * b.depth_stride + j * b.column_stride);
      GPUSUPERNODAL_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        by_real[j][v] += left[v] * right[0];
        by_imaginary[j][v] += left[v] * right[1];
      }
    }
  }
  const ComplexVector sign = kConjugate ? alternating(1.0, -1.0) : alternating(-1.0, 1.0);
  GPUSUPERNODAL_UNROLL
  for (int j = 0; j < kColumns; ++j) {
    GPUSUPERNODAL_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      store(sums + (j * kVectors + v) * kLanes<double>, by_real[j][v] + sign * swap_parts(by_imaginary[j][v]));
    }
  }
}

/// A tile's sums in a fixed place: kComplexTileRows × kComplexTileColumns at most.
struct ComplexSums {
  double entries[2 * kComplexTileRows * kComplexTileColumns];
  std::int32_t ld;
};

/// complex_tile for 1 to kComplexTileRows rows.
template <int kColumns, bool kConjugate>
[[gnu::always_inline]] inline void complex_tile_rows(std::int32_t rows, std::int32_t depth, const double* a,
                                                     std::int64_t lda, const ComplexRight& b, ComplexSums& sums) {
  const FirstLanes<double> last(2 * (rows <= kComplexLanes ? rows : rows - kComplexLanes));
  sums.ld = rows <= kComplexLanes ? kComplexLanes : kComplexTileRows;
  if (rows == kComplexTileRows) {
    complex_tile<kColumns, 2, false, kConjugate>(depth, a, lda, b, last, sums.entries);
  } else if (rows > kComplexLanes) {
    complex_tile<kColumns, 2, true, kConjugate>(depth, a, lda, b, last, sums.entries);
  } else {
    complex_tile<kColumns, 1, true, kConjugate>(depth, a, lda, b, last, sums.entries);
  }
}

}  // namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE
