/// \file
/// Started by ranks_test.cpp with mpirun: makes all calls with a factor that a program may make, for a matrix on
/// several ranks, and prints one line per call: its name and the error, or the resulting numbers. Options: -mat_type,
/// -block, -width, -empty (every second rank has no rows), and all of PETSc's.

#include <petscmat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/plugin/petsc/grid.hpp"

namespace {

using gpusupernodal::test::matrix_error;
using gpusupernodal::test::vector_error;

constexpr PetscErrorCode success = static_cast<PetscErrorCode>(0);
constexpr PetscInt many_columns = 70;  // More than are sent at once.

/// Whether MatForwardSolve and MatBackwardSolve work: not with a factor that several ranks have together.
bool has_halves = true;

PetscErrorCode print(const char* name, double number) { return PetscPrintf(PETSC_COMM_WORLD, "%s %.17g\n", name, number); }

/// The command line's options.
struct Wanted {
  PetscInt width = 13;
  PetscInt block = 1;
  PetscBool empty = PETSC_FALSE;
};

/// Number of this rank's rows; if `empty`, even ranks have none.
PetscErrorCode local_rows(const Wanted& wanted, PetscInt* rows) {
  PetscMPIInt rank = 0;
  PetscMPIInt size = 1;
  PetscInt blocks = PETSC_DECIDE;
  PetscInt all = wanted.width * wanted.width;
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscSplitOwnership(PETSC_COMM_WORLD, &blocks, &all));
  if (wanted.empty == PETSC_TRUE && size > 1) {
    const PetscInt busy = size / 2;
    blocks = rank % 2 == 0 ? 0 : all / busy + (rank / 2 < all % busy ? 1 : 0);
  }
  *rows = blocks * wanted.block;
  return success;
}

