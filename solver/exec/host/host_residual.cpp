#include "solver/exec/host/host_residual.hpp"

#include <algorithm>
#include <cmath>

namespace gpusupernodal {
namespace {

template <class T>
double max_norm(const T* v, std::int64_t n) {
  double largest = 0.0;
  for (std::int64_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(static_cast<double>(v[i])));
  return largest;
}

}  // namespace

template <class T>
typename Executor<T>::ResidualNorms host_residual(const FactorPlan& plan, const FactorInput<T>& input,
                                                  const DenseView<const T>& b, const DenseView<const T>& x,
                                                  const DenseView<T>& r, double* work) {
  const auto& old_of_new = plan.symbolic.permutation.old_of_new;
  const std::int64_t n = plan.symbolic.order();
  double* const sum = work;
  double* const row_norm = work + n;
  std::copy(b.data, b.data + n, sum);
  std::fill(row_norm, row_norm + n, 0.0);
  const AssemblyMap& map = plan.assembly;
  for (std::size_t e = 0; e < map.source.size(); ++e) {
    const auto i = old_of_new[map.row[e]].value;
    const auto j = old_of_new[map.column[e]].value;
    const double stored = static_cast<double>(input.scale) * static_cast<double>(input.values[map.source[e]]);
    const double a = i == j ? stored + static_cast<double>(input.shift) : stored;
    sum[i] -= a * static_cast<double>(x.data[j]);
    row_norm[i] += std::abs(a);
    if (i == j) continue;
    sum[j] -= a * static_cast<double>(x.data[i]);
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

template Executor<float>::ResidualNorms host_residual(const FactorPlan&, const FactorInput<float>&,
                                                      const DenseView<const float>&, const DenseView<const float>&,
                                                      const DenseView<float>&, double*);
template Executor<double>::ResidualNorms host_residual(const FactorPlan&, const FactorInput<double>&,
                                                       const DenseView<const double>&, const DenseView<const double>&,
                                                       const DenseView<double>&, double*);

}  // namespace gpusupernodal
