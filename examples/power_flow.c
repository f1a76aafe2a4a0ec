// AC power flow of the IEEE 14-bus system by Newton's method, with one analysis for all steps.
//
// The pattern of the Jacobian is that of the network, so the first step analyzes and later ones only bring values.
// Data and published solution: IEEE 14-bus case (winter 1962), Power Systems Test Case Archive, R. D. Christie, University
// of Washington. In the archive's file, branches 2-4, 2-5, 3-4 and 4-5 have the charging 0.0340, 0.0346, 0.0128 and 0. That
// gives bus 4 a magnitude of 1.018, but 1.019 is published. This program uses the values of textbooks, which give 1.019.
// docs/power-flow.md explains the program. It ends with a code other than 0 if an answer is wrong.
#include <float.h>
#include <gpusupernodal.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { buses = 14, branches = 20, max_unknowns = 2 * buses, max_entries = 4 * (buses + 2 * branches), max_steps = 10 };

enum kind { slack, generator, load };  // Known: V and θ; V and P; P and Q.

static const struct {
  enum kind kind;
  double p_load, q_load, p_generated;  // MW and Mvar; the base is 100 MVA.
  double v, degrees;                   // The published solution: per unit and degrees.
} bus[buses] = {
    {slack, 0.0, 0.0, 232.4, 1.060, 0.00},     {generator, 21.7, 12.7, 40.0, 1.045, -4.98},
    {generator, 94.2, 19.0, 0, 1.010, -12.72}, {load, 47.8, -3.9, 0.0, 1.019, -10.33},
    {load, 7.6, 1.6, 0.0, 1.020, -8.78},       {generator, 11.2, 7.5, 0.0, 1.070, -14.22},
    {load, 0.0, 0.0, 0.0, 1.062, -13.37},      {generator, 0.0, 0.0, 0.0, 1.090, -13.36},
    {load, 29.5, 16.6, 0.0, 1.056, -14.94},    {load, 9.0, 5.8, 0.0, 1.051, -15.10},
    {load, 3.5, 1.8, 0.0, 1.057, -14.79},      {load, 6.1, 1.6, 0.0, 1.055, -15.07},
    {load, 13.5, 5.8, 0.0, 1.050, -15.16},     {load, 14.9, 5.0, 0.0, 1.036, -16.04},
};

static const struct {
  int from, to;                  // Buses, counted from 1.
  double resistance, reactance;  // Per unit.
  double charging;               // Total susceptance, per unit.
  double tap;                    // Turns ratio of a transformer at `from`; 1 for lines.
} branch[branches] = {
    {1, 2, 0.01938, 0.05917, 0.0528, 1.0}, {1, 5, 0.05403, 0.22304, 0.0492, 1.0}, {2, 3, 0.04699, 0.19797, 0.0438, 1.0},
    {2, 4, 0.05811, 0.17632, 0.0374, 1.0}, {2, 5, 0.05695, 0.17388, 0.0340, 1.0}, {3, 4, 0.06701, 0.17103, 0.0346, 1.0},
    {4, 5, 0.01335, 0.04211, 0.0128, 1.0}, {4, 7, 0.0, 0.20912, 0.0, 0.978},      {4, 9, 0.0, 0.55618, 0.0, 0.969},
    {5, 6, 0.0, 0.25202, 0.0, 0.932},      {6, 11, 0.09498, 0.19890, 0.0, 1.0},   {6, 12, 0.12291, 0.25581, 0.0, 1.0},
    {6, 13, 0.06615, 0.13027, 0.0, 1.0},   {7, 8, 0.0, 0.17615, 0.0, 1.0},        {7, 9, 0.0, 0.11001, 0.0, 1.0},
    {9, 10, 0.03181, 0.08450, 0.0, 1.0},   {9, 14, 0.12711, 0.27038, 0.0, 1.0},   {10, 11, 0.08205, 0.19207, 0.0, 1.0},
    {12, 13, 0.22092, 0.19988, 0.0, 1.0},  {13, 14, 0.17093, 0.34802, 0.0, 1.0},
};
enum { shunt_bus = 8 };            // Bus 9 has a capacitor,
static const double shunt = 0.19;  // its susceptance per unit.

