// A semidefinite matrix A has no Cholesky factor. This example factorizes A + s·I for the smallest s that works, and uses
// the factor as preconditioner of conjugate gradients for A.
#include <cmath>
#include <cstdio>
#include <gpusupernodal/gpusupernodal.hpp>
#include <numeric>
#include <vector>

#include "grid.hpp"

using Vector = std::vector<double>;

namespace {

double dot(const Vector& x, const Vector& y) { return std::inner_product(x.begin(), x.end(), y.begin(), 0.0); }

/// y += factor · x.
void add(Vector& y, double factor, const Vector& x) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += factor * x[i];
}

/// Factorizes A + s·I for s = 0, then for s growing tenfold, until it succeeds; returns s. A pivot as small as rounding
/// errors counts as failure.
double factorize_with_least_shift(gpusupernodal::Solver<double>& solver, const example::Grid& a) {
  const double least = example::rounding_bound(a.n());
  solver.analyze(a.view());
  for (double shift = 0.0;; shift = shift > 0.0 ? 10 * shift : 8 * least) {
    solver.set_shift(shift);
    solver.refactorize(a.values);
    const gpusupernodal::FactorReport report = solver.factor_report();
    std::printf("shift %.1e: %s, smallest pivot %.1e\n", shift, name_of(report.status), report.smallest_pivot);
    const bool sound = report.smallest_pivot > least * report.largest_pivot;
    if (report.status == gpusupernodal::Status::success && sound) return shift;
  }
}

/// Runs conjugate gradients for A x = b from x = 0; returns the number of iterations.
int conjugate_gradients(const example::Grid& a, gpusupernodal::Solver<double>& preconditioner, const Vector& b, Vector& x) {
  Vector r = b;
  Vector z(b.size());
  Vector p(b.size(), 0.0);
  double old_rho = 1.0;
  for (int iteration = 0; iteration < 50; ++iteration) {
    if (example::backward_error(a, x.data(), b.data()) <= example::rounding_bound(a.n())) return iteration;
    preconditioner.solve({r.data(), a.n()}, {z.data(), a.n()});
    const double rho = dot(r, z);
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = z[i] + rho / old_rho * p[i];
    const Vector ap = example::multiply(a, p.data());
    const double alpha = rho / dot(p, ap);
    add(x, alpha, p);
    add(r, -alpha, ap);
    old_rho = rho;
  }
  return 50;
}

}  // namespace

int main() {
  // A pure Neumann problem: every row sums to zero, so constant vectors are in the null space.
  example::Grid a(30);
  const Vector ones(static_cast<std::size_t>(a.n()), 1.0);
  const Vector row_sums = example::multiply(a, ones.data());
  for (std::int64_t j = 0; j < a.n(); ++j) a.diagonal(j) -= row_sums[static_cast<std::size_t>(j)];

  // A source at one corner and a sink at the other: the entries of b sum to zero, so the system is solvable.
  Vector b(ones.size(), 0.0);
  b.front() = 1.0;
  b.back() = -1.0;
  Vector x(b.size(), 0.0);

  gpusupernodal::Solver<double> solver;
  const double shift = factorize_with_least_shift(solver, a);
  const int iterations = conjugate_gradients(a, solver, b, x);
  const double error = example::backward_error(a, x.data(), b.data());
  std::printf("shift %.1e, %d iterations, backward error %.2e\n", shift, iterations, error);
  return error <= example::rounding_bound(a.n()) && shift > 0.0 ? 0 : 1;
}
