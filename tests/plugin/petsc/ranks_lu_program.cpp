/// \file
/// Started by ranks_lu_test.cpp with mpirun: LU of matrices on several ranks. Prints one line per call: its name and the
/// error, or the resulting numbers. Options: -empty (the first rank has no rows), and all of PETSc's.

#include <petscmat.h>

#include "tests/plugin/petsc/grid.hpp"

namespace {

using gpusupernodal::test::make_right_hand_side;
using gpusupernodal::test::matrix_error;
using gpusupernodal::test::vector_error;

constexpr PetscErrorCode success = static_cast<PetscErrorCode>(0);
constexpr PetscInt width = 13;
constexpr PetscInt order = width * width;
constexpr PetscInt many_columns = 70;  // More than are sent at once.

PetscErrorCode print(const char* name, double number) { return PetscPrintf(PETSC_COMM_WORLD, "%s %.17g\n", name, number); }

/// A matrix of order n without entries.
PetscErrorCode make_empty(PetscInt n, Mat* a) {
  PetscMPIInt rank = 0;
  PetscMPIInt size = 1;
  PetscBool empty = PETSC_FALSE;
  PetscInt rows = PETSC_DECIDE;
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsHasName(nullptr, nullptr, "-empty", &empty));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (empty == PETSC_TRUE && size > 1) rows = rank == 0 ? 0 : n / (size - 1) + (rank <= n % (size - 1) ? 1 : 0);
  PetscCall(MatCreate(PETSC_COMM_WORLD, a));
  PetscCall(MatSetSizes(*a, rows, rows, n, n));
  PetscCall(MatSetType(*a, MATAIJ));
  PetscCall(MatSetFromOptions(*a));
  PetscCall(MatSetUp(*a));
  PetscCall(MatSetOption(*a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  return success;
}

PetscErrorCode assemble(Mat a) {
  PetscFunctionBeginUser;
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  return success;
}

/// Convection and diffusion on a grid, as make_convection.
PetscErrorCode set_convection(Mat a, PetscReal wind) {
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(a, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    const PetscInt columns[] = {row - width, row % width > 0 ? row - 1 : -1, row, row % width < width - 1 ? row + 1 : -1,
                                row + width < order ? row + width : -1};
    const PetscScalar values[] = {-1 - wind / 2, -1 - wind, 5, -1 + wind, -1 + wind / 2};
    PetscCall(MatSetValues(a, 1, &row, 5, columns, values, INSERT_VALUES));
  }
  PetscCall(assemble(a));
  return success;
}

/// A diagonal and the entries beside it in a circle.
PetscErrorCode set_circle(Mat a, PetscScalar diagonal, PetscScalar beside) {
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscInt n = 0;
  PetscFunctionBeginUser;
  PetscCall(MatGetSize(a, &n, nullptr));
  PetscCall(MatGetOwnershipRange(a, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    PetscCall(MatSetValue(a, row, row, diagonal, INSERT_VALUES));
    PetscCall(MatSetValue(a, row, (row + 1) % n, beside, INSERT_VALUES));
  }
  PetscCall(assemble(a));
  return success;
}

PetscErrorCode factorize(Mat a, Mat* f) {
  MatFactorInfo info;
  PetscFunctionBeginUser;
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatGetFactor(a, "gpusupernodal", MAT_FACTOR_LU, f));
  PetscCall(MatLUFactorSymbolic(*f, a, nullptr, nullptr, &info));
  PetscCall(MatLUFactorNumeric(*f, a, &info));
  return success;
}

PetscErrorCode try_vectors(Mat a, Mat f) {
  Mat transposed = nullptr;
  Vec b = nullptr;
  Vec x = nullptr;
  PetscReal error = 0;
  PetscFunctionBeginUser;
  PetscCall(make_right_hand_side(a, &b));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(MatTranspose(a, MAT_INITIAL_MATRIX, &transposed));
  PetscCall(MatSolve(f, b, x));
  PetscCall(vector_error(a, x, b, &error));
  PetscCall(print("solve", error));
  PetscCall(MatSolveTranspose(f, b, x));
  PetscCall(vector_error(transposed, x, b, &error));
  PetscCall(print("transpose", error));
  PetscCall(MatDestroy(&transposed));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  return success;
}

PetscErrorCode try_columns(Mat a, Mat f) {
  Mat transposed = nullptr;
  Mat b = nullptr;
  Mat x = nullptr;
  PetscInt rows = 0;
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscReal error = 0;
  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(a, &rows, nullptr));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, rows, PETSC_DECIDE, PETSC_DETERMINE, many_columns, nullptr, &b));
  PetscCall(MatGetOwnershipRange(b, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    PetscCall(MatSetValue(b, row, row % many_columns, static_cast<PetscScalar>(row % 5 + 1), INSERT_VALUES));
  }
  PetscCall(assemble(b));
  PetscCall(MatDuplicate(b, MAT_DO_NOT_COPY_VALUES, &x));
  PetscCall(MatTranspose(a, MAT_INITIAL_MATRIX, &transposed));
  PetscCall(MatMatSolve(f, b, x));
  PetscCall(matrix_error(a, x, b, &error));
  PetscCall(print("columns", error));
  PetscCall(MatMatSolveTranspose(f, b, x));
  PetscCall(matrix_error(transposed, x, b, &error));
  PetscCall(print("transposed columns", error));
  PetscCall(MatDestroy(&transposed));
  PetscCall(MatDestroy(&b));
  PetscCall(MatDestroy(&x));
  return success;
}