struct power_flow {
  double g[buses][buses], b[buses][buses];  // The admittance matrix G + jB. For 14 buses a full array will do.
  double theta[buses], v[buses];            // Radians and per unit.
  int angle[buses], magnitude[buses];       // Numbers of unknowns and of the equations for P and Q; −1: V or θ is known.
  int unknowns;
  int32_t offsets[max_unknowns + 1], columns[max_entries];  // The Jacobian by rows.
  double values[max_entries], mismatch[max_unknowns];
  double largest_flow;  // The largest sum of the magnitudes of the flows at a bus: the scale of rounding errors.
};

static void add(struct power_flow* s, int i, int j, double g, double b) {
  s->g[i][j] += g;
  s->b[i][j] += b;
}

static void initialize(struct power_flow* s) {
  for (int k = 0; k < branches; ++k) {
    const int i = branch[k].from - 1, j = branch[k].to - 1;
    const double r = branch[k].resistance, x = branch[k].reactance, tap = branch[k].tap;
    const double g = r / (r * r + x * x), b = -x / (r * r + x * x), half = 0.5 * branch[k].charging;
    add(s, i, i, g / (tap * tap), (b + half) / (tap * tap));
    add(s, j, j, g, b + half);
    add(s, i, j, -g / tap, -b / tap);
    add(s, j, i, -g / tap, -b / tap);
  }
  add(s, shunt_bus, shunt_bus, 0.0, shunt);
  for (int i = 0; i < buses; ++i) s->angle[i] = bus[i].kind == slack ? -1 : s->unknowns++;
  for (int i = 0; i < buses; ++i) s->magnitude[i] = bus[i].kind == load ? s->unknowns++ : -1;
  for (int i = 0; i < buses; ++i) s->v[i] = bus[i].kind == load ? 1.0 : bus[i].v;
}

static int connected(const struct power_flow* s, int i, int j) { return i == j || s->b[i][j] != 0.0; }

// The part of P and Q of bus i that belongs to entry (i, j) of the admittance matrix.
static void flow(const struct power_flow* s, int i, int j, double* p, double* q) {
  const double vv = s->v[i] * s->v[j], t = s->theta[i] - s->theta[j];
  *p = vv * (s->g[i][j] * cos(t) + s->b[i][j] * sin(t));
  *q = vv * (s->g[i][j] * sin(t) - s->b[i][j] * cos(t));
}

// Appends an entry to the row in work, unless its unknown is known. Zeros are kept, so the pattern is always the same.
static void append(struct power_flow* s, int32_t* count, int unknown, double value) {
  if (unknown < 0) return;
  s->columns[*count] = unknown;
  s->values[(*count)++] = value;
}

// Mismatches of P and Q, and their Jacobian for angles and relative magnitudes.
static void evaluate(struct power_flow* s) {
  double p_sum[buses] = {0.0}, q_sum[buses] = {0.0}, p, q;
  s->largest_flow = 0.0;
  for (int i = 0; i < buses; ++i) {
    double sum = 0.0;
    for (int j = 0; j < buses; ++j) {
      flow(s, i, j, &p, &q);
      p_sum[i] += p;
      q_sum[i] += q;
      sum += hypot(p, q);
    }
    s->largest_flow = fmax(s->largest_flow, sum);
  }
  int32_t count = 0, row = 0;
  for (int reactive = 0; reactive < 2; ++reactive) {
    for (int i = 0; i < buses; ++i) {
      if ((reactive ? s->magnitude : s->angle)[i] < 0) continue;
      s->mismatch[row] =
          reactive ? -bus[i].q_load / 100.0 - q_sum[i] : (bus[i].p_generated - bus[i].p_load) / 100.0 - p_sum[i];
      for (int j = 0; j < buses; ++j) {
        if (!connected(s, i, j)) continue;
        const double own_p = i == j ? p_sum[i] : 0.0, own_q = i == j ? q_sum[i] : 0.0;
        flow(s, i, j, &p, &q);
        append(s, &count, s->angle[j], reactive ? own_p - p : q - own_q);
        append(s, &count, s->magnitude[j], reactive ? q + own_q : p + own_p);
      }
      s->offsets[++row] = count;
    }
  }
}

static double largest_mismatch(const struct power_flow* s) {
  double largest = 0.0;
  for (int i = 0; i < s->unknowns; ++i) {
    const double size = fabs(s->mismatch[i]);
    if (isnan(size) || size > largest) largest = size;
    if (isnan(size)) break;
  }
  return largest;
}

// Bound on the mismatch that rounding explains: c·n·eps with c = 4, relative to the flows.
static double mismatch_bound(const struct power_flow* s) { return 4.0 * buses * DBL_EPSILON * s->largest_flow; }

