#pragma once

/// \file
/// Lanczos: estimates of the spectrum of M⁻¹A and of the remaining iterations from the coefficients of conjugate gradients.

#include <cstdint>
#include <vector>

namespace gpusupernodal {

/// Smallest and largest Ritz value.
struct RitzValues {
  double smallest = 0.0;  ///< 0: unknown.
  double largest = 0.0;
};

/// The tridiagonal Lanczos matrix of conjugate gradients [Saad03 §6.7.3], whose eigenvalues (Ritz values) lie between the
/// extreme eigenvalues of M⁻¹A, and the residuals of the iteration.
class Lanczos {
 public:
  /// Takes the coefficients of the next iteration (PcgProgress) and its residual. With beta = 0 the matrix is cleared first.
  /// With alpha = 0 only the residual is kept. Cost: O(1).
  void add(std::int64_t iteration, double alpha, double beta, double residual);
  void clear();

  /// Order of the tridiagonal matrix.
  std::int64_t order() const { return static_cast<std::int64_t>(diagonal_.size()); }
  /// The extreme Ritz values, by bisection with relative accuracy 1e-4; unknown without coefficients. Cost: O(order).
  RitzValues ritz() const;
  /// Forecast of the number of further iterations until the residual is at most `target`: they reduce it by
  /// (√κ − 1)/(√κ + 1) each time, where κ is the ratio of the Ritz values. κ, and so the forecast, grows while new
  /// iterations still find smaller Ritz values. Without Ritz values, remaining_by_residuals. Precondition: add was called.
  double remaining_iterations(double target) const;
  /// A forecast by the rate at which the residual fell in the second half of the iterations; infinite if it did not fall.
  double remaining_by_residuals(double target) const;
  /// A forecast from both: by residuals, but at least that of the Ritz values and at most twice that. After a few
  /// iterations the Ritz values promise too much, and residuals may rest for a while. bench/notebook/methods.md
  /// compares it with others.
  double forecast(double target) const;

 private:
  struct Residual {
    std::int64_t iteration;
    double value;
  };

  double unit_ = 1.0;  ///< The matrix is stored times the first alpha, so that no spectrum's squares over- or underflow.
  std::vector<double> diagonal_;
  std::vector<double> beside_squared_;  ///< Squares of the entries beside the diagonal, one fewer than on it.
  std::vector<Residual> residuals_;
  double last_alpha_ = 0.0;
};

}  // namespace gpusupernodal
