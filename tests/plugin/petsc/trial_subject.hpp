#pragma once

/// \file
/// What trials on several ranks work with: factors with their matrices, and a record of what was right and wrong.

#include <petscmat.h>

#include <cmath>
#include <cstdint>

#include "tests/plugin/petsc/trial_matrix.hpp"

namespace gpusupernodal::test {

/// How much was tried.
struct Counts {
  int checks = 0;
  int wrong = 0;
  int failures = 0;  ///< Factorizations that failed as they should.
  int refusals = 0;  ///< Calls that returned an error as they should.
};

/// Compares how calls end on the ranks of a communicator. What is wrong is printed with the seed.
class Checks {
 public:
  Checks(MPI_Comm comm, std::uint64_t seed, Counts* counts) : comm_(comm), seed_(seed), counts_(counts) {}

  Counts& counts() { return *counts_; }
  void expect(bool good, const char* what, double number = 0.0);
  /// Expects that all ranks have the same number; a NaN equals a NaN.
  PetscErrorCode same_on_all(double mine, const char* what);

  /// Calls what must return an error on every rank.
  template <class Call>
  PetscErrorCode refused(const char* what, const Call& call) {
    PetscFunctionBeginUser;
    PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
    const PetscErrorCode error = call();
    PetscCall(PetscPopErrorHandler());
    const bool failed = error != static_cast<PetscErrorCode>(0);
    expect(failed, what);
    ++counts_->refusals;
    PetscCall(same_on_all(failed ? 1 : 0, what));
    return static_cast<PetscErrorCode>(0);
  }

 private:
  MPI_Comm comm_;
  std::uint64_t seed_;
  Counts* counts_;
};

/// A factor with the matrix that it is of.
struct Subject {
  TrialMatrix a;
  Mat f = nullptr;
  PetscInt version = 0;
};

PetscErrorCode symbolic(Subject* s);
/// Clears the error of the factorization before.
PetscErrorCode numeric(Subject* s);

/// A right-hand side, and a vector for the solution.
PetscErrorCode make_vectors(const Subject& s, Vec* b, Vec* x);
PetscErrorCode check_solution(const Subject& s, Vec x, Vec b, const char* what, Checks* checks);
PetscErrorCode try_solve(const Subject& s, bool by_halves, Checks* checks);
PetscErrorCode try_columns(const Subject& s, PetscInt columns, bool in_place, Checks* checks);

}  // namespace gpusupernodal::test
