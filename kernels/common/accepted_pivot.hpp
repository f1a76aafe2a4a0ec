#pragma once

/// \file
/// Which pivots are replaced, and by which numbers, in kernels and where the host repeats their choice. Plain C++.

#include <limits>

#include "kernels/common/device_complex.hpp"

namespace gpusupernodal::cuda {

/// Whether a pivot is smaller than `smallest`, a complex one in both parts. NaN is not small.
template <class R>
constexpr bool is_small_pivot(R pivot, R smallest) {
  return -smallest < pivot && pivot < smallest;
}
template <class R>
constexpr bool is_small_pivot(Complex<R> pivot, R smallest) {
  return is_small_pivot(pivot.re, smallest) && is_small_pivot(pivot.im, smallest);
}

/// Returns the pivot, or if it is small a multiple of it whose larger part is `smallest`; if both parts are subnormal or
/// zero, `smallest` itself. A pivot that is not finite stays.
template <class R>
constexpr Complex<R> accepted_pivot(Complex<R> pivot, R smallest) {
  if (!is_small_pivot(pivot, smallest)) return pivot;
  const R re = pivot.re < R(0) ? -pivot.re : pivot.re;
  const R im = pivot.im < R(0) ? -pivot.im : pivot.im;
  const R magnitude = re < im ? im : re;
  return magnitude < std::numeric_limits<R>::min() ? Complex<R>(smallest) : pivot * (smallest / magnitude);
}

}  // namespace gpusupernodal::cuda
