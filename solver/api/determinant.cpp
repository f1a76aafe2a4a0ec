/// \file
/// The determinant of the factorized matrix: logarithm of its magnitude, and its sign.

#include <cmath>
#include <utility>

#include "gpusupernodal/solver.hpp"
#include "solver/api/solver_state.hpp"

namespace gpusupernodal {
namespace {

/// The logarithm of |det D|. Pairs are divided by the entry beside their diagonal, so that nothing overflows.
template <class T>
double log_magnitude(const PivotBlocks<T>& d) {
  double sum = 0.0;
  for (std::size_t k = 0; k < d.diagonal.size(); ++k) {
    const double beside = static_cast<double>(ScalarTraits<T>::real(d.beside[k]));
    const double pivot = static_cast<double>(ScalarTraits<T>::real(d.diagonal[k]));
    if (beside == 0.0) {
      sum += std::log(std::abs(pivot));
      continue;
    }
    const double next = static_cast<double>(ScalarTraits<T>::real(d.diagonal[++k]));
    sum += 2.0 * std::log(std::abs(beside)) + std::log(std::abs(pivot / beside * (next / beside) - 1.0));
  }
  return sum;
}

/// Whether a permutation is a product of an even number of exchanges.
bool is_even(std::vector<std::int32_t> permutation) {
  bool even = true;
  for (std::size_t k = 0; k < permutation.size(); ++k) {
    while (permutation[k] != static_cast<std::int32_t>(k)) {
      std::swap(permutation[k], permutation[static_cast<std::size_t>(permutation[k])]);
      even = !even;
    }
  }
  return even;
}

}  // namespace

template <class T>
double Solver<T>::log_determinant() {
  impl_->require_pivots_of_a("log_determinant");
  if (impl_->is_ldlt()) return log_magnitude(extract_d());
  std::vector<T> diagonal(static_cast<std::size_t>(order()));
  double sum = 0.0;
  impl_->executor->factorization().copy_diagonal(diagonal);
  if (impl_->is_lu()) {
    for (T entry : diagonal) sum += std::log(static_cast<double>(ScalarTraits<T>::abs(entry)));
    return sum;
  }
  for (T entry : diagonal) sum += std::log(static_cast<double>(ScalarTraits<T>::real(entry)));
  return 2.0 * sum;
}

template <class T>
T Solver<T>::determinant_sign() {
  impl_->require_pivots_of_a("determinant_sign");
  if (impl_->is_ldlt()) return impl_->factor_report.inertia.negative % 2 == 0 ? T(1) : T(-1);
  if (!impl_->is_lu()) return T(1);
  std::vector<T> diagonal(static_cast<std::size_t>(order()));
  impl_->executor->factorization().copy_diagonal(diagonal);
  typename ScalarTraits<T>::Wide sign = is_even(impl_->plan->structure().general->matching.row_of_column) ? 1.0 : -1.0;
  for (const T entry : diagonal) {
    // Partners hold the adjoint of U.
    const auto wide = static_cast<typename ScalarTraits<T>::Wide>(ScalarTraits<T>::conjugate(entry));
    sign *= wide / std::abs(wide);
  }
  return static_cast<T>(sign);
}

#define GPUSUPERNODAL_INSTANTIATE(T)            \
  template double Solver<T>::log_determinant(); \
  template T Solver<T>::determinant_sign();
GPUSUPERNODAL_INSTANTIATE(float)
GPUSUPERNODAL_INSTANTIATE(double)
GPUSUPERNODAL_INSTANTIATE(std::complex<float>)
GPUSUPERNODAL_INSTANTIATE(std::complex<double>)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
