static char help[] = "Solves A x = b for a matrix from a file, by whatever KSP and PC the options name.\n\
  -f FILE     matrix: Matrix Market (.mtx, .mtx.gz) or PETSc binary\n\
  -b FILE     right-hand side: Matrix Market array or plain numbers; ones if not given\n\
  -o FILE     writes x, a number a line with 17 digits, after a Matrix Market header\n\
  -repeat N   solves N times; before each but the first, 1/8 of the largest diagonal entry is added to the diagonal\n\n";

/* An ordinary PETSc program that neither includes nor links gpusupernodal. For example

     mpicc solve.c matrix_market.c -o solve $(pkg-config --cflags --libs PETSc)
     ./solve -f A.mtx -ksp_type preonly -pc_type cholesky -ksp_view \
       -dll_append /usr/local/lib/libgpusupernodal_petsc.so -pc_factor_mat_solver_type gpusupernodal
*/
#include <petscksp.h>
#include <string.h>

#include "matrix_market.h"

#if !defined(PETSC_SUCCESS) && PETSC_VERSION_LT(3, 19, 0)
  #define PETSC_SUCCESS 0
#endif

static PetscErrorCode LoadMatrix(const char *path, Mat *A)
{
  const size_t length     = strlen(path);
  PetscInt     block_size = 1;

  PetscFunctionBeginUser;
  if (strstr(path, ".mtx") && (!strcmp(path + length - 4, ".mtx") || !strcmp(path + length - 7, ".mtx.gz"))) {
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-mat_block_size", &block_size, NULL));
    PetscCall(ReadMatrixMarket(path, block_size, A));
  } else {
    PetscViewer viewer;
    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_SELF, path, FILE_MODE_READ, &viewer));
    PetscCall(MatCreate(PETSC_COMM_SELF, A));
    PetscCall(MatSetType(*A, MATSEQAIJ));
    PetscCall(MatSetFromOptions(*A));
    PetscCall(MatLoad(*A, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WriteVector(const char *path, Vec x)
{
  FILE              *file;
  PetscInt           n;
  const PetscScalar *values;

  PetscFunctionBeginUser;
  PetscCall(PetscFOpen(PETSC_COMM_SELF, path, "w", &file));
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &values));
  fprintf(file, "%%%%MatrixMarket matrix array real general\n%lld 1\n", (long long int)n);
  for (PetscInt k = 0; k < n; ++k) fprintf(file, "%.17g\n", (double)PetscRealPart(values[k]));
  PetscCall(VecRestoreArrayRead(x, &values));
  PetscCall(PetscFClose(PETSC_COMM_SELF, file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds 1/8 of the largest diagonal entry to the diagonal: new values, same pattern. */
static PetscErrorCode ChangeValues(Mat A)
{
  Vec       diagonal;
  PetscReal largest;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &diagonal, NULL));
  PetscCall(MatGetDiagonal(A, diagonal));
  PetscCall(VecNorm(diagonal, NORM_INFINITY, &largest));
  PetscCall(MatShift(A, largest / 8));
  PetscCall(VecDestroy(&diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Computes the backward error || b - A x || / (||A|| ||x|| + ||b||). */
static PetscErrorCode BackwardError(Mat A, Vec b, Vec x, PetscReal *error)
{
  Vec       residual;
  PetscReal r_norm, a_norm, x_norm, b_norm;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &residual));
  PetscCall(MatMult(A, x, residual));
  PetscCall(VecAYPX(residual, -1.0, b));
  PetscCall(VecNorm(residual, NORM_INFINITY, &r_norm));
  PetscCall(MatNorm(A, NORM_INFINITY, &a_norm));
  PetscCall(VecNorm(x, NORM_INFINITY, &x_norm));
  PetscCall(VecNorm(b, NORM_INFINITY, &b_norm));
  *error = r_norm > 0 ? r_norm / (a_norm * x_norm + b_norm) : r_norm;
  PetscCall(VecDestroy(&residual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves and prints the backward error. Sets `wrong` if rounding does not explain the error of a direct solve. */
static PetscErrorCode SolveAndReport(KSP ksp, Mat A, Vec b, Vec x, PetscInt step, PetscBool *wrong)
{
  KSPConvergedReason reason;
  const char        *reason_text;
  PetscInt           n, iterations;
  PetscReal          error;
  PetscBool          direct;

  PetscFunctionBeginUser;
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetConvergedReasonString(ksp, &reason_text));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "solve %" PetscInt_FMT ": %s, iterations %" PetscInt_FMT, step, reason_text, iterations));
  if (reason > 0) {
    PetscCall(BackwardError(A, b, x, &error));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, ", backward error %.3e", (double)error));
    PetscCall(VecGetSize(b, &n));
    PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPPREONLY, &direct));
    if (direct && !(error <= 4 * PetscMax(n, 10) * PETSC_MACHINE_EPSILON)) *wrong = PETSC_TRUE;
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat       A;
  Vec       x, b;
  KSP       ksp;
  PetscInt  n, repeat = 1;
  PetscBool given, wrong = PETSC_FALSE;
  char      path[PETSC_MAX_PATH_LEN];

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-f", path, sizeof(path), &given));
  PetscCheck(given, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "Name a matrix with -f FILE");
  PetscCall(LoadMatrix(path, &A));
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "matrix %s, n %" PetscInt_FMT "\n", path, n));

  PetscCall(PetscOptionsGetString(NULL, NULL, "-b", path, sizeof(path), &given));
  if (given) PetscCall(ReadVector(path, b));
  else PetscCall(VecSet(b, 1.0));

  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-repeat", &repeat, NULL));
  for (PetscInt step = 0; step < repeat; ++step) {
    if (step > 0) PetscCall(ChangeValues(A));
    PetscCall(SolveAndReport(ksp, A, b, x, step, &wrong));
  }

  PetscCall(PetscOptionsGetString(NULL, NULL, "-o", path, sizeof(path), &given));
  if (given) PetscCall(WriteVector(path, x));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return wrong ? 1 : 0;
}
