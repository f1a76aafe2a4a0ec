#include "solver/host/run/host_residual.hpp"

#include <algorithm>
#include <cmath>

namespace gpusupernodal {
namespace {

template <class T>
double max_norm(const T* v, std::int64_t n) {
  double largest = 0.0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double magnitude = std::abs(static_cast<double>(v[i]));
    if (!(magnitude <= largest)) largest = magnitude;  // NaN counts as the largest,
    if (std::isnan(largest)) break;                    // and stays it.
  }
  return largest;
}

}  // namespace

template <class T>
typename Executor<T>::ResidualNorms host_residual(const HostPlan& plan, const FactorInput<T>& input,
                                                  const DenseView<const T>& b, const DenseView<const T>& x,
                                                  const DenseView<T>& r, double* work) {
  const auto& old_of_new = plan.structure->symbolic.permutation.old_of_new;
  const std::int64_t n = plan.structure->symbolic.order();
  double* const sum = work;
  double* const row_norm = work + n;
  const AssemblyMap& map = plan.structure->assembly;
  const auto entry = [&](std::size_t e) {
    return static_cast<double>(input.scale) * static_cast<double>(input.values[map.source[e]]);
  };
  // The diagonal first: the shift is there even where A stores nothing.
  std::fill(row_norm, row_norm + n, static_cast<double>(input.shift));
  for (std::size_t e = 0; e < map.source.size(); ++e) {
    if (map.row[e] == map.column[e]) row_norm[old_of_new[map.row[e]].value] += entry(e);
  }
  for (std::int64_t i = 0; i < n; ++i) {
    sum[i] = static_cast<double>(b.data[i]) - row_norm[i] * static_cast<double>(x.data[i]);
    row_norm[i] = std::abs(row_norm[i]);
  }
  for (std::size_t e = 0; e < map.source.size(); ++e) {
    if (map.row[e] == map.column[e]) continue;
    const auto i = old_of_new[map.row[e]].value;
    const auto j = old_of_new[map.column[e]].value;
    const double a = entry(e);
    sum[i] -= a * static_cast<double>(x.data[j]);
    sum[j] -= a * static_cast<double>(x.data[i]);
    row_norm[i] += std::abs(a);
    row_norm[j] += std::abs(a);
  }
  for (std::int64_t i = 0; i < n; ++i) r.data[i] = static_cast<T>(sum[i]);
  typename Executor<T>::ResidualNorms norms;
  norms.r = max_norm(sum, n);
  norms.a = max_norm(row_norm, n);
  norms.x = max_norm(x.data, n);
  norms.b = max_norm(b.data, n);
  return norms;
}

template Executor<float>::ResidualNorms host_residual(const HostPlan&, const FactorInput<float>&,
                                                      const DenseView<const float>&, const DenseView<const float>&,
                                                      const DenseView<float>&, double*);
template Executor<double>::ResidualNorms host_residual(const HostPlan&, const FactorInput<double>&,
                                                       const DenseView<const double>&, const DenseView<const double>&,
                                                       const DenseView<double>&, double*);

}  // namespace gpusupernodal