/// The 5-point operator, 4.5 + shift on the diagonal, for each of the `block` unknowns of a point, which are coupled by
/// −1/8.
PetscErrorCode make_matrix(const Wanted& wanted, PetscReal shift, Mat* a) {
  const PetscInt w = wanted.width;
  const PetscInt bs = wanted.block;
  PetscInt rows = 0;
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscFunctionBeginUser;
  PetscCall(local_rows(wanted, &rows));
  PetscCall(MatCreate(PETSC_COMM_WORLD, a));
  PetscCall(MatSetSizes(*a, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSize(*a, bs));
  PetscCall(MatSetFromOptions(*a));
  PetscCall(MatSetUp(*a));
  PetscCall(MatSetOption(*a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatGetOwnershipRange(*a, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    const PetscInt point = row / bs;
    const PetscInt points[] = {point - w, point % w > 0 ? point - 1 : -1, point % w < w - 1 ? point + 1 : -1,
                               point + w < w * w ? point + w : -1};
    for (const PetscInt other : points) {
      if (other >= 0) PetscCall(MatSetValue(*a, row, other * bs + row % bs, -1, INSERT_VALUES));
    }
    for (PetscInt k = 0; k < bs; ++k) {
      const PetscInt column = point * bs + k;
      PetscCall(MatSetValue(*a, row, column,
                            column == row ? static_cast<PetscScalar>(4.5) + shift : static_cast<PetscScalar>(-0.125),
                            INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*a, MAT_FINAL_ASSEMBLY));
  return success;
}

PetscErrorCode factorize(Mat a, IS order, Mat* f) {
  MatFactorInfo info;
  PetscFunctionBeginUser;
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatGetFactor(a, "gpusupernodal", MAT_FACTOR_CHOLESKY, f));
  PetscCall(MatCholeskyFactorSymbolic(*f, a, order, &info));
  PetscCall(MatCholeskyFactorNumeric(*f, a, &info));
  return success;
}

PetscErrorCode try_vectors(Mat a, Mat f, const char* prefix) {
  Vec b = nullptr;
  Vec x = nullptr;
  Vec y = nullptr;
  PetscReal error = 0;
  PetscScalar y_y = 0;
  PetscScalar b_x = 0;
  PetscFunctionBeginUser;
  PetscCall(gpusupernodal::test::make_right_hand_side(a, &b));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(VecDuplicate(b, &y));
  PetscCall(MatSolve(f, b, x));
  PetscCall(vector_error(a, x, b, &error));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s", prefix));
  PetscCall(print("solve", error));
  PetscCall(MatSolveTranspose(f, b, x));
  PetscCall(vector_error(a, x, b, &error));
  PetscCall(print("transpose", error));
  if (has_halves) {
    PetscCall(MatForwardSolve(f, b, y));
    PetscCall(MatBackwardSolve(f, y, x));
    PetscCall(vector_error(a, x, b, &error));
    PetscCall(print("halves", error));
    PetscCall(VecDot(y, y, &y_y));
    PetscCall(VecDot(b, x, &b_x));
    PetscCall(print("energy", PetscAbsScalar(y_y - b_x) / PetscAbsScalar(b_x)));
  }
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  return success;
}

PetscErrorCode make_columns(Mat a, PetscInt columns, MatType type, Mat* b) {
  PetscInt rows = 0;
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(a, &rows, nullptr));
  PetscCall(MatCreate(PETSC_COMM_WORLD, b));
  PetscCall(MatSetSizes(*b, rows, PETSC_DECIDE, PETSC_DETERMINE, columns));
  PetscCall(MatSetType(*b, type));
  PetscCall(MatSetUp(*b));
  PetscCall(MatSetOption(*b, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatGetOwnershipRange(*b, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    PetscCall(MatSetValue(*b, row, row % columns, static_cast<PetscScalar>(row % 5 + 1), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*b, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*b, MAT_FINAL_ASSEMBLY));
  return success;
}

PetscErrorCode try_columns(Mat a, Mat f) {
  Mat b = nullptr;
  Mat sparse = nullptr;
  Mat x = nullptr;
  PetscReal error = 0;
  PetscFunctionBeginUser;
  PetscCall(make_columns(a, many_columns, MATDENSE, &b));
  PetscCall(make_columns(a, many_columns, MATAIJ, &sparse));
  PetscCall(MatDuplicate(b, MAT_DO_NOT_COPY_VALUES, &x));
  PetscCall(MatMatSolve(f, b, x));
  PetscCall(matrix_error(a, x, b, &error));
  PetscCall(print("columns", error));
  PetscCall(MatMatSolveTranspose(f, b, x));
  PetscCall(matrix_error(a, x, b, &error));
  PetscCall(print("columns", error));
  PetscCall(MatZeroEntries(x));
  PetscCall(MatMatSolve(f, sparse, x));
  PetscCall(matrix_error(a, x, b, &error));
  PetscCall(print("sparse", error));
  PetscCall(MatCopy(b, x, SAME_NONZERO_PATTERN));
  PetscCall(MatMatSolve(f, x, x));
  PetscCall(matrix_error(a, x, b, &error));
  PetscCall(print("inplace", error));
  PetscCall(MatDestroy(&b));
  PetscCall(MatDestroy(&sparse));
  PetscCall(MatDestroy(&x));
  return success;
}

PetscErrorCode ask(Mat f) {
  PetscInt negative = -1;
  PetscInt zero = -1;
  PetscInt positive = -1;
  MatInfo info;
  PetscFunctionBeginUser;
  PetscCall(MatGetInertia(f, &negative, &zero, &positive));
  PetscCall(MatGetInfo(f, MAT_GLOBAL_SUM, &info));
  // An entry of the last rank, which is not the first unless it is the only one.
  PetscMPIInt size = 1;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  double numbers[] = {static_cast<double>(negative + zero), static_cast<double>(positive), info.nz_used};
  PetscCallMPI(MPI_Bcast(numbers, 3, MPI_DOUBLE, size - 1, PETSC_COMM_WORLD));
  PetscCall(print("notpositive", numbers[0]));
  PetscCall(print("positive", numbers[1]));
  PetscCall(print("nonzeros", numbers[2]));
  return success;
}

/// Prints error code, failed row and pivot (a wrong number if the ranks disagree), then the recovery.
PetscErrorCode try_failure(Mat a) {
  Mat f = nullptr;
  IS natural = nullptr;
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscInt n = 0;
  PetscInt row = -1;
  PetscReal pivot = 0;
  MatFactorError code = MAT_FACTOR_NOERROR;
  MatFactorInfo info;
  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(a, &begin, &end));
  PetscCall(MatGetSize(a, &n, nullptr));
  const PetscInt bad = n - 2;
  if (bad >= begin && bad < end) PetscCall(MatSetValue(a, bad, bad, -100, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, end - begin, begin, 1, &natural));
  PetscCall(factorize(a, natural, &f));
  PetscCall(MatFactorGetError(f, &code));
  PetscCall(MatFactorGetErrorZeroPivot(f, &pivot, &row));
  double lowest[] = {static_cast<double>(code), static_cast<double>(row), static_cast<double>(pivot)};
  double highest[] = {lowest[0], lowest[1], lowest[2]};
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, lowest, 3, MPI_DOUBLE, MPI_MIN, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, highest, 3, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(print("code", lowest[0] == highest[0] ? lowest[0] : -1));
  PetscCall(print("row", lowest[1] == highest[1] ? lowest[1] - static_cast<double>(bad) : -1));
  PetscCall(print("pivot", lowest[2] == highest[2] ? lowest[2] : 0));
  if (bad >= begin && bad < end) PetscCall(MatSetValue(a, bad, bad, 9, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatFactorClearError(f));
  PetscCall(MatCholeskyFactorNumeric(f, a, &info));
  PetscCall(try_vectors(a, f, "recovered "));
  PetscCall(MatDestroy(&f));
  PetscCall(ISDestroy(&natural));
  return success;
}

PetscErrorCode run() {
  Wanted wanted;
  Mat a = nullptr;
  Mat other = nullptr;
  Mat f = nullptr;
  MatFactorInfo info;
  PetscFunctionBeginUser;
  // The program expects that a matrix which is not definite fails; LDLᵀ would factorize it.
  PetscCall(PetscOptionsSetValue(nullptr, "-mat_gpusupernodal_form", "llt"));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-width", &wanted.width, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-block", &wanted.block, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-empty", &wanted.empty, nullptr));
  std::array<char, 8> who = {};
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-mat_gpusupernodal_distribute", who.data(), who.size(), nullptr));
  PetscMPIInt size = 1;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  has_halves = size == 1 || std::strcmp(who.data(), "all") != 0;
  PetscCall(make_matrix(wanted, 0, &a));
  PetscCall(factorize(a, nullptr, &f));
  PetscCall(try_vectors(a, f, ""));
  PetscCall(try_columns(a, f));
  PetscCall(ask(f));
  // New values, then the values of another matrix of this pattern.
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatShift(a, 2));
  PetscCall(MatCholeskyFactorNumeric(f, a, &info));
  PetscCall(try_vectors(a, f, "shifted "));
  PetscCall(make_matrix(wanted, 1, &other));
  PetscCall(MatCholeskyFactorNumeric(f, other, &info));
  PetscCall(try_vectors(other, f, "other "));
  PetscCall(MatDestroy(&f));
  if (wanted.width > 0) PetscCall(try_failure(a));
  PetscCall(MatDestroy(&a));
  PetscCall(MatDestroy(&other));
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
