#include "problem.h"

#include <math.h>
#include <string.h>

static double entry(int i, int j) {
  int rows = abs(i / side - j / side);
  int columns = abs(i % side - j % side);
  if (i == j) return 5.0;
  return rows + columns == 1 ? -1.0 : 0.0;
}

void make_problem(struct problem* p, int scalar, int index, int part, int compression) {
  memset(p, 0, sizeof *p);
  p->scalar = scalar;
  for (int outer = 0; outer < order; ++outer) {
    for (int inner = 0; inner < order; ++inner) {
      // In compression by columns, the outer index is the column.
      int below = compression == GPUSUPERNODAL_COLUMNS ? inner >= outer : inner <= outer;
      int above = compression == GPUSUPERNODAL_COLUMNS ? inner <= outer : inner >= outer;
      if (entry(inner, outer) == 0.0) continue;
      if ((part == GPUSUPERNODAL_LOWER && !below) || (part == GPUSUPERNODAL_UPPER && !above)) continue;
      p->indices32[p->entries] = inner;
      p->indices64[p->entries] = inner;
      p->values_d[p->entries] = entry(inner, outer);
      p->values_f[p->entries] = (float)entry(inner, outer);
      ++p->entries;
    }
    p->offsets32[outer + 1] = (int32_t)p->entries;
    p->offsets64[outer + 1] = p->entries;
  }
  p->a.n = order;
  p->a.index = index;
  p->a.part = part;
  p->a.compression = compression;
  p->a.offsets = index == GPUSUPERNODAL_INT32 ? (const void*)p->offsets32 : (const void*)p->offsets64;
  p->a.indices = index == GPUSUPERNODAL_INT32 ? (const void*)p->indices32 : (const void*)p->indices64;
  p->a.values = scalar == GPUSUPERNODAL_FLOAT ? (const void*)p->values_f : (const void*)p->values_d;
}

void multiply(const double* x, double* y) {
  for (int i = 0; i < order; ++i) {
    y[i] = 0.0;
    for (int j = 0; j < order; ++j) y[i] += entry(i, j) * x[j];
  }
}

double distance(const double* x, const double* y) {
  double largest = 0.0;
  for (int i = 0; i < order; ++i) largest = fmax(largest, fabs(x[i] - y[i]));
  return largest;
}

gpusupernodal_solver* made(int scalar) {
  gpusupernodal_solver* solver = NULL;
  CHECK(gpusupernodal_create(scalar, &solver) == GPUSUPERNODAL_OK);
  CHECK(solver != NULL && strcmp(gpusupernodal_message(solver), "") == 0);
  CHECK(gpusupernodal_set_option(solver, "backend", "host") == GPUSUPERNODAL_OK);
  return solver;
}

gpusupernodal_solver* computed(struct problem* p) {
  make_problem(p, GPUSUPERNODAL_DOUBLE, GPUSUPERNODAL_INT32, GPUSUPERNODAL_LOWER, GPUSUPERNODAL_COLUMNS);
  gpusupernodal_solver* solver = made(GPUSUPERNODAL_DOUBLE);
  CHECK(gpusupernodal_compute(solver, &p->a) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_status(solver) == GPUSUPERNODAL_OK);
  return solver;
}

void expect(gpusupernodal_solver* solver, gpusupernodal_code code, gpusupernodal_code wanted, const char* part) {
  if (code != wanted || strstr(gpusupernodal_message(solver), part) == NULL) {
    printf("code %d, not %d; the sentence is '%s'\n", (int)code, (int)wanted, gpusupernodal_message(solver));
    exit(1);
  }
}
