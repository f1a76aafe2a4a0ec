#pragma once

/// \file
/// Complex numbers of one instruction set. std::complex is not used here: its functions would be shared with code of other
/// instruction sets.

#include "kernels/host/complex/factor.hpp"
#include "kernels/host/isa/ldlt.hpp"

namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE {

/// Stored as std::complex<R>.
template <class R>
struct ComplexNumber {
  R re;
  R im;
};

template <class R>
struct RealOf<ComplexNumber<R>> {
  using Type = R;
};

template <class R>
[[gnu::always_inline]] inline ComplexNumber<R> operator-(ComplexNumber<R> x, ComplexNumber<R> y) {
  return {x.re - y.re, x.im - y.im};
}
template <class R>
[[gnu::always_inline]] inline ComplexNumber<R> operator*(ComplexNumber<R> x, ComplexNumber<R> y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
template <class R>
[[gnu::always_inline]] inline ComplexNumber<R> operator/(ComplexNumber<R> x, R y) {
  return {x.re / y, x.im / y};
}
/// Scales by the larger part of y, so that nothing overflows on the way [Smith62].
template <class R>
[[gnu::always_inline]] inline ComplexNumber<R> operator/(ComplexNumber<R> x, ComplexNumber<R> y) {
  if (magnitude(y.re) >= magnitude(y.im)) {
    const R ratio = y.im / y.re;
    const R divisor = y.re + y.im * ratio;
    return {(x.re + x.im * ratio) / divisor, (x.im - x.re * ratio) / divisor};
  }
  const R ratio = y.re / y.im;
  const R divisor = y.re * ratio + y.im;
  return {(x.re * ratio + x.im) / divisor, (x.im * ratio - x.re) / divisor};
}

template <class R>
[[gnu::always_inline]] inline R magnitude(ComplexNumber<R> x) {
  const R parts[2] = {x.re, x.im};
  return complex_magnitude(parts);
}
/// At most √2 times the magnitude, and cheaper.
template <class R>
[[gnu::always_inline]] inline R size_in_search(ComplexNumber<R> x) {
  return magnitude(x.re) + magnitude(x.im);
}
template <class R>
[[gnu::always_inline]] inline ComplexNumber<R> conjugate(ComplexNumber<R> x) {
  return {x.re, -x.im};
}
template <class R>
[[gnu::always_inline]] inline R real_part(ComplexNumber<R> x) {
  return x.re;
}
template <class R>
[[gnu::always_inline]] inline ComplexNumber<R> with_size(ComplexNumber<R> x, R size) {
  const R old = magnitude(x);
  return old > R(0) ? ComplexNumber<R>{x.re / old * size, x.im / old * size} : ComplexNumber<R>{size, R(0)};
}
template <class R>
[[gnu::always_inline]] inline ComplexNumber<R> number_of(R value, ComplexNumber<R>) {
  return {value, R(0)};
}

template <class R>
void subtract_product_of_panel(std::int32_t n, std::int32_t k, const ComplexNumber<R>* a, std::int64_t lda,
                               const ComplexNumber<R>* b, std::int64_t ldb, ComplexNumber<R>* c, std::int64_t ldc) {
  complex_product<true, true>(n, n, k, &a->re, lda, {&b->re, ldb, 1}, ComplexDense<R>{&c->re, ldc});
}

}  // namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE
