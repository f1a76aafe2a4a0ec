#include "solver/host/run/host_vectors.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/common/scalar_traits.hpp"

namespace gpusupernodal {

template <class S>
double largest_magnitude(const S* v, std::int64_t n) {
  double largest = 0.0;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto magnitude = static_cast<double>(ScalarTraits<S>::abs(v[i]));
    if (!(magnitude <= largest)) largest = magnitude;  // NaN replaces every number,
    if (std::isnan(largest)) break;                    // and is never replaced.
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

template class HostVectors<float>;
template class HostVectors<double>;
template class HostVectors<std::complex<float>>;
template class HostVectors<std::complex<double>>;
template double largest_magnitude(const float*, std::int64_t);
template double largest_magnitude(const double*, std::int64_t);
template double largest_magnitude(const std::complex<float>*, std::int64_t);
template double largest_magnitude(const std::complex<double>*, std::int64_t);

}  // namespace gpusupernodal
