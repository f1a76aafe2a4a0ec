#include "solver/iterative/lanczos.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpusupernodal {
namespace {

constexpr double ritz_accuracy = 1e-4;
/// Bound on the steps of a bisection; 60 are enough for every interval of positive numbers here.
constexpr int max_halvings = 100;
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

/// Whether the matrix minus x has a negative pivot (Sylvester's law of inertia).
bool Lanczos::has_eigenvalue_below(double x) const {
  double pivot = diagonal_[0] - x;
  for (std::size_t k = 1; pivot > 0.0 && k < diagonal_.size(); ++k)
    pivot = diagonal_[k] - x - beside_squared_[k - 1] / pivot;
  return !(pivot > 0.0);
}

RitzValues Lanczos::ritz() const {
  if (diagonal_.empty()) return {};
  double bound = 0.0;  // Gershgorin's, of both ends.
  for (std::size_t k = 0; k < diagonal_.size(); ++k) {
    const double left = k > 0 ? std::sqrt(beside_squared_[k - 1]) : 0.0;
    const double right = k < beside_squared_.size() ? std::sqrt(beside_squared_[k]) : 0.0;
    bound = std::max(bound, diagonal_[k] + left + right);
  }
  // The smallest eigenvalue, by a geometric bisection: a positive definite matrix has it above 0.
  double low = bound * std::numeric_limits<double>::epsilon(), high = bound;
  for (int k = 0; k < max_halvings && high > low * (1.0 + ritz_accuracy); ++k) {
    const double middle = std::sqrt(low) * std::sqrt(high);
    (has_eigenvalue_below(middle) ? high : low) = middle;
  }
  const double smallest = high;
  // The largest: that of bound − T is the smallest of a matrix with equal squares beside the diagonal.
  Lanczos mirrored = *this;
  for (double& entry : mirrored.diagonal_) entry = bound - entry;
  double least = smallest, most = bound;
  for (int k = 0; k < max_halvings && most > least * (1.0 + ritz_accuracy); ++k) {
    const double middle = 0.5 * (least + most);
    (mirrored.has_eigenvalue_below(bound - middle) ? least : most) = middle;
  }
  return {smallest / unit_, most / unit_};
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

}  // namespace gpusupernodal
