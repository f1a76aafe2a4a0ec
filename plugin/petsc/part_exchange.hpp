#pragma once

/// \file
/// Values on their way between the ranks that have the rows of a matrix and the parts of its factorization.

#include <petscsf.h>

#include <cstdint>
#include <vector>

#include "plugin/petsc/ranks.hpp"

namespace gpusupernodal::petsc {

/// Owns a PetscSF, PETSc's plan of a communication.
class StarForest {
 public:
  StarForest() = default;
  StarForest(const StarForest&) = delete;
  StarForest& operator=(const StarForest&) = delete;
  ~StarForest() { static_cast<void>(PetscSFDestroy(&sf_)); }
  PetscSF get() const { return sf_; }
  /// Makes a new one without a graph. Collective.
  PetscErrorCode create(MPI_Comm comm);

 private:
  PetscSF sf_ = nullptr;
};

/// Sends values of entries from the rank that has their row to the part that they belong to. Each value is sent once,
/// straight to its place there. All functions are collective.
class EntryExchange {
 public:
  /// `part_of_entry` names the part of each entry of this rank. An entry's place there is behind those of lower ranks, and
  /// in the order of this list. Cost: two numbers between each pair of ranks.
  PetscErrorCode set_up(const Ranks& ranks, const std::vector<PetscMPIInt>& part_of_entry);
  /// Number of entries that this part receives, from all ranks.
  std::int64_t received() const { return received_; }
  /// `mine` has one element for each entry of this rank, `there` one for each entry that this part receives.
  PetscErrorCode send(MPI_Datatype type, const void* mine, void* there) const;

 private:
  StarForest forest_;
  std::int64_t received_ = 0;
};

/// Sends entries of vectors from the ranks that have them to the parts that they belong to, and back.
class RowExchange {
 public:
  /// `rows` are the rows of this part, numbered as in the whole matrix. Collective; each row occurs on one part.
  PetscErrorCode set_up(const Ranks& ranks, PetscLayout layout, const std::vector<std::int64_t>& rows);
  /// One column from the ranks to the parts. Collective.
  PetscErrorCode to_parts(const PetscScalar* mine, PetscScalar* of_part) const;
  /// One column from the parts to the ranks. Collective.
  PetscErrorCode to_ranks(const PetscScalar* of_part, PetscScalar* mine) const;

 private:
  StarForest forest_;
};

}  // namespace gpusupernodal::petsc
