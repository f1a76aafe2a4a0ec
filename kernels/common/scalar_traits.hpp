#pragma once

/// \file
/// What algorithms must know about a scalar type, so that they need no test of sizeof. Plain C++.

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace gpusupernodal {

/// A real scalar: float or double.
template <class S>
struct ScalarTraits {
  static_assert(std::is_floating_point_v<S>);
  using Real = S;
  using Wide = double;  ///< The type in which residuals are summed.
  static constexpr bool is_complex = false;
  static constexpr bool is_single = std::is_same_v<Real, float>;  ///< Single precision; otherwise double.
  static constexpr std::int64_t bytes = sizeof(S);

  static constexpr S conjugate(S value) { return value; }
  static constexpr Real real(S value) { return value; }
  /// x · conj(y).
  static constexpr S times_conjugate(S x, S y) { return x * y; }
  static Real abs(S value) { return std::abs(value); }
  /// |value|², which orders magnitudes without a root for complex ones; for real ones |value| itself does.
  static Real order(S value) { return std::abs(value); }
  /// The magnitude that belongs to a value of `order`.
  static Real magnitude_of(Real order) { return order; }
  static bool is_finite(S value) { return std::isfinite(value); }
  /// A part of the value that is not finite; the real part if all are.
  static constexpr Real non_finite_part(S value) { return value; }
  static constexpr S not_a_number() { return std::numeric_limits<S>::quiet_NaN(); }
};

/// A complex scalar, stored as the real part followed by the imaginary part.
template <class R>
struct ScalarTraits<std::complex<R>> {
  using Real = R;
  using Wide = std::complex<double>;
  static constexpr bool is_complex = true;
  static constexpr bool is_single = std::is_same_v<R, float>;
  static constexpr std::int64_t bytes = sizeof(std::complex<R>);

  static constexpr std::complex<R> conjugate(std::complex<R> value) { return {value.real(), -value.imag()}; }
  static constexpr Real real(std::complex<R> value) { return value.real(); }
  /// Written out, because operator* also repairs products of infinities, which takes time.
  static constexpr std::complex<R> times_conjugate(std::complex<R> x, std::complex<R> y) {
    return {x.real() * y.real() + x.imag() * y.imag(), x.imag() * y.real() - x.real() * y.imag()};
  }
  static Real abs(std::complex<R> value) { return std::abs(value); }
  static Real order(std::complex<R> value) { return value.real() * value.real() + value.imag() * value.imag(); }
  static Real magnitude_of(Real order) { return std::sqrt(order); }
  static bool is_finite(std::complex<R> value) { return std::isfinite(value.real()) && std::isfinite(value.imag()); }
  static Real non_finite_part(std::complex<R> value) {
    return std::isfinite(value.real()) && !std::isfinite(value.imag()) ? value.imag() : value.real();
  }
  static constexpr std::complex<R> not_a_number() {
    return {std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::quiet_NaN()};
  }
};

}  // namespace gpusupernodal
