#pragma once

/// \file
/// Vectors of several ranks on the rank that computes.

#include <cstdint>
#include <vector>

#include "plugin/petsc/ranks.hpp"

namespace gpusupernodal::petsc {

/// Sets `all` to all rows of v, and `counts` to the rows of each rank, on the owner; they are empty on the others.
/// Collective.
PetscErrorCode collect_rows(const Ranks& ranks, Vec v, std::vector<std::int64_t>* counts, std::vector<PetscScalar>* all);
/// v := all, which the owner has. Collective.
PetscErrorCode distribute_rows(const Ranks& ranks, const std::vector<PetscScalar>& all,
                               const std::vector<std::int64_t>& counts, Vec v);

}  // namespace gpusupernodal::petsc
