#include "solver/iterative/incomplete_cholesky.hpp"

#include <algorithm>
#include <cmath>

#include "gpusupernodal/build_config.hpp"
#include "kernels/common/scalar_products.hpp"
#include "solver/iterative/lower_transpose.hpp"

namespace gpusupernodal {

template <class S>
BadRow IncompleteCholesky<S>::factorize(const SymmetricRows& pattern, const SparseRows<S>& a) {
  for (std::int32_t i = 0; i < pattern.n; ++i) {
    if (pattern.diagonal(i) < 0) return i;
  }
  using Traits = ScalarTraits<S>;
  SparseRows<S>& l = l_.g;
  start_lower(pattern, max_row_of_pattern, l);
  for (std::int32_t i = 0; i < pattern.n; ++i) {
    const auto row = static_cast<std::size_t>(i);
    const auto first = static_cast<std::size_t>(l.offsets[row]);
    const auto last = static_cast<std::size_t>(l.offsets[row + 1]) - 1;  // The diagonal entry.
    std::copy(a.columns.begin() + a.offsets[row], a.columns.begin() + pattern.upper[row],
              l.columns.begin() + static_cast<std::ptrdiff_t>(first));
    double pivot = static_cast<double>(Traits::real(a.values[static_cast<std::size_t>(pattern.upper[row]) - 1]));
    for (std::size_t e = first; e < last; ++e) {
      const auto j = static_cast<std::size_t>(l.columns[e]);
      auto sum = widened(a.values[static_cast<std::size_t>(a.offsets[row]) + (e - first)]);
      const auto end_of_j = static_cast<std::size_t>(l.offsets[j + 1]) - 1;
      for (std::size_t p = first, q = static_cast<std::size_t>(l.offsets[j]); p < e && q < end_of_j;) {
        const std::int32_t difference = l.columns[p] - l.columns[q];
        if (difference == 0) sum -= times(widened(l.values[p]), widened(Traits::conjugate(l.values[q])));
        if (difference <= 0) ++p;
        if (difference >= 0) ++q;
      }
      l.values[e] = static_cast<S>(sum / static_cast<double>(Traits::real(l.values[end_of_j])));
      pivot -= real_dot(l.values[e], l.values[e]);
    }
    if (!(pivot > 0.0) || !std::isfinite(pivot)) return i;
    l.values[last] = static_cast<S>(static_cast<typename Traits::Real>(std::sqrt(pivot)));
  }
  transpose_lower(l_);
  return -1;
}

template <class S>
void IncompleteCholesky<S>::solve(const S* r, S* z) const {
  const auto n = static_cast<std::size_t>(l_.g.n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto last = static_cast<std::size_t>(l_.g.offsets[i + 1]) - 1;
    S sum = r[i];
    for (auto e = static_cast<std::size_t>(l_.g.offsets[i]); e < last; ++e) sum -= times(l_.g.values[e], z[l_.g.columns[e]]);
    z[i] = sum / ScalarTraits<S>::real(l_.g.values[last]);
  }
  for (std::size_t i = n; i-- > 0;) {
    const auto first = static_cast<std::size_t>(l_.transposed.offsets[i]);
    S sum = z[i];
    for (std::size_t e = first + 1; e < static_cast<std::size_t>(l_.transposed.offsets[i + 1]); ++e)
      sum -= times(l_.transposed.values[e], z[l_.transposed.columns[e]]);
    z[i] = sum / ScalarTraits<S>::real(l_.transposed.values[first]);
  }
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class IncompleteCholesky<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
