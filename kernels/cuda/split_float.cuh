#pragma once

/// \file
/// A float as the sum of two of the 11-bit significands that TF32 tensor cores multiply.

#include <cstdint>

namespace gpusupernodal::cuda {

/// high + low = value up to 2⁻²³ of it: the nearest number of 11 bits, and the rest cut off after 11. Three instructions
/// and a mask, where the conversion of the instruction set (cvt.rna) takes three times as many to carry NaN and Inf along;
/// here these reach `low`, and what is multiplied with either becomes NaN.
struct SplitFloat {
  std::uint32_t high, low;

  SplitFloat() = default;
  __device__ explicit SplitFloat(float value) {
    constexpr std::uint32_t kept = 0xffffe000U;
    constexpr std::uint32_t half = 0x00001000U;
    high = (__float_as_uint(value) + half) & kept;
    low = __float_as_uint(value - __uint_as_float(high)) & kept;
  }
};

}  // namespace gpusupernodal::cuda
