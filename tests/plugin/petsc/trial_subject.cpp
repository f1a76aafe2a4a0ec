#include "tests/plugin/petsc/trial_subject.hpp"

namespace gpusupernodal::test {
namespace {

constexpr PetscErrorCode success = static_cast<PetscErrorCode>(0);

}  // namespace

void Checks::expect(bool good, const char* what, double number) {
  ++counts_->checks;
  if (good) return;
  ++counts_->wrong;
  static_cast<void>(
      PetscPrintf(PETSC_COMM_SELF, "wrong: %s (%g), seed %llu\n", what, number, static_cast<unsigned long long>(seed_)));
}

PetscErrorCode Checks::same_on_all(double mine, const char* what) {
  constexpr double for_nan = -4.25e300;
  double lowest = std::isnan(mine) ? for_nan : mine;
  double highest = lowest;
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_DOUBLE, MPI_MIN, comm_));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &highest, 1, MPI_DOUBLE, MPI_MAX, comm_));
  expect(lowest == highest, what, mine);
  return success;
}

PetscErrorCode numeric(Subject* s) {
  MatFactorInfo info;
  PetscFunctionBeginUser;
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatFactorClearError(s->f));
  PetscCall(MatCholeskyFactorNumeric(s->f, s->a.mat, &info));
  return success;
}

PetscErrorCode symbolic(Subject* s) {
  MatFactorInfo info;
  PetscFunctionBeginUser;
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatCholeskyFactorSymbolic(s->f, s->a.mat, nullptr, &info));
  return success;
}

PetscErrorCode check_solution(const Subject& s, Vec x, Vec b, const char* what, Checks* checks) {
  PetscReal error = 0;
  PetscFunctionBeginUser;
  PetscCall(trial_error(s.a, s.version, x, b, &error));
  checks->expect(error <= 100 * (static_cast<double>(s.a.n) + 1) * PETSC_MACHINE_EPSILON, what, static_cast<double>(error));
  return success;
}

PetscErrorCode make_vectors(const Subject& s, Vec* b, Vec* x) {
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(s.a.mat, x, b));
  PetscCall(VecGetOwnershipRange(*b, &begin, &end));
  for (PetscInt i = begin; i < end; ++i) {
    PetscCall(VecSetValue(*b, i, static_cast<PetscReal>(1 + (i * 37 + s.version) % 101) / 100, INSERT_VALUES));
  }
  PetscCall(VecAssemblyBegin(*b));
  PetscCall(VecAssemblyEnd(*b));
  return success;
}

PetscErrorCode try_solve(const Subject& s, bool by_halves, Checks* checks) {
  Vec b = nullptr;
  Vec x = nullptr;
  Vec y = nullptr;
  PetscFunctionBeginUser;
  PetscCall(make_vectors(s, &b, &x));
  PetscCall(VecDuplicate(x, &y));
  if (by_halves) {
    PetscCall(MatForwardSolve(s.f, b, y));
    PetscCall(MatBackwardSolve(s.f, y, x));
  } else {
    PetscCall(MatSolve(s.f, b, x));
  }
  PetscCall(check_solution(s, x, b, "solution", checks));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  return success;
}

PetscErrorCode try_columns(const Subject& s, PetscInt columns, bool in_place, Checks* checks) {
  Mat b = nullptr;
  Mat x = nullptr;
  Vec b_column = nullptr;
  Vec x_column = nullptr;
  PetscFunctionBeginUser;
  PetscCall(make_vectors(s, &b_column, &x_column));
  PetscCall(MatCreateDense(s.a.comm, s.a.local, PETSC_DECIDE, s.a.n, columns, nullptr, &b));
  PetscCall(MatSetRandom(b, nullptr));
  PetscCall(MatAssemblyBegin(b, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(b, MAT_FINAL_ASSEMBLY));
  PetscCall(MatDuplicate(b, MAT_COPY_VALUES, &x));
  PetscCall(MatMatSolve(s.f, in_place ? x : b, x));
  for (PetscInt k = 0; k < columns; ++k) {
    PetscCall(MatGetColumnVector(x, x_column, k));
    PetscCall(MatGetColumnVector(b, b_column, k));
    PetscCall(check_solution(s, x_column, b_column, "columns", checks));
  }
  PetscCall(MatDestroy(&b));
  PetscCall(MatDestroy(&x));
  PetscCall(VecDestroy(&b_column));
  PetscCall(VecDestroy(&x_column));
  return success;
}

}  // namespace gpusupernodal::test
