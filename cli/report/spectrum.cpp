#include "cli/report/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <random>

namespace gpusupernodal::cli {
namespace {

/// The number of eigenvalues below `x`: the negative pivots of T − x I.
std::size_t eigenvalues_below(const std::vector<double>& diagonal, const std::vector<double>& beside, double x) {
  constexpr double tiny = std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();
  std::size_t below = 0;
  double pivot = 1.0;
  for (std::size_t k = 0; k < diagonal.size(); ++k) {
    pivot = diagonal[k] - x - (k > 0 ? beside[k - 1] * beside[k - 1] / pivot : 0.0);
    if (std::abs(pivot) < tiny) pivot = -tiny;
    if (pivot < 0.0) ++below;
  }
  return below;
}

/// The border in [low, high] between points below which there are fewer than `count` eigenvalues, and others.
double bisect(const std::vector<double>& diagonal, const std::vector<double>& beside, RitzPair range, std::size_t count) {
  constexpr int halvings = 100;
  for (int k = 0; k < halvings; ++k) {
    const double middle = 0.5 * (range.smallest + range.largest);
    if (middle <= range.smallest || middle >= range.largest) break;
    (eigenvalues_below(diagonal, beside, middle) < count ? range.smallest : range.largest) = middle;
  }
  return 0.5 * (range.smallest + range.largest);
}

double norm(const std::vector<double>& v) { return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0)); }

void divide(std::vector<double>& v, double by) {
  for (double& entry : v) entry /= by;
}

}  // namespace

RitzPair extreme_eigenvalues(const std::vector<double>& diagonal, const std::vector<double>& beside) {
  RitzPair range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (std::size_t k = 0; k < diagonal.size(); ++k) {  // Gershgorin's discs.
    const double radius = (k > 0 ? std::abs(beside[k - 1]) : 0.0) + (k < beside.size() ? std::abs(beside[k]) : 0.0);
    range.smallest = std::min(range.smallest, diagonal[k] - radius);
    range.largest = std::max(range.largest, diagonal[k] + radius);
  }
  return {bisect(diagonal, beside, range, 1), bisect(diagonal, beside, range, diagonal.size())};
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
