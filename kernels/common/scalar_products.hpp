#pragma once

/// \file
/// Products of scalars in sparse products and iterations. Plain C++.

#include <complex>

#include "kernels/common/scalar_traits.hpp"

namespace gpusupernodal {

/// x · y.
template <class R>
constexpr R times(R x, R y) {
  return x * y;
}
/// Written out, because operator* also repairs products of infinities, which takes time.
template <class R>
constexpr std::complex<R> times(std::complex<R> x, std::complex<R> y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

/// The value in double precision.
template <class S>
constexpr typename ScalarTraits<S>::Wide widened(S value) {
  return static_cast<typename ScalarTraits<S>::Wide>(value);
}

/// The real part of conj(x) · y, in double.
template <class R>
constexpr double real_dot(R x, R y) {
  return static_cast<double>(x) * static_cast<double>(y);
}
template <class R>
constexpr double real_dot(std::complex<R> x, std::complex<R> y) {
  return real_dot(x.real(), y.real()) + real_dot(x.imag(), y.imag());
}

/// The imaginary part of conj(x) · y, in double.
template <class R>
constexpr double imaginary_dot(std::complex<R> x, std::complex<R> y) {
  return real_dot(x.real(), y.imag()) - real_dot(x.imag(), y.real());
}

}  // namespace gpusupernodal
