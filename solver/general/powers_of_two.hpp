#pragma once

/// \file
/// Turns logarithms of scales into powers of two.

#include <algorithm>
#include <cmath>
#include <vector>

namespace gpusupernodal {

/// Replaces each binary logarithm by the nearest power of two. Exponents beyond ±1022 are cut off, so that the powers and
/// their reciprocals are finite and not subnormal.
inline void round_to_powers(std::vector<double>& logarithms) {
  constexpr double largest_exponent = 1022.0;
  for (double& x : logarithms) {
    x = std::ldexp(1.0, static_cast<int>(std::nearbyint(std::clamp(x, -largest_exponent, largest_exponent))));
  }
}

}  // namespace gpusupernodal
