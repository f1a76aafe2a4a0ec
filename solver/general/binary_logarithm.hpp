#pragma once

/// \file
/// Estimates of binary logarithms for scales, from the exponents of numbers.

#include <bit>
#include <cmath>
#include <cstdint>

namespace gpusupernodal {

/// Stands for the logarithm of zero, infinity and NaN, which do not count. Sums of finite logarithms are larger.
inline constexpr double no_logarithm = -1e6;

/// Estimates log2 |value|, up to 1/2: that of a magnitude in [2ᵉ, 2ᵉ⁺¹) by e + 1/2.
inline double estimated_logarithm(double value) {
  constexpr double middle = 0.5;
  constexpr std::uint64_t exponent_mask = 0x7ff;
  constexpr int bias = 1023;
  const std::uint64_t exponent = (std::bit_cast<std::uint64_t>(value) >> 52) & exponent_mask;
  if (exponent == exponent_mask || value == 0.0) return no_logarithm;
  if (exponent == 0) return std::ilogb(value) + middle;
  return static_cast<int>(exponent) - bias + middle;
}

}  // namespace gpusupernodal
