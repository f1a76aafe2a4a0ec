// Tests counts and leading dimensions for which no array size can be computed.

#include "problem.h"

/// Rejects each invalid count or leading dimension as invalid input and leaves the solver unchanged.
void counts(void) {
  struct problem p;
  gpusupernodal_solver* solver = computed(&p);
  const int64_t bad[] = {INT64_MIN, -1, INT64_C(1) << 31, INT64_C(1) << 60, INT64_MAX};
  const gpusupernodal_code invalid = GPUSUPERNODAL_INVALID_INPUT;
  int64_t places[order + 1] = {0};
  double x[2 * order] = {0.0};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    const int64_t count = bad[i], sizes[] = {1, count};
    gpusupernodal_matrix a = p.a;
    a.n = count;
    expect(solver, gpusupernodal_set_permutation(solver, places, count), invalid, "the permutation has ");
    expect(solver, gpusupernodal_set_last_rows(solver, places, sizes, count), invalid, "the list of groups has ");
    expect(solver, gpusupernodal_set_last_rows(solver, places, sizes, 2), invalid, "the size of group 1 is ");
    expect(solver, gpusupernodal_reserve_right_hand_sides(solver, count), invalid, "cannot be reserved");
    expect(solver, gpusupernodal_refactorize(solver, p.a.values, count, 0), invalid, "values");
    expect(solver, gpusupernodal_old_of_new(solver, places, count), invalid, "of order 36");
    expect(solver, gpusupernodal_analyze(solver, &a), invalid, "the order of the matrix");
    if (count < 0) expect(solver, gpusupernodal_extract_l(solver, places, places, x, count), invalid, "the arrays hold");
    if (count > 0 && count < INT64_C(1) << 60) continue;  // As numbers of columns and leading dimensions, these are valid.
    gpusupernodal_dense columns = {x, count, 0, GPUSUPERNODAL_HOST}, distance = {x, 2, count, GPUSUPERNODAL_HOST};
    expect(solver, gpusupernodal_solve(solver, &columns, &columns), invalid, "columns");
    expect(solver, gpusupernodal_solve(solver, &distance, &distance), invalid, "leading dimension");
  }
  gpusupernodal_dense good = {x, 2, 0, GPUSUPERNODAL_HOST};
  CHECK(gpusupernodal_solve(solver, &good, &good) == GPUSUPERNODAL_OK);
  gpusupernodal_destroy(solver);
}
