/// \file
/// Started by ranks_iterative_test.cpp with mpirun: products, preconditioners and conjugate gradients on several ranks.
/// Prints one line per check: its name and a number. Options: -products, -sparse_products (instead of solves), -empty (the
/// first rank has no rows), -n (rows), and all of PETSc's.

#include <petscksp.h>

#include <string>

#include "tests/plugin/petsc/grid.hpp"
#include "tests/plugin/petsc/product_matrices.hpp"

namespace {

using gpusupernodal::test::compare_entries;
using gpusupernodal::test::compare_products;
using gpusupernodal::test::make_right_hand_side;
using gpusupernodal::test::vector_error;

constexpr PetscErrorCode success = static_cast<PetscErrorCode>(0);

PetscErrorCode print(const char* name, double number) { return PetscPrintf(PETSC_COMM_WORLD, "%s %.17g\n", name, number); }

/// A definite band matrix of the type that the options say, in which rows of all ranks meet.
PetscErrorCode make_band(Mat* a) {
  PetscMPIInt rank = 0;
  PetscMPIInt size = 1;
  PetscBool empty = PETSC_FALSE;
  PetscInt n = 90;
  PetscInt rows = PETSC_DECIDE;
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-n", &n, nullptr));
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
  PetscCall(MatGetOwnershipRange(*a, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    PetscCall(MatSetValue(*a, row, row, 4.5 + row % 3, INSERT_VALUES));
    for (const PetscInt step : {1, 35}) {
      if (row + step < n) PetscCall(MatSetValue(*a, row, row + step, -1, INSERT_VALUES));
      if (row >= step) PetscCall(MatSetValue(*a, row, row - step, -1, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*a, MAT_FINAL_ASSEMBLY));
  return success;
}

PetscErrorCode set_pair(Mat a, PetscInt row, PetscInt column, PetscScalar value) {
  PetscMPIInt rank = 0;
  PetscInt n = 0;
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(MatGetSize(a, &n, nullptr));
  if (rank == 0 && n > 0) {
    PetscCall(MatSetValue(a, row % n, column % n, value, INSERT_VALUES));
    PetscCall(MatSetValue(a, column % n, row % n, value, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  return success;
}

PetscErrorCode compare(const char* name, Mat a, Mat aij) {
  PetscReal difference = 1;
  PetscFunctionBeginUser;
  PetscCall(compare_products(a, aij, &difference));
  PetscCall(print(name, difference));
  return success;
}

/// Products with vectors and dense matrices, after new values and new entries, and of copies.
PetscErrorCode try_products() {
  Mat aij = nullptr;
  Mat a = nullptr;
  Mat copy = nullptr;
  Mat square = nullptr;
  Mat expected = nullptr;
  MatType type = nullptr;
  PetscReal difference = 1;
  PetscFunctionBeginUser;
  PetscCall(make_band(&a));
  PetscCall(MatConvert(a, MATAIJ, MAT_INITIAL_MATRIX, &aij));
  PetscCall(MatGetType(a, &type));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "type %s\n", type));
  PetscCall(compare("product", a, aij));
  PetscCall(MatScale(a, 3));
  PetscCall(MatScale(aij, 3));
  PetscCall(compare("product", a, aij));
  PetscCall(set_pair(a, 2, 70, 0.5));
  PetscCall(set_pair(aij, 2, 70, 0.5));
  PetscCall(compare("product", a, aij));
  PetscCall(MatDuplicate(a, MAT_COPY_VALUES, &copy));
  PetscCall(MatZeroEntries(a));
  PetscCall(compare("product", copy, aij));
  PetscCall(MatPtAP(copy, copy, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &square));
  PetscCall(MatPtAP(aij, aij, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &expected));
  PetscCall(compare("product", square, expected));
  PetscCall(MatConvert(copy, MATAIJ, MAT_INPLACE_MATRIX, &copy));
  PetscCall(compare("product", copy, aij));
  PetscCall(MatDestroy(&square));
  PetscCall(MatDestroy(&expected));
  Mat dense = nullptr;
  PetscInt rows = 0;
  PetscCall(MatGetLocalSize(aij, &rows, nullptr));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, rows, PETSC_DECIDE, PETSC_DETERMINE, 7, nullptr, &dense));
  PetscCall(MatSetRandom(dense, nullptr));
  PetscCall(MatConvert(copy, "aijgpusupernodal", MAT_INPLACE_MATRIX, &copy));
  for (const auto multiply : {MatMatMult, MatTransposeMatMult}) {
    PetscCall(multiply(copy, dense, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &square));
    PetscCall(multiply(aij, dense, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &expected));
    PetscCall(MatAXPY(square, -1, expected, SAME_NONZERO_PATTERN));
    PetscCall(MatNorm(square, NORM_FROBENIUS, &difference));
    PetscCall(print("dense", difference));
    PetscCall(MatDestroy(&square));
    PetscCall(MatDestroy(&expected));
  }
  PetscCall(MatDestroy(&dense));
  PetscCall(MatDestroy(&copy));
  PetscCall(MatDestroy(&a));
  PetscCall(MatDestroy(&aij));
  return success;
}

/// Aggregates of three points, of the type of A.
PetscErrorCode make_aggregates(Mat a, Mat* p) {
  MatType type = nullptr;
  PetscInt rows = 0;
  PetscInt n = 0;
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscFunctionBeginUser;
  PetscCall(MatGetType(a, &type));
  PetscCall(MatGetSize(a, &n, nullptr));
  PetscCall(MatGetLocalSize(a, &rows, nullptr));
  PetscCall(MatCreate(PETSC_COMM_WORLD, p));
  PetscCall(MatSetSizes(*p, rows, PETSC_DECIDE, n, (n + 2) / 3));
  PetscCall(MatSetType(*p, type));
  PetscCall(MatSetUp(*p));
  PetscCall(MatGetOwnershipRange(*p, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) PetscCall(MatSetValue(*p, row, row / 3, 1 + row % 4, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*p, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*p, MAT_FINAL_ASSEMBLY));
  return success;
}

/// Products of sparse matrices, at first, again with new values, and from the beginning with new entries, beside aij.
PetscErrorCode try_sparse_products() {
  Mat a = nullptr;
  Mat p = nullptr;
  Mat aij[] = {nullptr, nullptr};
  MatType type = nullptr;
  PetscFunctionBeginUser;
  PetscCall(make_band(&a));
  PetscCall(make_aggregates(a, &p));
  PetscCall(MatConvert(a, MATAIJ, MAT_INITIAL_MATRIX, &aij[0]));
  PetscCall(MatConvert(p, MATAIJ, MAT_INITIAL_MATRIX, &aij[1]));
  PetscInt count = 0;
  for (const auto multiply : {MatMatMult, MatTransposeMatMult, MatPtAP}) {
    Mat c = nullptr;
    Mat expected = nullptr;
    for (const MatReuse reuse : {MAT_INITIAL_MATRIX, MAT_REUSE_MATRIX}) {
      PetscCall(multiply(a, p, reuse, PETSC_DEFAULT, &c));
      PetscCall(multiply(aij[0], aij[1], reuse, PETSC_DEFAULT, &expected));
      PetscCall(MatGetType(c, &type));
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "type %s\n", type));
      PetscCall(compare("product", c, expected));
      for (Mat m : {a, aij[0]}) PetscCall(MatScale(m, 1.75));
      for (Mat m : {p, aij[1]}) PetscCall(MatScale(m, 0.5));
    }
    PetscCall(MatDestroy(&c));
    PetscCall(MatDestroy(&expected));
    for (Mat m : {a, aij[0]}) PetscCall(set_pair(m, 3 + 10 * count, 71, 0.5));
    ++count;
    PetscCall(multiply(a, p, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
    PetscCall(multiply(aij[0], aij[1], MAT_INITIAL_MATRIX, PETSC_DEFAULT, &expected));
    PetscCall(compare("product", c, expected));
    PetscCall(MatDestroy(&c));
    PetscCall(MatDestroy(&expected));
  }
  for (Mat* m : {&a, &p, &aij[0], &aij[1]}) PetscCall(MatDestroy(m));
  return success;
}

/// The reason on all ranks, or −1000 if they disagree.
PetscErrorCode print_outcome(KSP ksp, Mat a, Vec x, Vec b) {
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscReal error = 1;
  PetscInt count = 0;
  PetscFunctionBeginUser;
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetResidualHistory(ksp, nullptr, &count));
  int numbers[] = {static_cast<int>(reason), -static_cast<int>(reason), static_cast<int>(count), -static_cast<int>(count)};
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, numbers, 4, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(print("reason", numbers[0] == -numbers[1] ? numbers[0] : -1000));
  PetscCall(print("history", numbers[2] == -numbers[3] ? numbers[2] : -1000));
  if (reason > 0) {
    PetscCall(vector_error(a, x, b, &error));
    PetscCall(print("error", error));
  }
  return success;
}

PetscErrorCode solve(KSP ksp, Mat a, Vec b, Vec x) {
  PetscFunctionBeginUser;
  PetscCall(KSPSetOperators(ksp, a, a));  // Without it, PETSc does not look for new values.
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(print_outcome(ksp, a, x, b));
  return success;
}

/// Solves with the KSP of the options: at first, with new values, with new entries, with an indefinite matrix and after it.
PetscErrorCode try_solves() {
  Mat a = nullptr;
  Vec b = nullptr;
  Vec x = nullptr;
  KSP ksp = nullptr;
  PetscFunctionBeginUser;
  PetscCall(make_band(&a));
  PetscCall(make_right_hand_side(a, &b));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, a, a));
  PetscCall(KSPSetResidualHistory(ksp, nullptr, 1000, PETSC_TRUE));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(solve(ksp, a, b, x));
  PetscCall(set_pair(a, 5, 5, 9));
  PetscCall(solve(ksp, a, b, x));
  PetscCall(set_pair(a, 4, 50, 0.25));
  PetscCall(solve(ksp, a, b, x));
  PetscCall(set_pair(a, 5, 5, -9));
  PetscCall(solve(ksp, a, b, x));
  PetscCall(set_pair(a, 5, 5, 9));
  PetscCall(solve(ksp, a, b, x));
  PetscCall(KSPView(ksp, PETSC_VIEWER_STDOUT_WORLD));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&a));
  return success;
}

PetscErrorCode run() {
  PetscBool products = PETSC_FALSE;
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsHasName(nullptr, nullptr, "-products", &products));
  PetscBool sparse = PETSC_FALSE;
  PetscCall(PetscOptionsHasName(nullptr, nullptr, "-sparse_products", &sparse));
  if (sparse == PETSC_TRUE) {
    PetscCall(try_sparse_products());
  } else if (products == PETSC_TRUE) {
    PetscCall(try_products());
  } else {
    PetscCall(try_solves());
  }
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
