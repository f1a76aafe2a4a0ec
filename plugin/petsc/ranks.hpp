#pragma once

/// \file
/// The ranks that share a matrix. The first of them, the owner, has the factor and the GPU: it alone factorizes and solves,
/// the others send it their rows and get their part of the solution back.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plugin/petsc/guard.hpp"
#include "plugin/petsc/petsc_compat.hpp"

namespace gpusupernodal::petsc {

/// Calls that send are made by all ranks, in the same order.
struct Ranks {
  MPI_Comm comm = PETSC_COMM_SELF;
  PetscMPIInt rank = 0;
  PetscMPIInt size = 1;
  PetscMPIInt tag = 0;

  bool alone() const { return size == 1; }
  bool owner() const { return rank == 0; }
};

/// The ranks of an object of PETSc, with a tag of their own for messages.
PetscErrorCode ranks_of(PetscObject object, Ranks* ranks);

/// Success if every rank brings success; else an error on all of them, that of this rank where it has one.
PetscErrorCode agree(const Ranks& ranks, PetscErrorCode mine);

/// Runs `body`, which returns a PetscErrorCode, may throw and sends nothing, on each rank; fails on all if it fails on one.
template <class Body>
PetscErrorCode together(const Ranks& ranks, const char* function, int line, Body&& body) {
  const PetscErrorCode mine = guarded(function, line, body);
  return ranks.alone() ? mine : agree(ranks, mine);
}

/// `bytes` of `data` from the owner to all.
PetscErrorCode broadcast(const Ranks& ranks, void* data, std::size_t bytes);

/// On the owner a number of each rank, in their order; elsewhere nothing.
PetscErrorCode collect_number(const Ranks& ranks, std::int64_t mine, std::vector<std::int64_t>* all);

/// What the ranks have, one behind the other, on the owner: `counts[r]` elements of `element` bytes of rank r. `counts` is
/// read on the owner alone, `mine` and `count` are this rank's.
PetscErrorCode collect(const Ranks& ranks, std::size_t element, const void* mine, std::int64_t count,
                       const std::vector<std::int64_t>& counts, void* all);
/// The other way round.
PetscErrorCode distribute(const Ranks& ranks, std::size_t element, const void* all, const std::vector<std::int64_t>& counts,
                          void* mine, std::int64_t count);

}  // namespace gpusupernodal::petsc
