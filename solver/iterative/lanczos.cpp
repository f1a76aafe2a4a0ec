#include "solver/iterative/lanczos.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/tridiagonal.hpp"

namespace gpusupernodal {
namespace {

constexpr double ritz_accuracy = 1e-4;
/// The forecast by residuals counts up to this many times that by the spectrum.
constexpr double most_of_spectrum = 2.0;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// ln of the factor by which an iteration reduces the residual; positive.
double rate_of(const RitzValues& ritz) {
  const double root = std::sqrt(ritz.largest / ritz.smallest);
  if (root <= 1.0) return infinity;
  return std::log1p(2.0 / (root - 1.0));  // −ln((root − 1)/(root + 1)).
}

}  // namespace

void Lanczos::clear() {
  diagonal_.clear();
  beside_squared_.clear();
  residuals_.clear();
  last_alpha_ = 0.0;
}

void Lanczos::add(std::int64_t iteration, double alpha, double beta, double residual) {
  residuals_.push_back({iteration, residual});
  if (alpha == 0.0) return;
  if (beta == 0.0 || last_alpha_ == 0.0) {
    unit_ = alpha;
    diagonal_.assign(1, 1.0);
    beside_squared_.clear();
  } else {
    diagonal_.push_back(unit_ / alpha + beta * (unit_ / last_alpha_));
    beside_squared_.push_back(beta * (unit_ / last_alpha_) * (unit_ / last_alpha_));
  }
  last_alpha_ = alpha;
}

/// The matrix is positive definite, and eigenvalues below the rounding errors of its entries are of no use.
RitzValues Lanczos::ritz() const {
  if (diagonal_.empty()) return {};
  const double bound = gershgorin(diagonal_, beside_squared_).high;
  const Interval range{bound * std::numeric_limits<double>::epsilon(), bound};
  const double smallest = eigenvalue(diagonal_, beside_squared_, 1, range, ritz_accuracy);
  const double largest = eigenvalue(diagonal_, beside_squared_, diagonal_.size(), {smallest, bound}, ritz_accuracy);
  return {smallest / unit_, largest / unit_};
}

double Lanczos::remaining_iterations(double target) const {
  const Residual& last = residuals_.back();
  if (last.value <= target) return 0.0;
  const RitzValues ritz = this->ritz();
  return ritz.smallest > 0.0 ? std::log(last.value / target) / rate_of(ritz) : remaining_by_residuals(target);
}

double Lanczos::remaining_by_residuals(double target) const {
  const Residual& last = residuals_.back();
  if (last.value <= target) return 0.0;
  const Residual& half = residuals_[residuals_.size() / 2];
  const Residual& before = residuals_.size() > 1 && half.iteration < last.iteration ? half : Residual{0, 1.0};
  const double fallen = std::log(before.value / last.value);
  return fallen > 0.0 ? std::log(last.value / target) * static_cast<double>(last.iteration - before.iteration) / fallen
                      : infinity;
}

double Lanczos::forecast(double target) const {
  const double by_residuals = remaining_by_residuals(target);
  if (diagonal_.empty()) return by_residuals;
  const double by_spectrum = remaining_iterations(target);
  return std::clamp(by_residuals, by_spectrum, most_of_spectrum * by_spectrum);
}

}  // namespace gpusupernodal
