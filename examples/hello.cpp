// The smallest program: A x = b for a matrix of order 5 given by its lower half.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <gpusupernodal/gpusupernodal.hpp>
#include <limits>
#include <vector>

int main() {
  // A = tridiag(−1, 2, −1) by columns: the diagonal entry, then the one below it.
  const std::vector<std::int32_t> offsets{0, 2, 4, 6, 8, 9};
  const std::vector<std::int32_t> rows{0, 1, 1, 2, 2, 3, 3, 4, 4};
  const std::vector<double> values{2, -1, 2, -1, 2, -1, 2, -1, 2};
  const std::vector<double> b{0, 0, 0, 0, 6};
  std::vector<double> x(5);

  gpusupernodal::MatrixView<double> a;
  a.n = 5;
  a.offsets = offsets.data();
  a.indices = rows.data();
  a.values = values.data();
  a.part = gpusupernodal::StoredPart::lower;

  gpusupernodal::Solver<double> solver;
  solver.compute(a);
  if (solver.status() != gpusupernodal::Status::success) {
    std::fprintf(stderr, "not positive definite: column %lld\n",
                 static_cast<long long>(solver.factor_report().failed_column));
    return 1;
  }
  solver.solve({b.data(), 5}, {x.data(), 5});

  double error = 0.0;
  for (int i = 0; i < 5; ++i) {
    std::printf("x[%d] = %g\n", i, x[i]);
    error = std::fmax(error, std::fabs(x[i] - (i + 1)));
  }
  // n·eps times the condition, 14, times the largest entry.
  return error <= 5 * std::numeric_limits<double>::epsilon() * 14 * 5 ? 0 : 1;
}
