// Analyzes a pattern once, then factorizes many matrices with it, as implicit time stepping and Newton's method do.
#include <cstdio>
#include <gpusupernodal/gpusupernodal.hpp>
#include <vector>

#include "grid.hpp"

int main() {
  example::Grid a(50);
  const std::vector<double> b(static_cast<std::size_t>(a.n()), 1.0);
  std::vector<double> x(b.size());

  // The analysis determines ordering, structure of L, tasks and memory for all matrices with this pattern.
  gpusupernodal::Solver<double> solver;
  solver.analyze(a.view());

  for (const double reaction : {1.0, 0.1, 0.01, 0.0}) {
    a.set_reaction(reaction);
    // Only the values are copied; nothing is allocated.
    solver.refactorize(a.values);
    if (solver.status() != gpusupernodal::Status::success) return 1;
    solver.solve({b.data(), a.n()}, {x.data(), a.n()});

    const double error = example::backward_error(a, x.data(), b.data());
    std::printf("reaction %4.2f: backward error %.2e\n", reaction, error);
    if (!(error <= example::rounding_bound(a.n()))) return 1;
  }
  std::printf("%d factorizations with one analysis\n", static_cast<int>(solver.factor_report().factorizations));
  return 0;
}
