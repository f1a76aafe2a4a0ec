#pragma once

/// \file
/// Complex numbers as CUDA kernels take them. nvcc does not compile std::complex for a device. Plain C++.

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

#include "kernels/common/scalar_traits.hpp"

namespace gpusupernodal::cuda {

/// A complex number with the layout of std::complex<R>, aligned so that it is loaded and stored as a whole.
template <class R>
struct alignas(2 * sizeof(R)) Complex {
  R re;
  R im;

  Complex() = default;
  constexpr Complex(R real, R imaginary = R(0)) : re(real), im(imaginary) {}
  template <class Q>
  constexpr explicit Complex(const Complex<Q>& x) : re(static_cast<R>(x.re)), im(static_cast<R>(x.im)) {}

  constexpr Complex operator-() const { return {-re, -im}; }
  constexpr Complex& operator+=(Complex x) { return *this = *this + x; }
  constexpr Complex& operator-=(Complex x) { return *this = *this - x; }
  constexpr Complex& operator*=(R x) { return *this = *this * x; }

  friend constexpr bool operator==(Complex x, Complex y) { return x.re == y.re && x.im == y.im; }
  friend constexpr bool operator!=(Complex x, Complex y) { return !(x == y); }
  friend constexpr Complex operator+(Complex x, Complex y) { return {x.re + y.re, x.im + y.im}; }
  friend constexpr Complex operator-(Complex x, Complex y) { return {x.re - y.re, x.im - y.im}; }
  friend constexpr Complex operator*(Complex x, R y) { return {x.re * y, x.im * y}; }
  friend constexpr Complex operator*(R x, Complex y) { return y * x; }
  friend constexpr Complex operator*(Complex x, Complex y) { return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}; }
};

/// The type in which kernels compute with scalars S of the interfaces.
template <class S>
struct DeviceScalarOf {
  using Type = S;
};
template <class R>
struct DeviceScalarOf<std::complex<R>> {
  using Type = Complex<R>;
};
template <class S>
using DeviceScalar = typename DeviceScalarOf<S>::Type;

/// Converts a number to the type that kernels take.
template <class S>
constexpr S to_number(S value) {
  return value;
}
template <class R>
constexpr Complex<R> to_number(std::complex<R> value) {
  return {value.real(), value.imag()};
}

static_assert(sizeof(Complex<float>) == sizeof(std::complex<float>));
static_assert(sizeof(Complex<double>) == sizeof(std::complex<double>));

}  // namespace gpusupernodal::cuda

namespace gpusupernodal {

/// What is the same for a Complex of kernels as for the std::complex with its layout.
template <class R>
struct ScalarTraits<cuda::Complex<R>> {
  using Real = R;
  using Wide = cuda::Complex<double>;
  static constexpr bool is_complex = true;
  static constexpr bool is_single = ScalarTraits<R>::is_single;
  static constexpr std::int64_t bytes = sizeof(cuda::Complex<R>);

  static constexpr cuda::Complex<R> conjugate(cuda::Complex<R> value) { return {value.re, -value.im}; }
  static constexpr Real real(cuda::Complex<R> value) { return value.re; }
  static constexpr Real non_finite_part(cuda::Complex<R> value) {
    return value.re - value.re == R(0) && value.im - value.im != R(0) ? value.im : value.re;
  }
  static constexpr cuda::Complex<R> not_a_number() {
    return {std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::quiet_NaN()};
  }
};

}  // namespace gpusupernodal