PetscErrorCode try_convection() {
  Mat a = nullptr;
  Mat f = nullptr;
  MatInfo of_f;
  MatFactorInfo info;
  PetscFunctionBeginUser;
  PetscCall(make_empty(order, &a));
  PetscCall(set_convection(a, 0.8));
  PetscCall(factorize(a, &f));
  PetscCall(try_vectors(a, f));
  PetscCall(try_columns(a, f));
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(set_convection(a, -0.3));
  PetscCall(MatLUFactorNumeric(f, a, &info));
  PetscCall(try_vectors(a, f));
  PetscCall(MatGetInfo(f, MAT_GLOBAL_SUM, &of_f));
  PetscCall(print("nonzeros", of_f.nz_used));
  PetscCall(MatDestroy(&f));
  PetscCall(MatDestroy(&a));
  return success;
}

/// The outcome on all ranks, or −1 if they disagree.
PetscErrorCode print_outcome(Mat f) {
  MatFactorError code = MAT_FACTOR_NOERROR;
  PetscFunctionBeginUser;
  PetscCall(MatFactorGetError(f, &code));
  int lowest = static_cast<int>(code);
  int highest = lowest;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &highest, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(print("code", lowest == highest ? lowest : -1));
  return success;
}

/// Values that need another exchange of rows, then values without an inverse, then good ones.
PetscErrorCode try_circle() {
  Mat a = nullptr;
  Mat f = nullptr;
  MatFactorInfo info;
  PetscFunctionBeginUser;
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(make_empty(12, &a));
  PetscCall(set_circle(a, 4, 1));
  PetscCall(factorize(a, &f));
  for (const PetscScalar beside : {1, 0, 3}) {
    PetscCall(set_circle(a, 0, beside));
    PetscCall(MatFactorClearError(f));
    PetscCall(MatLUFactorNumeric(f, a, &info));
    PetscCall(print_outcome(f));
    if (beside != 0) PetscCall(try_vectors(a, f));
  }
  PetscCall(PetscViewerPushFormat(PETSC_VIEWER_STDOUT_WORLD, PETSC_VIEWER_ASCII_INFO));
  PetscCall(MatView(f, PETSC_VIEWER_STDOUT_WORLD));
  PetscCall(PetscViewerPopFormat(PETSC_VIEWER_STDOUT_WORLD));
  PetscCall(MatDestroy(&f));
  PetscCall(MatDestroy(&a));
  return success;
}

PetscErrorCode run() {
  PetscFunctionBeginUser;
  PetscCall(try_convection());
  PetscCall(try_circle());
  return success;
}

}  // namespace

int main(int argc, char** argv) {
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  int failed = run() == success ? 0 : 1;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nerrors on ranks %d\n", failed));
  PetscCall(PetscFinalize());
  return failed == 0 ? 0 : 1;
}
