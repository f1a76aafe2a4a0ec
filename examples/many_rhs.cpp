// Solves for many right-hand sides at once: computes the trace of A⁻¹ from the columns of the identity, block by block.
#include <cstdio>
#include <gpusupernodal/gpusupernodal.hpp>
#include <vector>

#include "grid.hpp"

int main() {
  const example::Grid a(20);
  const std::int64_t n = a.n();
  constexpr std::int64_t block = 40;

  gpusupernodal::Solver<double> solver;
  solver.compute(a.view());
  if (solver.status() != gpusupernodal::Status::success) return 1;
  // Allocate the workspace for 40 columns now instead of in the first solve.
  solver.reserve_right_hand_sides(block);

  double trace = 0.0;
  double error = 0.0;
  for (std::int64_t first = 0; first < n; first += block) {
    // Columns first … first+39 of the identity, an n × 40 matrix by columns.
    std::vector<double> b(static_cast<std::size_t>(n * block), 0.0);
    for (std::int64_t c = 0; c < block; ++c) b[static_cast<std::size_t>(first + c + c * n)] = 1.0;
    std::vector<double> x = b;

    // Solve in place: b and x may be the same array.
    const gpusupernodal::DenseView<double> columns(x.data(), n, block, n);
    solver.solve(columns, columns);

    for (std::int64_t c = 0; c < block; ++c) {
      trace += x[static_cast<std::size_t>(first + c + c * n)];
      error = example::larger(error, example::backward_error(a, x.data() + c * n, b.data() + c * n));
    }
  }
  std::printf("n = %d, trace of the inverse %.6f, largest backward error of a column %.2e\n", static_cast<int>(n), trace,
              error);
  return error <= example::rounding_bound(n) ? 0 : 1;
}
