#include "cli/report/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <random>

#include "base/tridiagonal.hpp"

namespace gpusupernodal::cli {
namespace {

double norm(const std::vector<double>& v) { return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0)); }

void divide(std::vector<double>& v, double by) {
  for (double& entry : v) entry /= by;
}

}  // namespace

RitzPair extreme_eigenvalues(const std::vector<double>& diagonal, const std::vector<double>& beside) {
  std::vector<double> squares(beside.size());
  std::transform(beside.begin(), beside.end(), squares.begin(), [](double entry) { return entry * entry; });
  const Interval range = gershgorin(diagonal, squares);
  return {eigenvalue(diagonal, squares, 1, range, 0.0), eigenvalue(diagonal, squares, diagonal.size(), range, 0.0)};
}

std::vector<RitzPair> lanczos(std::int64_t n, int steps, const Product& product, const std::function<bool()>& goes_on) {
  const auto rows = static_cast<std::size_t>(n);
  std::mt19937_64 random(20);
  std::vector<double> v(rows), before(rows, 0.0), w(rows);
  // Not std::uniform_real_distribution, whose numbers differ between libraries.
  for (double& entry : v) entry = static_cast<double>(random() >> 11U) * 0x1p-52 - 1.0;
  std::vector<double> diagonal, beside;
  std::vector<RitzPair> pairs;
  if (n == 0) return pairs;
  divide(v, norm(v));
  double beta = 0.0, scale = 0.0;
  for (int step = 0; step < steps && goes_on(); ++step) {
    product(v, w);
    for (std::size_t i = 0; i < rows; ++i) w[i] -= beta * before[i];
    const double alpha = std::inner_product(v.begin(), v.end(), w.begin(), 0.0);
    if (!std::isfinite(alpha)) break;
    for (std::size_t i = 0; i < rows; ++i) w[i] -= alpha * v[i];
    if (step > 0) beside.push_back(beta);
    diagonal.push_back(alpha);
    pairs.push_back(extreme_eigenvalues(diagonal, beside));
    scale = std::max({scale, std::abs(alpha), beta});
    beta = norm(w);
    const double negligible = 10.0 * std::numeric_limits<double>::epsilon() * std::sqrt(static_cast<double>(n)) * scale;
    if (!(beta > negligible) || !std::isfinite(beta)) break;
    divide(w, beta);
    std::swap(before, v);
    std::swap(v, w);
  }
  return pairs;
}

}  // namespace gpusupernodal::cli
