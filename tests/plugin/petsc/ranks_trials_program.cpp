/// \file
/// Started by ranks_trials_test.cpp with mpirun: random sequences of calls with factors on several ranks, drawn from
/// -seed, in -trials trials. After each call, all ranks compare how it ended. Prints all failures, and finally the
/// number of calls tried. SIGALRM ends a hang after -limit seconds.

#include <petscksp.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <vector>

#include "tests/plugin/petsc/trial_subject.hpp"

namespace {

using namespace gpusupernodal::test;  // NOLINT(google-build-using-namespace)

constexpr PetscErrorCode success = static_cast<PetscErrorCode>(0);

class Trial {
 public:
  Trial(MPI_Comm comm, std::uint64_t seed, Counts* counts) : comm_(comm), draw_(seed), checks_(comm, seed, counts) {}

  PetscErrorCode run(PetscInt steps) {
    PetscFunctionBeginUser;
    std::array<char, 8> who = {};
    PetscMPIInt size = 1;
    PetscCall(PetscOptionsGetString(nullptr, nullptr, "-mat_gpusupernodal_distribute", who.data(), who.size(), nullptr));
    PetscCallMPI(MPI_Comm_size(comm_, &size));
    together_ = size > 1 && std::strcmp(who.data(), "all") == 0;
    for (PetscInt s = 0; s < steps; ++s) {
      const PetscInt which = subjects_.empty() ? 0 : draw_.below(12);
      if (which == 0 || subjects_.size() < 2) PetscCall(add_subject());
      Subject& subject = subjects_[static_cast<std::size_t>(draw_.below(static_cast<PetscInt>(subjects_.size())))];
      if (which == 1 || which == 2) PetscCall(change_values(&subject));
      if (which == 3) PetscCall(change_pattern(&subject));
      if (which == 4 || which == 5) PetscCall(spoil(&subject));
      if (which == 6) PetscCall(columns(subject));
      if (which == 7) PetscCall(refuse_order(&subject));
      if (which == 8) PetscCall(solve_by_ksp(&subject));
      if (which == 9) PetscCall(shift(&subject));
      if (which == 10) PetscCall(refuse_layout());
      PetscCall(try_solve(subject, draw_.one_in(3) && !together_, &checks_));
      if (subjects_.size() > 3 || (which == 11 && !subjects_.empty())) PetscCall(remove_subject());
    }
    while (!subjects_.empty()) PetscCall(remove_subject());
    return success;
  }

 private:
  PetscErrorCode add_subject() {
    Subject s;
    PetscFunctionBeginUser;
    PetscCall(make_trial_matrix(comm_, &draw_, &s.a));
    PetscCall(MatGetFactor(s.a.mat, "gpusupernodal", MAT_FACTOR_CHOLESKY, &s.f));
    PetscCall(symbolic(&s));
    PetscCall(numeric(&s));
    subjects_.push_back(s);
    return success;
  }

  PetscErrorCode remove_subject() {
    const auto which = draw_.below(static_cast<PetscInt>(subjects_.size()));
    Subject s = subjects_[static_cast<std::size_t>(which)];
    PetscFunctionBeginUser;
    subjects_.erase(subjects_.begin() + which);
    const bool matrix_first = draw_.one_in(2);
    if (matrix_first) PetscCall(MatDestroy(&s.a.mat));
    PetscCall(MatDestroy(&s.f));
    PetscCall(MatDestroy(&s.a.mat));
    return success;
  }

  PetscErrorCode change_values(Subject* s) {
    PetscFunctionBeginUser;
    PetscCall(set_version(&s->a, ++s->version, Spoilt::no, 0));
    PetscCall(numeric(s));
    return success;
  }

  /// Adds entries. If PETSc's nonzero state changes, the old analysis must refuse the matrix and a new one accept it;
  /// otherwise, the old analysis still works.
  PetscErrorCode change_pattern(Subject* s) {
    const std::size_t before = s->a.entries.size();
    PetscObjectState old_state = 0;
    PetscObjectState state = 0;
    PetscFunctionBeginUser;
    PetscCall(MatGetNonzeroState(s->a.mat, &old_state));
    add_entries(&draw_, 1 + draw_.below(4), &s->a);
    PetscCall(set_version(&s->a, ++s->version, Spoilt::no, 0));
    PetscCall(MatGetNonzeroState(s->a.mat, &state));
    if (state == old_state) {
      PetscCall(numeric(s));
      return success;
    }
    if (s->a.entries.size() > before && s->a.block == 1 && draw_.one_in(2)) {
      PetscCall(checks_.refused("another pattern", [&] { return numeric(s); }));
    }
    PetscCall(symbolic(s));
    PetscCall(numeric(s));
    return success;
  }

