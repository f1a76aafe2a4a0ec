#pragma once

/// \file
/// Sizes and multiples of scalars by their real and imaginary parts.

#include <cmath>
#include <cstdint>

#include "kernels/common/scalar_traits.hpp"
#include "solver/host/run/host_vectors.hpp"

namespace gpusupernodal {

/// |value|, or the larger part of a complex number, which cannot overflow; NaN if one is NaN.
template <class S>
double size_of(S value) {
  if constexpr (ScalarTraits<S>::is_complex) {
    const double real = size_of(value.real()), imaginary = size_of(value.imag());
    return real > imaginary || std::isnan(real) ? real : imaginary;
  } else {
    return static_cast<double>(std::abs(value));
  }
}

/// factor · value, computed in double.
template <class S>
S scaled(S value, double factor) {
  if constexpr (ScalarTraits<S>::is_complex) {
    return {scaled(value.real(), factor), scaled(value.imag(), factor)};
  } else {
    return static_cast<S>(value * factor);
  }
}

/// The largest |v[i]|, i < n, or the largest part of complex numbers, which cannot overflow; NaN if there is one.
template <class S>
double largest_part(const S* v, std::int64_t n) {
  if constexpr (ScalarTraits<S>::is_complex) {
    double largest = 0.0;
    for (std::int64_t i = 0; i < n; ++i) {
      const double size = size_of(v[i]);
      if (!(size <= largest)) largest = size;  // True for NaN, too.
      if (std::isnan(largest)) break;
    }
    return largest;
  } else {
    return largest_magnitude(v, n);
  }
}

}  // namespace gpusupernodal
