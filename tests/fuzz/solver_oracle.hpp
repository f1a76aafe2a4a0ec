#pragma once

/// \file
/// What a small system is, worked out the plain way, to judge what a Solver made of it.

#include <cstdint>
#include <limits>
#include <vector>

#include "gpusupernodal/options.hpp"
#include "gpusupernodal/views.hpp"

namespace gpusupernodal::fuzz {

/// scale·A + shift·I as full columns, from the half that is read. Precondition: analyze took the pattern.
class DenseSymmetric {
 public:
  template <class T>
  DenseSymmetric(const MatrixView<T>& a, const std::vector<T>& values, double scale, double shift);

  std::int64_t order() const { return n_; }
  double at(std::int64_t i, std::int64_t j) const { return values_[static_cast<std::size_t>(i + j * n_)]; }
  /// Neither products nor sums of the entries overflow or vanish.
  bool is_moderate() const;
  /// Each diagonal entry is greater than the rest of its row by more than rounding.
  bool is_dominant() const;

 private:
  std::int64_t n_;
  std::vector<double> values_;
};

/// Whether the docs of MatrixView allow this pattern; `most` is the largest order with arrays behind it.
template <class T>
bool is_sound_pattern(const MatrixView<T>& a, std::int64_t most);
/// Whether the rows are rows, each once, and a permutation of the options' has them where they want to be.
bool are_last_rows(const Options& options, std::int64_t order);
/// Whether an order has all groups at its end, one after the other.
bool has_last_rows(const std::vector<std::int64_t>& old_of_new, const Options& options);
bool is_permutation(const std::vector<std::int64_t>& permutation, std::int64_t order);
/// Whether the docs of Options allow these.
bool are_sound(const Options& options);
/// Whether a solve of this order may take b and x.
template <class T>
bool are_sound(const DenseView<T>& b, const DenseView<T>& x, std::int64_t order);

/// Zero, or of a size between 1e-6 and 1e6.
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