  PetscErrorCode spoil(Subject* s) {
    const Spoilt kinds[] = {Spoilt::not_a_number, Spoilt::infinite, Spoilt::negative_pivot, Spoilt::singular};
    const Spoilt kind = kinds[draw_.below(4)];
    const bool as_error = draw_.one_in(2);
    MatFactorError code = MAT_FACTOR_NOERROR;
    PetscReal pivot = 0;
    PetscInt row = -1;
    PetscFunctionBeginUser;
    if (s->a.n == 0) return success;
    PetscCall(set_version(&s->a, ++s->version, kind, draw_.below(s->a.n)));
    PetscCall(MatSetErrorIfFailure(s->a.mat, as_error ? PETSC_TRUE : PETSC_FALSE));
    if (as_error) {
      PetscCall(checks_.refused("a matrix that is spoilt", [&] { return numeric(s); }));
    } else {
      PetscCall(numeric(s));
      PetscCall(MatFactorGetError(s->f, &code));
      PetscCall(MatFactorGetErrorZeroPivot(s->f, &pivot, &row));
      checks_.expect(code == MAT_FACTOR_NUMERIC_ZEROPIVOT, "a spoilt matrix was factorized");
      checks_.expect(row >= 0 && row < s->a.n, "no row", static_cast<double>(row));
      PetscCall(checks_.same_on_all(code, "codes of ranks"));
      PetscCall(checks_.same_on_all(static_cast<double>(row), "rows of ranks"));
      PetscCall(checks_.same_on_all(static_cast<double>(pivot), "pivots of ranks"));
      ++checks_.counts().failures;
    }
    PetscCall(MatSetErrorIfFailure(s->a.mat, PETSC_FALSE));
    PetscCall(change_values(s));
    return success;
  }

  PetscErrorCode columns(const Subject& s) {
    const PetscInt columns = draw_.one_in(4) ? 60 + draw_.below(20) : draw_.below(4);
    return try_columns(s, columns, draw_.one_in(3), &checks_);
  }

  /// An invalid permutation: one rank has a number twice.
  PetscErrorCode refuse_order(Subject* s) {
    IS order = nullptr;
    PetscInt begin = 0;
    MatFactorInfo info;
    PetscFunctionBeginUser;
    if (s->a.n < 2) return success;
    PetscCall(MatGetOwnershipRange(s->a.mat, &begin, nullptr));
    std::vector<PetscInt> rows;
    for (PetscInt i = begin; i < begin + s->a.local; ++i) rows.push_back(i == s->a.n - 1 ? 0 : i);
    PetscCall(ISCreateGeneral(comm_, s->a.local, rows.data(), PETSC_COPY_VALUES, &order));
    PetscCall(MatFactorInfoInitialize(&info));
    PetscCall(checks_.refused("an invalid order", [&] { return MatCholeskyFactorSymbolic(s->f, s->a.mat, order, &info); }));
    PetscCall(ISDestroy(&order));
    PetscCall(symbolic(s));
    PetscCall(numeric(s));
    return success;
  }

