#pragma once

/// \file
/// What solves are compared with: textbook substitution with the same factor, and the two usual backward errors.

#include <vector>

#include "io/symmetric_matrix.hpp"
#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal::test {

/// Pᵀ L⁻ᵀ L⁻¹ P b, entry by entry in T, with L in panels; no inverse of anything but a diagonal entry.
template <class T>
std::vector<T> substitute_plainly(const FactorPlan& plan, const std::vector<T>& panels, const std::vector<T>& b);

struct BackwardErrors {
  double normwise = 0.0;       ///< ‖r‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞).
  double componentwise = 0.0;  ///< max |r_i| / (|A| |x| + |b|)_i [Higham02, Theorem 7.3].
};

/// Sums in long double; NaN if x has NaN.
BackwardErrors backward_errors(const io::SymmetricMatrix& a, const std::vector<double>& x, const std::vector<double>& b);

}  // namespace gpusupernodal::test
