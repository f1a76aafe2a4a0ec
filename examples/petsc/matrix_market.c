#include "matrix_market.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined(PETSC_SUCCESS) && PETSC_VERSION_LT(3, 19, 0)
  #define PETSC_SUCCESS 0
#endif

typedef struct {
  PetscInt   n, count;
  PetscInt  *row, *column;
  PetscReal *value;
  PetscBool  symmetric, pattern;
} Entries;

static PetscErrorCode OpenFile(const char *path, FILE **file)
{
  const size_t length = strlen(path);

  PetscFunctionBeginUser;
  if (length > 3 && !strcmp(path + length - 3, ".gz")) {
    char command[PETSC_MAX_PATH_LEN + 16];
    snprintf(command, sizeof(command), "gzip -dc '%s'", path);
    *file = popen(command, "r");
  } else {
    *file = fopen(path, "r");
  }
  PetscCheck(*file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot open %s", path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void CloseFile(const char *path, FILE *file)
{
  const size_t length = strlen(path);

  if (length > 3 && !strcmp(path + length - 3, ".gz")) pclose(file);
  else fclose(file);
}

/* Reads the next line that is neither a comment nor empty. */
static PetscErrorCode NextLine(FILE *file, const char *path, char *line, int size)
{
  PetscFunctionBeginUser;
  do {
    PetscCheck(fgets(line, size, file), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s ends too early", path);
  } while (line[0] == '%' || line[strspn(line, " \t\r\n")] == '\0');
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadEntries(FILE *file, const char *path, Entries *e)
{
  char          line[1024], object[64], format[64], field[64], symmetry[64];
  long long int rows, columns, count;

  PetscFunctionBeginUser;
  PetscCheck(fgets(line, sizeof(line), file) && sscanf(line, "%%%%MatrixMarket %63s %63s %63s %63s", object, format, field, symmetry) == 4,
             PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s is not a Matrix Market file", path);
  PetscCheck(!strcmp(object, "matrix") && !strcmp(format, "coordinate") && strcmp(field, "complex"), PETSC_COMM_SELF,
             PETSC_ERR_SUP, "%s: only real coordinate matrices are read, not %s %s %s", path, object, format, field);
  e->symmetric = strcmp(symmetry, "general") ? PETSC_TRUE : PETSC_FALSE;
  e->pattern   = strcmp(field, "pattern") ? PETSC_FALSE : PETSC_TRUE;
  PetscCall(NextLine(file, path, line, sizeof(line)));
  PetscCheck(sscanf(line, "%lld %lld %lld", &rows, &columns, &count) == 3 && rows == columns, PETSC_COMM_SELF,
             PETSC_ERR_FILE_UNEXPECTED, "%s: not a square matrix: %s", path, line);
  e->n     = (PetscInt)rows;
  e->count = (PetscInt)count;
  PetscCall(PetscMalloc3(e->count, &e->row, e->count, &e->column, e->count, &e->value));
  for (PetscInt k = 0; k < e->count; ++k) {
    long long int row, column;
    double        value = 1.0;
    PetscCall(NextLine(file, path, line, sizeof(line)));
    const int got = sscanf(line, "%lld %lld %lf", &row, &column, &value);
    PetscCheck(got >= (e->pattern ? 2 : 3) && row >= 1 && row <= rows && column >= 1 && column <= rows, PETSC_COMM_SELF,
               PETSC_ERR_FILE_UNEXPECTED, "%s: bad entry: %s", path, line);
    e->row[k]    = (PetscInt)(row - 1);
    e->column[k] = (PetscInt)(column - 1);
    e->value[k]  = (PetscReal)value;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds an entry; skips the lower half if the format stores only the upper half. */
static PetscErrorCode AddEntry(Mat A, PetscBool upper, PetscInt row, PetscInt column, PetscReal value)
{
  PetscFunctionBeginUser;
  if (!upper || column >= row) PetscCall(MatSetValue(A, row, column, value, ADD_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BuildMatrix(const Entries *e, PetscInt block_size, Mat *A)
{
  PetscBool upper;
  PetscInt *nonzeros, *upper_nonzeros;
  const PetscInt block_rows = e->n / block_size;

  PetscFunctionBeginUser;
  PetscCheck(e->n % block_size == 0, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "%" PetscInt_FMT " rows are no multiple of -mat_block_size %" PetscInt_FMT, e->n, block_size);
  PetscCall(PetscCalloc2(block_rows, &nonzeros, block_rows, &upper_nonzeros));
  for (PetscInt k = 0; k < e->count; ++k) {
    nonzeros[e->row[k] / block_size]++;
    if (e->symmetric && e->row[k] != e->column[k]) nonzeros[e->column[k] / block_size]++;
  }
  for (PetscInt k = 0; k < block_rows; ++k) {
    nonzeros[k]       = PetscMin(nonzeros[k], block_rows);
    upper_nonzeros[k] = PetscMin(nonzeros[k], block_rows - k);
  }
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, e->n, e->n, e->n, e->n));
  PetscCall(MatSetBlockSize(*A, block_size));
  PetscCall(MatSetType(*A, MATSEQAIJ));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatXAIJSetPreallocation(*A, block_size, nonzeros, NULL, upper_nonzeros, NULL));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(PetscObjectTypeCompare((PetscObject)*A, MATSEQSBAIJ, &upper));
  for (PetscInt k = 0; k < e->count; ++k) {
    PetscCall(AddEntry(*A, upper, e->row[k], e->column[k], e->value[k]));
    if (e->symmetric && e->row[k] != e->column[k]) PetscCall(AddEntry(*A, upper, e->column[k], e->row[k], e->value[k]));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(PetscFree2(nonzeros, upper_nonzeros));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadMatrixMarket(const char *path, PetscInt block_size, Mat *A)
{
  FILE   *file;
  Entries entries;

  PetscFunctionBeginUser;
  PetscCall(OpenFile(path, &file));
  PetscCall(ReadEntries(file, path, &entries));
  CloseFile(path, file);
  PetscCall(BuildMatrix(&entries, block_size, A));
  PetscCall(PetscFree3(entries.row, entries.column, entries.value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadVector(const char *path, Vec b)
{
  FILE        *file;
  char         line[1024];
  long         start;
  PetscInt     n;
  PetscScalar *values;

  PetscFunctionBeginUser;
  file = fopen(path, "r");
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot open %s", path);
  PetscCheck(fgets(line, sizeof(line), file), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s is empty", path);
  start = 0;
  if (!strncmp(line, "%%MatrixMarket", 14)) {
    PetscCall(NextLine(file, path, line, sizeof(line))); /* rows and columns */
    start = ftell(file);
  }
  PetscCheck(!fseek(file, start, SEEK_SET), PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "Cannot rewind %s", path);
  PetscCall(VecGetLocalSize(b, &n));
  PetscCall(VecGetArrayWrite(b, &values));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(NextLine(file, path, line, sizeof(line)));
    values[k] = (PetscScalar)strtod(line, NULL);
  }
  PetscCall(VecRestoreArrayWrite(b, &values));
  fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}
