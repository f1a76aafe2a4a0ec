#pragma once

/// \file
/// References for solves: textbook substitution with the same factor, and the two usual backward errors.

#include <vector>

#include "io/symmetric_matrix.hpp"
#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal::test {

/// Computes Pᵀ L⁻ᵀ L⁻¹ P b in T, with L in panels, dividing by diagonal entries only.
template <class T>
std::vector<T> substitute_plainly(const FactorPlan& plan, const std::vector<T>& panels, const std::vector<T>& b);

struct BackwardErrors {
  double normwise = 0.0;       ///< ‖r‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞).
  double componentwise = 0.0;  ///< max |r_i| / (|A| |x| + |b|)_i [Higham02, Theorem 7.3].
};

/// Computes both backward errors with sums in long double; NaN if x has a NaN.
BackwardErrors backward_errors(const io::SymmetricMatrix& a, const std::vector<double>& x, const std::vector<double>& b);

}  // namespace gpusupernodal::test
