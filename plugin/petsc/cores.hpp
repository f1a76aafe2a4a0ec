#pragma once

/// \file
/// How many cores a rank has, besides the other ranks of its machine.

#include "plugin/petsc/ranks.hpp"

namespace gpusupernodal::petsc {

/// Cores of one rank.
struct CoreShare {
  int cores = 1;           ///< Its part of the cores on which it may run: a core of k ranks counts 1/k. At least 1.
  bool exclusive = false;  ///< Whether no other rank of the communicator may run on them. False if it is not known.
};

/// Finds the cores of this rank by the affinity that the launcher has set. Collective.
PetscErrorCode share_cores(const Ranks& ranks, CoreShare* share);

}  // namespace gpusupernodal::petsc
