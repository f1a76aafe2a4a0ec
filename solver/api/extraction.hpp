#pragma once

/// \file
/// L as compressed columns.

#include "gpusupernodal/solver.hpp"
#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {

/// Columns of L from its panels. Cost O(stored entries).
template <class T>
FactorMatrix<T> factor_matrix(const FactorPlan& plan, Span<const T> panels);

}  // namespace gpusupernodal
