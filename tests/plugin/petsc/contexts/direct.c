/* Uses a factored matrix without KSP in each way that PETSc offers: -operation selects the way, -mat_solver_type the factor,
   -diagonal the matrix: below 4 it is indefinite. With -hermitian and complex scalars it is Hermitian.
   Prints "right" if the answer is; otherwise the program ends with an error. With -keep it leaks its factor, as programs do. */

#include <petscmat.h>
#include <string.h>

#if !defined(PETSC_SUCCESS) && PETSC_VERSION_LT(3, 19, 0)
  #define PETSC_SUCCESS 0
#endif

static char help[] = "Uses a factored matrix directly.\n\n";

enum {
  column_count = 3,
  extra_rows   = 5
};

typedef struct {
  Mat           a, f;
  PetscInt      width;
  PetscReal     diagonal;
  PetscBool     hermitian;
  MatFactorInfo info;
} Problem;

typedef PetscErrorCode (*Operation)(Problem *, const char *way);

/* -1; with -hermitian times d(row)* d(column) for numbers d of modulus 1, which leaves the eigenvalues as they are. */
static PetscScalar OffDiagonal(const Problem *p, PetscInt row, PetscInt column)
{
#if defined(PETSC_USE_COMPLEX)
  if (p->hermitian) return -PetscExpComplex(PETSC_i * (PetscReal)(0.7 * (column * column % 17 - row * row % 17)));
#endif
  (void)p;
  (void)row;
  (void)column;
  return -1;
}

