/* Solves a system of a kind that PETSc's examples lack, by whatever KSP the options name. -system is one of
     helmholtz   the five-point Laplacian less -shift: symmetric, indefinite
     damped      the same less -shift (1 + i/4), with complex scalars: symmetric, not Hermitian
     hermitian   D* (Laplacian - shift) D with directions D, with complex scalars: Hermitian, indefinite if the shift is not 0
     saddle      the Laplacian with the sum of each grid line as a constraint: symmetric, with zeros on the diagonal
     general     Laplacian with a wind: not symmetric
   -steps K solves K times, each with other values in the same pattern; -transposed solves with the transpose, -columns C with
   C right-hand sides at once. Prints the norm of each solution; KSP's options check and view it. */

#include <petscksp.h>
#include <string.h>

#if !defined(PETSC_SUCCESS) && PETSC_VERSION_LT(3, 19, 0)
  #define PETSC_SUCCESS 0
#endif

static char help[] = "Solves an indefinite, complex or general system.\n\n";

typedef struct {
  char      kind[32];
  PetscInt  width, points; /* A grid of width × width. */
  PetscReal shift;
} System;

static PetscBool Is(const System *s, const char *kind) { return strcmp(s->kind, kind) ? PETSC_FALSE : PETSC_TRUE; }

/* The entry of a row and the row of a neighbour. */
static PetscScalar OffDiagonal(const System *s, PetscInt row, PetscInt column)
{
  if (Is(s, "general")) return column > row ? -1.5 : -0.5;
#if defined(PETSC_USE_COMPLEX)
  if (Is(s, "hermitian")) return -PetscExpComplex(PETSC_i * (PetscReal)(0.7 * (column * column % 17 - row * row % 17)));
#endif
  return -1;
}

static PetscScalar Diagonal(const System *s)
{
#if defined(PETSC_USE_COMPLEX)
  if (Is(s, "damped")) return 4 - s->shift * (1 + PETSC_i / 4);
  if (Is(s, "general")) return 4 + PETSC_i;
#endif
  return Is(s, "general") || Is(s, "saddle") ? 4 : 4 - s->shift;
}

static PetscErrorCode SetGridRow(const System *s, Mat a, PetscInt row)
{
  const PetscInt w = s->width, x = row % w;
  const PetscInt columns[] = {row - w, x > 0 ? row - 1 : -1, x + 1 < w ? row + 1 : -1, row + w < s->points ? row + w : -1};

  PetscFunctionBeginUser;
  PetscCall(MatSetValue(a, row, row, Diagonal(s), INSERT_VALUES));
  for (int k = 0; k < 4; ++k) {
    if (columns[k] >= 0) PetscCall(MatSetValue(a, row, columns[k], OffDiagonal(s, row, columns[k]), INSERT_VALUES));
  }
  if (Is(s, "saddle")) PetscCall(MatSetValue(a, row, s->points + row / w, 1, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetValues(const System *s, Mat a)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(a, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    if (row < s->points) {
      PetscCall(SetGridRow(s, a, row));
      continue;
    }
    for (PetscInt x = 0; x < s->width; ++x) PetscCall(MatSetValue(a, row, (row - s->points) * s->width + x, 1, INSERT_VALUES));
    PetscCall(MatSetValue(a, row, row, 0, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Declare(const System *s, Mat a)
{
  PetscFunctionBeginUser;
  if (Is(s, "general")) PetscFunctionReturn(PETSC_SUCCESS);
  if (Is(s, "hermitian")) PetscCall(MatSetOption(a, MAT_HERMITIAN, PETSC_TRUE));
  else PetscCall(MatSetOption(a, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeMatrix(const System *s, Mat *a)
{
  const PetscInt rows = s->points + (Is(s, "saddle") ? s->width : 0);
  PetscBool      upper_only;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, a));
  PetscCall(MatSetSizes(*a, PETSC_DECIDE, PETSC_DECIDE, rows, rows));
  PetscCall(MatSetFromOptions(*a));
  PetscCall(MatSetUp(*a));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)*a, &upper_only, MATSEQSBAIJ, MATMPISBAIJ, ""));
  if (upper_only) PetscCall(MatSetOption(*a, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
  if (Is(s, "saddle")) PetscCall(MatSetOption(*a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(SetValues(s, *a));
  PetscCall(Declare(s, *a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeRightHandSide(Mat a, Vec *x, Vec *b)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(a, x, b));
  PetscCall(VecGetOwnershipRange(*b, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) PetscCall(VecSetValue(*b, row, 1 + row % 7, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(*b));
  PetscCall(VecAssemblyEnd(*b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Column k of the right-hand sides is b / (k + 1). */
static PetscErrorCode SolveColumns(KSP ksp, Mat a, Vec b, Vec x, PetscInt count)
{
  Mat      right, answer;
  Vec      column;
  PetscInt local, rows;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(a, &local, NULL));
  PetscCall(MatGetSize(a, &rows, NULL));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, local, PETSC_DECIDE, rows, count, NULL, &right));
  PetscCall(MatAssemblyBegin(right, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(right, MAT_FINAL_ASSEMBLY));
  PetscCall(MatDuplicate(right, MAT_DO_NOT_COPY_VALUES, &answer));
  for (PetscInt k = 0; k < count; ++k) {
    PetscCall(MatDenseGetColumnVecWrite(right, k, &column));
    PetscCall(VecCopy(b, column));
    PetscCall(VecScale(column, 1.0 / (k + 1)));
    PetscCall(MatDenseRestoreColumnVecWrite(right, k, &column));
  }
  PetscCall(KSPMatSolve(ksp, right, answer));
  for (PetscInt k = 0; k < count; ++k) {
    PetscReal norm;
    PetscCall(MatDenseGetColumnVecRead(answer, k, &column));
    PetscCall(VecCopy(column, x));
    PetscCall(MatDenseRestoreColumnVecRead(answer, k, &column));
    PetscCall(VecNorm(x, NORM_2, &norm));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "column %" PetscInt_FMT ": norm %.12g\n", k, (double)norm));
  }
  PetscCall(MatDestroy(&right));
  PetscCall(MatDestroy(&answer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(KSP ksp, Mat a, Vec b, Vec x)
{
  PetscInt  columns = 0;
  PetscBool transposed = PETSC_FALSE;
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-columns", &columns, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-transposed", &transposed, NULL));
  if (columns > 0) {
    PetscCall(SolveColumns(ksp, a, b, x, columns));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(transposed ? KSPSolveTranspose(ksp, b, x) : KSPSolve(ksp, b, x));
  PetscCall(VecNorm(x, NORM_2, &norm));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "norm %.12g\n", (double)norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  System   s = {"helmholtz", 20, 0, 1.3};
  PetscInt steps = 1;
  Mat      a;
  Vec      x, b;
  KSP      ksp;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-system", s.kind, sizeof(s.kind), NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-width", &s.width, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-shift", &s.shift, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-steps", &steps, NULL));
  s.points = s.width * s.width;
  PetscCall(MakeMatrix(&s, &a));
  PetscCall(MakeRightHandSide(a, &x, &b));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetFromOptions(ksp));
  for (PetscInt step = 0; step < steps; ++step) {
    PetscCall(KSPSetOperators(ksp, a, a));
    PetscCall(Solve(ksp, a, b, x));
    s.shift += 0.37;
    if (step + 1 < steps) PetscCall(SetValues(&s, a));
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&a));
  PetscCall(PetscFinalize());
  return 0;
}
