#pragma once

/// \file
/// What plans for LU begin with: the entries of A, its exchange of rows and its scales.

#include <memory>
#include <vector>

#include "kernels/common/scalar_traits.hpp"
#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {

/// Exchanges rows by `rule`, as make_general_plan says. Throws as validate_general_pattern.
std::shared_ptr<GeneralInput> general_input(const PatternView& pattern, const double* magnitudes, MatchingRule rule);

/// The input of a plan for the same matrix with rows exchanged by a matching of `magnitudes`, which are in the caller's
/// order.
std::shared_ptr<GeneralInput> rematched_input(const FactorPlan& earlier, const double* magnitudes);

/// The structure with the rows that belong to an order of columns.
std::shared_ptr<const GeneralStructure> ordered(const GeneralInput& input, const Permutation& columns);

template <class S>
std::vector<double> magnitudes_of(const S* values, std::size_t count) {
  std::vector<double> magnitudes;
  magnitudes.reserve(count);
  for (std::size_t e = 0; e < count; ++e) magnitudes.push_back(static_cast<double>(ScalarTraits<S>::abs(values[e])));
  return magnitudes;
}

}  // namespace gpusupernodal
