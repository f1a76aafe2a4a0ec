#include "solver/iterative/inverse_norm.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gpusupernodal/build_config.hpp"

namespace gpusupernodal {
namespace {

template <class S>
double magnitude(S entry) {
  return static_cast<double>(ScalarTraits<S>::abs(entry));
}

template <class S>
double one_norm(const std::vector<S>& v) {
  double sum = 0.0;
  for (S entry : v) sum += magnitude(entry);
  return sum;
}

/// Replaces v by its signs v / |v|. Returns whether they equal `before`, which ends the iteration for real scalars only:
/// complex signs take a continuum of values.
template <class S>
bool take_signs(std::vector<S>& v, const std::vector<S>& before) {
  if constexpr (ScalarTraits<S>::is_complex) {
    for (S& entry : v) {
      const auto size = ScalarTraits<S>::abs(entry);
      entry = size > 0 ? entry / size : S(1);
    }
    return false;
  } else {
    for (S& entry : v) entry = entry >= S(0) ? S(1) : S(-1);
    return v == before;
  }
}

template <class S>
std::size_t largest_entry(const std::vector<S>& v) {
  const auto smaller = [](S a, S b) { return ScalarTraits<S>::abs(a) < ScalarTraits<S>::abs(b); };
  return static_cast<std::size_t>(std::max_element(v.begin(), v.end(), smaller) - v.begin());
}

template <class S>
void solve_in_place(ApproximateInverse<S>& m, std::vector<S>& x) {
  const auto n = static_cast<std::int64_t>(x.size());
  m.apply(DenseView<const S>(x.data(), n), DenseView<S>(x.data(), n));
}

/// An estimate from an alternating vector, for matrices that mislead the iteration.
template <class S>
double alternating_estimate(std::int64_t n, ApproximateInverse<S>& m) {
  using Real = typename ScalarTraits<S>::Real;
  std::vector<S> x(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    const double size = 1.0 + (n > 1 ? static_cast<double>(i) / static_cast<double>(n - 1) : 0.0);
    x[static_cast<std::size_t>(i)] = static_cast<Real>(i % 2 == 0 ? size : -size);
  }
  solve_in_place(m, x);
  return 2.0 * one_norm(x) / (3.0 * static_cast<double>(n));
}

/// ‖M⁻¹‖₁ from all columns of the inverse; NaN if a column contains NaN.
template <class S>
double inverse_norm_by_columns(std::int64_t n, ApproximateInverse<S>& m) {
  double norm = 0.0;
  for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
    std::vector<S> x(static_cast<std::size_t>(n), S(0));
    x[j] = S(1);
    solve_in_place(m, x);
    const double sum = one_norm(x);
    if (!(sum <= norm)) norm = sum;
    if (std::isnan(norm)) break;
  }
  return norm;
}

constexpr int max_iterations = 5;
constexpr int max_solves = 2 * max_iterations + 1;

}  // namespace

template <class S>
double inverse_norm_estimate(std::int64_t n, ApproximateInverse<S>& m) {
  if (n <= max_solves) return inverse_norm_by_columns<S>(n, m);
  std::vector<S> x(static_cast<std::size_t>(n),
                   S(static_cast<typename ScalarTraits<S>::Real>(1.0 / static_cast<double>(n))));
  std::vector<S> signs;
  double estimate = 0.0;
  std::size_t unit = 0;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    solve_in_place(m, x);
    const double norm = one_norm(x);
    if (iteration > 0 && norm <= estimate) break;
    estimate = norm;
    if (take_signs(x, signs)) break;
    signs = x;
    solve_in_place(m, x);  // The algorithm solves with Mᴴ here, which is M.
    const std::size_t next = largest_entry(x);
    if (iteration > 0 && next == unit) break;
    unit = next;
    std::fill(x.begin(), x.end(), S(0));
    x[unit] = S(1);
  }
  const double alternating = alternating_estimate<S>(n, m);
  return alternating <= estimate || std::isnan(estimate) ? estimate : alternating;  // NaN if one of them is NaN.
}

#define GPUSUPERNODAL_INSTANTIATE(T) template double inverse_norm_estimate(std::int64_t, ApproximateInverse<T>&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
