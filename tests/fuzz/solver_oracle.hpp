#pragma once

/// \file
/// Plain computations on small systems, to judge the results of a Solver.

#include <cstdint>
#include <limits>
#include <vector>

#include "gpusupernodal/options.hpp"
#include "gpusupernodal/views.hpp"

namespace gpusupernodal::fuzz {

/// scale·A + shift·I as dense columns, from the half that is read. Precondition: analyze accepted the pattern.
class DenseSymmetric {
 public:
  template <class T>
  DenseSymmetric(const MatrixView<T>& a, const std::vector<T>& values, double scale, double shift);

  std::int64_t order() const { return n_; }
  double at(std::int64_t i, std::int64_t j) const { return values_[static_cast<std::size_t>(i + j * n_)]; }
  /// Whether products and sums of the entries neither overflow nor underflow.
  bool is_moderate() const;
  /// Whether each diagonal entry exceeds the sum of the others in its row by more than rounding.
  bool is_dominant() const;

 private:
  std::int64_t n_;
  std::vector<double> values_;
};

/// Whether the docs of MatrixView allow this pattern; `most` is the largest order that has arrays.
template <class T>
bool is_sound_pattern(const MatrixView<T>& a, std::int64_t most);
/// Whether the last rows are distinct rows of the matrix and, for a user's permutation, whether it respects them.
bool are_last_rows(const Options& options, std::int64_t order);
/// Whether an order ends with all groups, in sequence.
bool has_last_rows(const std::vector<std::int64_t>& old_of_new, const Options& options);
bool is_permutation(const std::vector<std::int64_t>& permutation, std::int64_t order);
/// Whether the docs of Options allow these options.
bool are_sound(const Options& options);
/// Whether b and x are valid for a solve of this order.
template <class T>
bool are_sound(const DenseView<T>& b, const DenseView<T>& x, std::int64_t order);

/// Whether the absolute value is 0 or between 1e-6 and 1e6.
bool is_moderate(double value);

/// Largest backward error that rounding explains, 4·n·(3n + 1)·eps [Higham02, Theorem 10.4]; n is clamped to ≥ 10.
template <class T>
double worst_backward_error(std::int64_t n) {
  const auto order = static_cast<double>(n < 10 ? 10 : n);
  return 4.0 * order * (3.0 * order + 1.0) * static_cast<double>(std::numeric_limits<T>::epsilon());
}

/// ‖b − Ax‖∞ / (‖A‖∞‖x‖∞ + ‖b‖∞) of one column; NaN if x has NaN.
template <class T>
double backward_error(const DenseSymmetric& a, const T* x, const T* b);

}  // namespace gpusupernodal::fuzz
