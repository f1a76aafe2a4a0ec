#pragma once

/// \file
/// Values of A's entries as the factorization sees them.

#include "kernels/common/scalar_traits.hpp"
#include "solver/backend/factorization.hpp"
#include "solver/host/plan/host_plan.hpp"

namespace gpusupernodal {

/// The map that a factorization of `input` reads.
template <class S>
const AssemblyMap& map_of(const HostPlan& plan, const FactorInput<S>& input) {
  return input.map != nullptr ? *input.map : plan.structure->assembly;
}

/// Entry (row[e], column[e]) of P A Pᵀ, for entry e of a plan's assembly map: a stored value, or its conjugate if the entry
/// lies on the other side of the diagonal in the caller's numbering. Imaginary parts of the diagonal are left out. If a
/// complex matrix is `symmetric`, the entry is the stored value.
template <class S>
S entry_of_l(const HostPlan& plan, const AssemblyMap& map, const S* values, std::size_t e, bool symmetric) {
  const S value = values[map.source[e]];
  if constexpr (ScalarTraits<S>::is_complex) {
    if (symmetric) return value;
    const auto& old_of_new = plan.structure->symbolic.permutation.old_of_new;
    const OldIndex row = old_of_new[map.row[e]];
    const OldIndex column = old_of_new[map.column[e]];
    if (row == column && ScalarTraits<S>::is_finite(value)) return ScalarTraits<S>::real(value);
    return in_stored_half(map.upper, row, column) ? value : ScalarTraits<S>::conjugate(value);
  } else {
    return value;
  }
}

}  // namespace gpusupernodal