// One step: the first analyzes, later ones bring values. Returns the outcome; `step` is the solution.
static gpusupernodal_code newton_step(gpusupernodal_solver* solver, const struct power_flow* s, int first, double* step) {
  const gpusupernodal_matrix jacobian = {s->unknowns,         s->offsets,         s->columns,         s->values,
                                         GPUSUPERNODAL_INT32, GPUSUPERNODAL_FULL, GPUSUPERNODAL_ROWS, GPUSUPERNODAL_HOST};
  const gpusupernodal_dense b = {(void*)s->mismatch, 1, 0, GPUSUPERNODAL_HOST}, x = {step, 1, 0, GPUSUPERNODAL_HOST};
  gpusupernodal_code code = first
                                ? gpusupernodal_compute(solver, &jacobian)
                                : gpusupernodal_refactorize(solver, s->values, s->offsets[s->unknowns], GPUSUPERNODAL_HOST);
  if (code == GPUSUPERNODAL_OK) code = gpusupernodal_status(solver);  // Singular and unstable are outcomes: see the message.
  return code == GPUSUPERNODAL_OK ? gpusupernodal_solve(solver, &b, &x) : code;
}

// Newton's method from V = 1, θ = 0. Returns 0 if it converges quadratically to the bound.
static int solve(gpusupernodal_solver* solver, struct power_flow* s) {
  const double largest_ratio = 1.0;  // A mismatch over the square of the one before, both per unit.
  double before = 0.0, step[max_unknowns];
  for (int k = 0; k < max_steps; ++k) {
    evaluate(s);
    const double error = largest_mismatch(s);
    printf("step %d: largest mismatch %.2e", k, error);
    if (error <= mismatch_bound(s)) {
      printf(", below the bound %.2e\n", mismatch_bound(s));
      return 0;
    }
    if (k > 0) printf(", %.2f times the square of the one before", error / (before * before));
    printf("\n");
    if (k > 0 && !(error <= largest_ratio * before * before)) return 1;
    before = error;
    if (newton_step(solver, s, k == 0, step) != GPUSUPERNODAL_OK) {
      fprintf(stderr, "%s\n", gpusupernodal_message(solver));
      return 1;
    }
    for (int i = 0; i < buses; ++i) {
      if (s->angle[i] >= 0) s->theta[i] += step[s->angle[i]];
      if (s->magnitude[i] >= 0) s->v[i] *= 1.0 + step[s->magnitude[i]];
    }
  }
  return 1;
}

// The published magnitudes are rounded to three digits after the point. The angles have two, and the last may be off by
// one: buses 7 and 8 have equal angles, because no active power flows between them, and differ by 0.01 in print.
static int as_published(const struct power_flow* s) {
  int wrong = 0;
  for (int i = 0; i < buses; ++i) {
    const double degrees = s->theta[i] * 180.0 / acos(-1.0);
    printf("bus %2d: %.3f per unit, %6.2f degrees\n", i + 1, s->v[i], degrees);
    if (!(fabs(s->v[i] - bus[i].v) <= 0.0005 && fabs(degrees - bus[i].degrees) <= 0.01)) ++wrong;
  }
  return wrong == 0;
}

int main(void) {
  static struct power_flow system;
  initialize(&system);
  gpusupernodal_solver* solver;
  gpusupernodal_code code = gpusupernodal_create(GPUSUPERNODAL_DOUBLE, &solver);
  if (code == GPUSUPERNODAL_OK) code = gpusupernodal_set_option(solver, "form", "lu");
  int failed = code != GPUSUPERNODAL_OK || solve(solver, &system) != 0;

  // Zero and small numbers here mean that the pivots of the first step suited all of them.
  double replaced = -1.0, repivoted = -1.0, growth = -1.0;
  if (!failed) {
    failed = gpusupernodal_report_number(solver, "factor.perturbed_pivots", &replaced) != GPUSUPERNODAL_OK ||
             gpusupernodal_report_number(solver, "factor.repivoted", &repivoted) != GPUSUPERNODAL_OK ||
             gpusupernodal_report_number(solver, "factor.growth", &growth) != GPUSUPERNODAL_OK;
    printf("%.0f pivots replaced, %.0f repetitions with other pivots, growth %.1f\n", replaced, repivoted, growth);
  }
  gpusupernodal_destroy(solver);
  return !failed && replaced == 0.0 && repivoted == 0.0 && as_published(&system) ? 0 : 1;
}
