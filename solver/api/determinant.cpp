/// \file
/// The determinant of the factorized matrix: logarithm of its magnitude, and its sign.

#include <cmath>
#include <utility>

#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/solver.hpp"
#include "solver/api/solver_state.hpp"

namespace gpusupernodal {
namespace {

/// Calls visit(f) for numbers whose product is det D. Pairs are divided by the entry beside their diagonal, so that nothing
/// overflows. `symmetric`: whether D is symmetric, not Hermitian.
template <class T, class Visit>
void for_each_factor(const PivotBlocks<T>& d, bool symmetric, const Visit& visit) {
  using Wide = typename ScalarTraits<T>::Wide;
  for (std::size_t k = 0; k < d.diagonal.size(); ++k) {
    const auto beside = static_cast<Wide>(d.beside[k]);
    const auto pivot = static_cast<Wide>(d.diagonal[k]);
    if (beside == 0.0) {
      visit(pivot);
      continue;
    }
    const Wide above = symmetric ? beside : ScalarTraits<Wide>::conjugate(beside);
    const auto next = static_cast<Wide>(d.diagonal[++k]);
    visit(beside);
    visit(above);
    visit(pivot / above * (next / beside) - 1.0);
  }
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
  double sum = 0.0;
  if (impl_->is_ldlt()) {
    for_each_factor(extract_d(), impl_->is_symmetric(), [&](auto factor) { sum += std::log(std::abs(factor)); });
    return sum;
  }
  std::vector<T> diagonal(static_cast<std::size_t>(order()));
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
  using Wide = typename ScalarTraits<T>::Wide;
  if (impl_->is_symmetric()) {
    Wide direction = 1.0;
    for_each_factor(extract_d(), true, [&](Wide factor) { direction *= factor / std::abs(factor); });
    return static_cast<T>(direction);
  }
  if (impl_->is_ldlt()) return impl_->factor_report.inertia.negative % 2 == 0 ? T(1) : T(-1);
  if (!impl_->is_lu()) return T(1);
  std::vector<T> diagonal(static_cast<std::size_t>(order()));
  impl_->executor->factorization().copy_diagonal(diagonal);
  Wide sign = is_even(impl_->plan->structure().general->matching.row_of_column) ? 1.0 : -1.0;
  for (const T entry : diagonal) {
    const auto wide = static_cast<typename ScalarTraits<T>::Wide>(entry);
    sign *= wide / std::abs(wide);
  }
  return static_cast<T>(sign);
}

#define GPUSUPERNODAL_INSTANTIATE(T)            \
  template double Solver<T>::log_determinant(); \
  template T Solver<T>::determinant_sign();
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
