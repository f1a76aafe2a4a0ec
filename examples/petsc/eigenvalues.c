static char help[] = "Eigenvalues of the 5-point Laplacian on a grid, by whatever EPS and ST the options name.\n\
  -m M -n N   points of the grid in both directions, 40 each if not given\n\n";

/* An ordinary SLEPc program that neither includes nor links gpusupernodal. For example

     mpicc eigenvalues.c -o eigenvalues $(pkg-config --cflags --libs SLEPc PETSc)
     ./eigenvalues -eps_nev 4 -eps_target 1.3 -st_type sinvert -st_pc_type cholesky \
       -dll_append /usr/local/lib/libgpusupernodal_petsc.so -st_pc_factor_mat_solver_type gpusupernodal
*/
#include <slepceps.h>

#if !defined(PETSC_SUCCESS) && PETSC_VERSION_LT(3, 19, 0)
  #define PETSC_SUCCESS 0
#endif

static PetscErrorCode MakeLaplacian(PetscInt m, PetscInt n, Mat *A)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, m * n, m * n));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    const PetscInt x = row % m, y = row / m;
    if (y > 0) PetscCall(MatSetValue(*A, row, row - m, -1.0, INSERT_VALUES));
    if (x > 0) PetscCall(MatSetValue(*A, row, row - 1, -1.0, INSERT_VALUES));
    PetscCall(MatSetValue(*A, row, row, 4.0, INSERT_VALUES));
    if (x + 1 < m) PetscCall(MatSetValue(*A, row, row + 1, -1.0, INSERT_VALUES));
    if (y + 1 < n) PetscCall(MatSetValue(*A, row, row + m, -1.0, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintEigenvalues(EPS eps)
{
  PetscInt count;

  PetscFunctionBeginUser;
  PetscCall(EPSGetConverged(eps, &count));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " eigenvalues\n", count));
  for (PetscInt k = 0; k < count; ++k) {
    PetscScalar value;
    PetscReal   error;
    PetscCall(EPSGetEigenvalue(eps, k, &value, NULL));
    PetscCall(EPSComputeError(eps, k, EPS_ERROR_RELATIVE, &error));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "eigenvalue %.15g error %.2g\n", (double)PetscRealPart(value), (double)error));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt m = 40, n = 40;
  Mat      A;
  EPS      eps;

  PetscFunctionBeginUser;
  PetscCall(SlepcInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-m", &m, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(MakeLaplacian(m, n, &A));
  PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
  PetscCall(EPSSetOperators(eps, A, NULL));
  PetscCall(EPSSetProblemType(eps, EPS_HEP));
  PetscCall(EPSSetFromOptions(eps));
  PetscCall(EPSSolve(eps));
  PetscCall(PrintEigenvalues(eps));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(SlepcFinalize());
  return 0;
}