  PetscErrorCode solve_by_ksp(Subject* s) {
    KSP ksp = nullptr;
    PC pc = nullptr;
    Vec b = nullptr;
    Vec x = nullptr;
    KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
    const bool spoilt = s->a.n > 0 && draw_.one_in(2);
    PetscFunctionBeginUser;
    PetscCall(make_vectors(*s, &b, &x));
    PetscCall(KSPCreate(comm_, &ksp));
    PetscCall(KSPSetType(ksp, KSPPREONLY));
    PetscCall(KSPSetOperators(ksp, s->a.mat, s->a.mat));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCCHOLESKY));
    PetscCall(PCFactorSetMatSolverType(pc, "gpusupernodal"));
    if (spoilt) {
      PetscCall(
          set_version(&s->a, ++s->version, draw_.one_in(2) ? Spoilt::infinite : Spoilt::singular, draw_.below(s->a.n)));
      PetscCall(KSPSolve(ksp, b, x));
      PetscCall(KSPGetConvergedReason(ksp, &reason));
      checks_.expect(reason == KSP_DIVERGED_PC_FAILED, "a spoilt matrix was solved with", reason);
      PetscCall(checks_.same_on_all(reason, "reasons of ranks"));
      PetscCall(set_version(&s->a, ++s->version, Spoilt::no, 0));
    }
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    checks_.expect(reason > 0, "KSP did not converge", reason);
    PetscCall(check_solution(*s, x, b, "solution of KSP", &checks_));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    PetscCall(numeric(s));
    return success;
  }

  /// If PETSc requests a shift, a matrix that is not positive definite gets one.
  PetscErrorCode shift(Subject* s) {
    MatFactorInfo info;
    MatFactorError code = MAT_FACTOR_NOERROR;
    PetscFunctionBeginUser;
    if (s->a.n < 2) return success;
    PetscCall(
        set_version(&s->a, ++s->version, draw_.one_in(2) ? Spoilt::singular : Spoilt::negative_pivot, draw_.below(s->a.n)));
    PetscCall(MatFactorInfoInitialize(&info));
    info.shifttype = static_cast<PetscReal>(MAT_SHIFT_POSITIVE_DEFINITE);
    PetscCall(MatFactorClearError(s->f));
    if (together_) {
      PetscCall(checks_.refused("a shift on all ranks", [&] { return MatCholeskyFactorNumeric(s->f, s->a.mat, &info); }));
      PetscCall(change_values(s));
      return success;
    }
    PetscCall(MatCholeskyFactorNumeric(s->f, s->a.mat, &info));
    PetscCall(MatFactorGetError(s->f, &code));
    checks_.expect(code == MAT_FACTOR_NOERROR, "not made definite by a shift");
    PetscCall(checks_.same_on_all(code, "codes of ranks after shifts"));
    PetscCall(change_values(s));
    return success;
  }

  /// A matrix whose column layout differs from its row layout on the last two ranks only.
  PetscErrorCode refuse_layout() {
    Mat a = nullptr;
    Mat f = nullptr;
    PetscMPIInt rank = 0;
    PetscMPIInt size = 1;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_rank(comm_, &rank));
    PetscCallMPI(MPI_Comm_size(comm_, &size));
    if (size < 2) return success;
    const PetscInt columns = rank == size - 1 ? 3 : rank == size - 2 ? 1 : 2;
    PetscCall(MatCreateAIJ(comm_, 2, columns, PETSC_DETERMINE, PETSC_DETERMINE, 1, nullptr, 1, nullptr, &a));
    PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
    PetscCall(checks_.refused("another layout of columns",
                              [&] { return MatGetFactor(a, "gpusupernodal", MAT_FACTOR_CHOLESKY, &f); }));
    PetscCall(MatDestroy(&a));
    return success;
  }

  MPI_Comm comm_;
  Draw draw_;
  Checks checks_;
  std::vector<Subject> subjects_;
  bool together_ = false;  ///< Whether all ranks factorize together; they add no shifts and solve with both factors only.
};

/// Runs a trial on all ranks together, or on groups of ranks that do different things concurrently.
PetscErrorCode run_trial(std::uint64_t seed, PetscInt steps, Counts* counts) {
  PetscMPIInt rank = 0;
  PetscMPIInt size = 1;
  MPI_Comm comm = MPI_COMM_NULL;
  Draw draw(seed);
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  const PetscInt groups = draw.one_in(3) ? 1 + draw.below(static_cast<PetscInt>(size)) : 1;
  const auto group = static_cast<PetscMPIInt>(rank % groups);
  const int key = draw.one_in(2) ? -rank : rank;
  PetscCallMPI(MPI_Comm_split(PETSC_COMM_WORLD, group, key, &comm));
  Trial trial(comm, seed * 64 + static_cast<std::uint64_t>(group), counts);
  PetscCall(trial.run(steps));
  PetscCallMPI(MPI_Comm_free(&comm));
  return success;
}

PetscErrorCode run() {
  PetscInt seed = 1;
  PetscInt trials = 20;
  PetscInt steps = 15;
  PetscInt limit = 240;
  Counts counts;
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-seed", &seed, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-trials", &trials, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-steps", &steps, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-limit", &limit, nullptr));
  // The trials expect that a matrix which is not definite fails; LDLᵀ would factorize it.
  PetscCall(PetscOptionsSetValue(nullptr, "-mat_gpusupernodal_form", "llt"));
  alarm(static_cast<unsigned>(limit));
  for (PetscInt t = 0; t < trials; ++t) PetscCall(run_trial(static_cast<std::uint64_t>(seed + t), steps, &counts));
  int all[] = {counts.checks, counts.wrong, counts.failures, counts.refusals};
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, 4, MPI_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(
      PetscPrintf(PETSC_COMM_WORLD, "\nchecks %d\nwrong %d\nfailures %d\nrefusals %d\n", all[0], all[1], all[2], all[3]));
  return success;
}

}  // namespace

int main(int argc, char** argv) {
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  const PetscErrorCode error = run();
  if (error != success) MPI_Abort(PETSC_COMM_WORLD, 1);
  PetscCall(PetscFinalize());
  return 0;
}
