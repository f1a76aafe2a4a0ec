#pragma once

/// \file
/// A float as the sum of two numbers with the 11-bit significands that TF32 tensor cores multiply.

#include <cstdint>

namespace gpusupernodal::cuda {

/// high + low = value up to a relative error of 2⁻²³: `high` is the nearest number of 11 bits, `low` the rest,
/// truncated to 11 bits. This takes three instructions and a mask; the instruction set's conversion (cvt.rna) takes
/// three times as many to preserve NaN and Inf. Here NaN and Inf reach `low`, and products with them become NaN.
struct SplitFloat {
  std::uint32_t high, low;

  SplitFloat() = default;
  __device__ SplitFloat operator-() const {
    constexpr std::uint32_t sign = 0x80000000U;
    SplitFloat result;
    result.high = high ^ sign;
    result.low = low ^ sign;
    return result;
  }
  __device__ explicit SplitFloat(float value) {
    constexpr std::uint32_t kept = 0xffffe000U;
    constexpr std::uint32_t half = 0x00001000U;
    high = (__float_as_uint(value) + half) & kept;
    low = __float_as_uint(value - __uint_as_float(high)) & kept;
  }
};

}  // namespace gpusupernodal::cuda
