#pragma once

/// \file
/// The ranks that share a matrix. The first rank is the owner. Unless all ranks have a JointFactor, the owner alone has the
/// factor and the GPU: the other ranks send it their rows and receive their part of the solution.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plugin/petsc/guard.hpp"
#include "plugin/petsc/petsc_compat.hpp"

namespace gpusupernodal::petsc {

/// Functions that communicate are collective: all ranks must call them, in the same order.
struct Ranks {
  MPI_Comm comm = PETSC_COMM_SELF;
  PetscMPIInt rank = 0;
  PetscMPIInt size = 1;
  PetscMPIInt tag = 0;

  bool alone() const { return size == 1; }
  bool owner() const { return rank == 0; }
};

/// Returns the ranks of a PETSc object, with a new message tag.
PetscErrorCode ranks_of(PetscObject object, Ranks* ranks);

/// Returns success if `mine` is success on every rank. Otherwise raises an error on every rank: `mine` on ranks that failed.
PetscErrorCode agree(const Ranks& ranks, PetscErrorCode mine);

/// Sets `flag` to whether it is true on all ranks.
PetscErrorCode on_all_ranks(const Ranks& ranks, bool* flag);

/// Runs `body` on each rank; fails on all ranks if it fails on one. `body` returns a PetscErrorCode, may throw and must not
/// communicate.
template <class Body>
PetscErrorCode together(const Ranks& ranks, const char* function, int line, Body&& body) {
  const PetscErrorCode mine = guarded(function, line, body);
  return ranks.alone() ? mine : agree(ranks, mine);
}

/// Sends `bytes` bytes of `data` from the owner to all ranks.
PetscErrorCode broadcast(const Ranks& ranks, void* data, std::size_t bytes);

/// Collects one number per rank on the owner, in rank order; `all` is empty on other ranks.
PetscErrorCode collect_number(const Ranks& ranks, std::int64_t mine, std::vector<std::int64_t>* all);

/// Concatenates the ranks' arrays on the owner. `all` receives `counts[r]` elements of `element` bytes from rank r. `counts`
/// is read on the owner only; `mine` and `count` are this rank's array and its number of elements.
PetscErrorCode collect(const Ranks& ranks, std::size_t element, const void* mine, std::int64_t count,
                       const std::vector<std::int64_t>& counts, void* all);
/// The inverse of collect: sends to each rank its part of `all`, which is read on the owner only.
PetscErrorCode distribute(const Ranks& ranks, std::size_t element, const void* all, const std::vector<std::int64_t>& counts,
                          void* mine, std::int64_t count);

}  // namespace gpusupernodal::petsc