/* The five-point Laplacian on a grid of width × width, with -diagonal on the diagonal. */
static PetscErrorCode SetValues(Problem *p)
{
  const PetscInt width = p->width;
  const Mat      a     = p->a;
  PetscInt       first, last;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(a, &first, &last));
  for (PetscInt row = first; row < last; ++row) {
    const PetscInt    left = row % width > 0 ? row - 1 : -1, right = row % width < width - 1 ? row + 1 : -1;
    const PetscInt    neighbours[] = {row - width, left, row, right, row + width < width * width ? row + width : -1};
    PetscScalar       values[5];
    for (int k = 0; k < 5; ++k) values[k] = neighbours[k] == row ? p->diagonal : OffDiagonal(p, row, neighbours[k]);
    PetscCall(MatSetValues(a, 1, &row, 5, neighbours, values, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeMatrix(Problem *p)
{
  Mat           *a     = &p->a;
  const PetscInt width = p->width;
  PetscBool      upper_only;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, a));
  PetscCall(MatSetSizes(*a, PETSC_DECIDE, PETSC_DECIDE, width * width, width * width));
  PetscCall(MatSetFromOptions(*a));
  PetscCall(MatSetUp(*a));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)*a, &upper_only, MATSEQSBAIJ, MATMPISBAIJ, ""));
  if (upper_only) PetscCall(MatSetOption(*a, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
  PetscCall(SetValues(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Symbolic(Problem *p)
{
  char            given[64];
  MatOrderingType ordering;
  IS              rows = NULL, columns = NULL;
  PetscBool       is_given;

  PetscFunctionBeginUser;
  PetscCall(MatSetOption(p->a, p->hermitian ? MAT_HERMITIAN : MAT_SYMMETRIC, PETSC_TRUE)); /* MatShift forgets it. */
  PetscCall(MatFactorGetPreferredOrdering(p->f, MAT_FACTOR_CHOLESKY, &ordering));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-ordering", given, sizeof(given), &is_given));
  PetscCall(MatGetOrdering(p->a, is_given ? given : ordering, &rows, &columns));
  PetscCall(MatCholeskyFactorSymbolic(p->f, p->a, rows, &p->info));
  PetscCall(ISDestroy(&rows));
  PetscCall(ISDestroy(&columns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ‖b − A x‖ ≤ 8 n ε (‖A‖ ‖x‖ + ‖b‖) in the maximum norm. */
static PetscErrorCode CheckVector(Mat a, Vec x, Vec b)
{
  Vec       r;
  PetscReal of_r, of_a, of_x, of_b;
  PetscInt  n;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatMult(a, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_INFINITY, &of_r));
  PetscCall(MatNorm(a, NORM_INFINITY, &of_a));
  PetscCall(VecNorm(x, NORM_INFINITY, &of_x));
  PetscCall(VecNorm(b, NORM_INFINITY, &of_b));
  PetscCall(VecGetSize(b, &n));
  PetscCall(VecDestroy(&r));
  PetscCheck(of_r <= 8 * n * PETSC_MACHINE_EPSILON * (of_a * of_x + of_b), PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "Wrong answer: residual %g", (double)of_r);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckColumns(Mat a, Mat x, Mat b)
{
  Vec      x_column, b_column;
  PetscInt columns;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(a, &x_column, &b_column));
  PetscCall(MatGetSize(b, NULL, &columns));
  for (PetscInt column = 0; column < columns; ++column) {
    PetscCall(MatGetColumnVector(x, x_column, column));
    PetscCall(MatGetColumnVector(b, b_column, column));
    PetscCall(CheckVector(a, x_column, b_column));
  }
  PetscCall(VecDestroy(&x_column));
  PetscCall(VecDestroy(&b_column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeVectors(Mat a, Vec *x, Vec *b)
{
  PetscInt first, last;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(a, x, b));
  PetscCall(VecGetOwnershipRange(*b, &first, &last));
  for (PetscInt row = first; row < last; ++row) PetscCall(VecSetValue(*b, row, 1 + row % 7, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(*b));
  PetscCall(VecAssemblyEnd(*b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes a dense matrix of small integers; if `longer`, its leading dimension exceeds its number of rows. */
static PetscErrorCode MakeDense(Mat a, PetscBool longer, Mat *dense)
{
  PetscInt     local, all, first, ld;
  PetscScalar *values;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(a, &local, NULL));
  PetscCall(MatGetSize(a, &all, NULL));
  PetscCall(MatGetOwnershipRange(a, &first, NULL));
  PetscCall(MatCreate(PETSC_COMM_WORLD, dense));
  PetscCall(MatSetSizes(*dense, local, PETSC_DECIDE, all, column_count));
  PetscCall(MatSetType(*dense, MATDENSE));
  if (longer) PetscCall(MatDenseSetLDA(*dense, local + extra_rows));
  PetscCall(MatSetUp(*dense));
  PetscCall(MatDenseGetLDA(*dense, &ld));
  PetscCall(MatDenseGetArrayWrite(*dense, &values));
  for (PetscInt column = 0; column < column_count; ++column) {
    for (PetscInt row = 0; row < local; ++row) values[column * ld + row] = 1 + (first + row + column) % 5;
  }
  PetscCall(MatDenseRestoreArrayWrite(*dense, &values));
  PetscCall(MatAssemblyBegin(*dense, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*dense, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveVector(Problem *p, const char *way)
{
  Vec x, b, y;

  PetscFunctionBeginUser;
  PetscCall(MakeVectors(p->a, &x, &b));
  PetscCall(VecDuplicate(b, &y));
  if (!strcmp(way, "transpose")) {
    PetscCall(MatSolveTranspose(p->f, b, x));
  } else if (!strcmp(way, "halves")) {
    PetscCall(MatForwardSolve(p->f, b, y));
    PetscCall(MatBackwardSolve(p->f, y, x));
  } else if (!strcmp(way, "add")) {
    PetscCall(VecSet(y, 3));
    PetscCall(MatSolveAdd(p->f, b, y, x));
    PetscCall(VecAXPY(x, -1, y));
  } else {
    PetscCall(MatSolve(p->f, b, x));
  }
  PetscCall(CheckVector(p->a, x, b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveMatrix(Problem *p, const char *way)
{
  Mat b, x, right;

  PetscFunctionBeginUser;
  PetscCall(MakeDense(p->a, !strcmp(way, "longer") ? PETSC_TRUE : PETSC_FALSE, &b));
  PetscCall(MatDuplicate(b, MAT_COPY_VALUES, &x));
  if (!strcmp(way, "sparse")) {
    PetscCall(MatConvert(b, MATAIJ, MAT_INITIAL_MATRIX, &right));
  } else {
    right = !strcmp(way, "in_place") ? x : b;
    PetscCall(PetscObjectReference((PetscObject)right));
  }
  if (!strcmp(way, "dense_transposed")) {
    PetscCall(MatMatSolveTranspose(p->f, right, x));
  } else {
    PetscCall(MatMatSolve(p->f, right, x));
  }
  PetscCall(CheckColumns(p->a, x, b));
  PetscCall(MatDestroy(&right));
  PetscCall(MatDestroy(&b));
  PetscCall(MatDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The eigenvalues are d - 2 cos(i pi / (w + 1)) - 2 cos(j pi / (w + 1)) for i, j = 1 … w. */
static PetscInt NegativeEigenvalues(const Problem *p)
{
  const PetscReal angle = PETSC_PI / (p->width + 1);
  PetscInt        count = 0;

  for (PetscInt i = 1; i <= p->width; ++i) {
    for (PetscInt j = 1; j <= p->width; ++j) count += p->diagonal < 2 * PetscCosReal(i * angle) + 2 * PetscCosReal(j * angle);
  }
  return count;
}

static PetscErrorCode Inertia(Problem *p, const char *way)
{
  PetscInt negative, zero, positive, n;

  PetscFunctionBeginUser;
  (void)way;
  PetscCall(MatGetInertia(p->f, &negative, &zero, &positive));
  PetscCall(MatGetSize(p->a, &n, NULL));
  PetscCheck(negative == NegativeEigenvalues(p) && zero == 0 && positive == n - negative, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "Wrong inertia: %" PetscInt_FMT " negative, %" PetscInt_FMT " zero, not %" PetscInt_FMT " and 0", negative, zero,
             NegativeEigenvalues(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Info(Problem *p, const char *way)
{
  MatInfo  of_f;
  PetscInt n;

  PetscFunctionBeginUser;
  (void)way;
  PetscCall(MatGetInfo(p->f, MAT_GLOBAL_SUM, &of_f));
  PetscCall(MatGetSize(p->a, &n, NULL));
  /* A triangle of a grid has almost 3 entries per row, and its factor more. */
  PetscCheck(of_f.nz_used > 2.5 * n, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "nz_used is %g", of_f.nz_used);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A zero matrix sets an error in the factor and has no other effect; once it is cleared, the next matrix is factorized. */
static PetscErrorCode Error(Problem *p, const char *way)
{
  MatFactorError error;

  PetscFunctionBeginUser;
  PetscCall(MatScale(p->a, 0));
  PetscCall(MatCholeskyFactorNumeric(p->f, p->a, &p->info));
  PetscCall(MatFactorGetError(p->f, &error));
  PetscCheck(error != MAT_FACTOR_NOERROR, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Zeros passed");
  PetscCall(MatShift(p->a, 1));
  PetscCall(MatFactorClearError(p->f));
  PetscCall(MatCholeskyFactorNumeric(p->f, p->a, &p->info));
  PetscCall(MatFactorGetError(p->f, &error));
  PetscCheck(error == MAT_FACTOR_NOERROR, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "The error stays");
  PetscCall(SolveVector(p, way));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Repeat(Problem *p, const char *way)
{
  PetscFunctionBeginUser;
  for (int round = 0; round < 2; ++round) {
    PetscCall(Symbolic(p));
    PetscCall(MatCholeskyFactorNumeric(p->f, p->a, &p->info));
    PetscCall(SolveVector(p, way));
    PetscCall(MatShift(p->a, 1));
    PetscCall(MatCholeskyFactorNumeric(p->f, p->a, &p->info));
    PetscCall(SolveVector(p, way));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct {
  const char *name;
  Operation   run;
} operations[] = {
  {"solve", SolveVector}, {"add", SolveVector},   {"transpose", SolveVector}, {"halves", SolveVector},
  {"dense", SolveMatrix}, {"longer", SolveMatrix}, {"in_place", SolveMatrix},  {"sparse", SolveMatrix},
  {"dense_transposed", SolveMatrix}, {"inertia", Inertia}, {"info", Info}, {"error", Error}, {"repeat", Repeat}
};

int main(int argc, char **argv)
{
  Problem   p = {.width = 12, .diagonal = 5};
  char      solver[64] = "", operation[64] = "solve";
  PetscBool found = PETSC_FALSE, keep = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_solver_type", solver, sizeof(solver), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-operation", operation, sizeof(operation), NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-width", &p.width, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-diagonal", &p.diagonal, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-hermitian", &p.hermitian, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-keep", &keep, NULL));
  PetscCall(MakeMatrix(&p));
  PetscCall(MatFactorInfoInitialize(&p.info));
  p.info.fill = 5;
  PetscCall(MatGetFactor(p.a, solver, MAT_FACTOR_CHOLESKY, &p.f));
  PetscCall(Symbolic(&p));
  PetscCall(MatCholeskyFactorNumeric(p.f, p.a, &p.info));
  for (size_t k = 0; k < sizeof(operations) / sizeof(operations[0]); ++k) {
    if (strcmp(operations[k].name, operation)) continue;
    PetscCall(operations[k].run(&p, operation));
    found = PETSC_TRUE;
  }
  PetscCheck(found, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "Unknown operation %s", operation);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: right\n", operation));
  if (!keep) PetscCall(MatDestroy(&p.f));
  PetscCall(MatDestroy(&p.a));
  PetscCall(PetscFinalize());
  return 0;
}
