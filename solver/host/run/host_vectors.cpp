#include "solver/host/run/host_vectors.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "gpusupernodal/build_config.hpp"
#include "kernels/common/scalar_traits.hpp"

namespace gpusupernodal {

namespace {

/// Magnitudes of IEEE numbers are ordered as their bits are, with NaN above infinity. Integers have a maximum without
/// branches.
template <class Real>
double largest_real(const Real* v, std::int64_t n) {
  using Bits = std::conditional_t<sizeof(Real) == sizeof(std::uint64_t), std::uint64_t, std::uint32_t>;
  constexpr Bits without_sign = std::numeric_limits<Bits>::max() >> 1;
  constexpr std::int64_t lanes = 4;
  Bits largest[lanes] = {};
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (std::int64_t k = 0; k < lanes; ++k) largest[k] = std::max(largest[k], std::bit_cast<Bits>(v[i + k]) & without_sign);
  }
  for (; i < n; ++i) largest[0] = std::max(largest[0], std::bit_cast<Bits>(v[i]) & without_sign);
  return static_cast<double>(std::bit_cast<Real>(*std::max_element(largest, largest + lanes)));
}

}  // namespace

template <class S>
double largest_magnitude(const S* v, std::int64_t n) {
  if constexpr (std::is_floating_point_v<S>) return largest_real(v, n);
  double largest = 0.0;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto magnitude = static_cast<double>(ScalarTraits<S>::abs(v[i]));
    if (!(magnitude <= largest)) largest = magnitude;  // True for NaN, too.
    if (std::isnan(largest)) break;
  }
  return largest;
}

template <class S>
DenseView<S> HostVectors<S>::scratch(int slot, std::int64_t rows, std::int64_t cols) {
  const auto index = static_cast<std::size_t>(slot);
  if (slots_.size() <= index) slots_.resize(index + 1);
  if (slots_[index].size() < rows * cols) slots_[index] = Buffer<S>(allocator_, rows * cols, "a vector of refinement");
  return DenseView<S>(slots_[index].data(), rows, cols, std::max<std::int64_t>(rows, 1));
}

template <class S>
void HostVectors<S>::copy(const DenseView<const S>& from, const DenseView<S>& to) {
  for (std::int64_t c = 0; c < to.cols; ++c) {
    const S* const column = from.data + c * from.ld;
    std::copy(column, column + to.rows, to.data + c * to.ld);
  }
}

template <class S>
void HostVectors<S>::axpy(S alpha, const DenseView<const S>& x, const DenseView<S>& y) {
  for (std::int64_t c = 0; c < y.cols; ++c) {
    for (std::int64_t i = 0; i < y.rows; ++i) y.data[i + c * y.ld] += alpha * x.data[i + c * x.ld];
  }
}

template <class S>
double HostVectors<S>::max_norm(const DenseView<const S>& x) {
  return largest_magnitude(x.data, x.rows);
}

#define GPUSUPERNODAL_INSTANTIATE(T) \
  template class HostVectors<T>;     \
  template double largest_magnitude(const T*, std::int64_t);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE
#if !GPUSUPERNODAL_HAVE_DOUBLE
template double largest_magnitude(const double*, std::int64_t);  // Norms are in double precision.
#endif

}  // namespace gpusupernodal
