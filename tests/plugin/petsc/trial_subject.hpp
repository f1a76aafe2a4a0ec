#pragma once

/// \file
/// Factors with their matrices for trials on several ranks, and a record of the results.

#include <petscmat.h>

#include <cmath>
#include <cstdint>

#include "tests/plugin/petsc/trial_matrix.hpp"

namespace gpusupernodal::test {

/// Numbers of calls tried.
struct Counts {
  int checks = 0;
  int wrong = 0;
  int failures = 0;  ///< Factorizations that failed as expected.
  int refusals = 0;  ///< Calls that returned an error as expected.
};

/// Compares how calls end on the ranks of a communicator. Prints failures with the seed.
class Checks {
 public:
  Checks(MPI_Comm comm, std::uint64_t seed, Counts* counts) : comm_(comm), seed_(seed), counts_(counts) {}

  Counts& counts() { return *counts_; }
  void expect(bool good, const char* what, double number = 0.0);
  /// Expects that all ranks have the same number; a NaN equals a NaN.
  PetscErrorCode same_on_all(double mine, const char* what);

  /// Makes a call that must return an error on every rank.
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

/// A factor and its matrix.
struct Subject {
  TrialMatrix a;
  Mat f = nullptr;
  PetscInt version = 0;
};

PetscErrorCode symbolic(Subject* s);
/// Runs the numeric phase after clearing the error of the previous factorization.
PetscErrorCode numeric(Subject* s);

/// A right-hand side, and a vector for the solution.
PetscErrorCode make_vectors(const Subject& s, Vec* b, Vec* x);
PetscErrorCode check_solution(const Subject& s, Vec x, Vec b, const char* what, Checks* checks);
PetscErrorCode try_solve(const Subject& s, bool by_halves, Checks* checks);
PetscErrorCode try_columns(const Subject& s, PetscInt columns, bool in_place, Checks* checks);

}  // namespace gpusupernodal::test
