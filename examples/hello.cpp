// A minimal program: solves A x = b for a matrix of order 5 given by its lower half.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <gpusupernodal/gpusupernodal.hpp>
#include <limits>
#include <vector>

int main() {
  // A = tridiag(−1, 2, −1) by columns: the diagonal entry, then the entry below it.
  const std::vector<std::int32_t> offsets{0, 2, 4, 6, 8, 9};
  const std::vector<std::int32_t> rows{0, 1, 1, 2, 2, 3, 3, 4, 4};
  const std::vector<double> values{2, -1, 2, -1, 2, -1, 2, -1, 2};
  const std::vector<double> b{0, 0, 0, 0, 6};
  std::vector<double> x(5);

  // The library reads these arrays through a view, without copying them.
  gpusupernodal::MatrixView<double> a;
  a.n = 5;
  a.offsets = offsets.data();
  a.indices = rows.data();
  a.values = values.data();
  a.part = gpusupernodal::StoredPart::lower;

  gpusupernodal::Solver<double> solver;
  solver.compute(a);
  if (solver.status() != gpusupernodal::Status::success) {
    std::fprintf(stderr, "not positive definite: column %d\n", static_cast<int>(solver.factor_report().failed_column));
    return 1;
  }
  solver.solve({b.data(), 5}, {x.data(), 5});

  // The residual ‖b − A x‖₁, row by row.
  double residual = 0.0;
  for (std::size_t i = 0; i < 5; ++i) {
    const double left = i > 0 ? x[i - 1] : 0.0;
    const double right = i < 4 ? x[i + 1] : 0.0;
    std::printf("x[%d] = %g\n", static_cast<int>(i), x[i]);
    residual += std::fabs(b[i] - (2 * x[i] - left - right));
  }
  // Rounding explains a residual of 4·n·eps times ‖A‖₁‖x‖₁ + ‖b‖₁ = 4·15 + 6.
  return residual <= 4 * 5 * std::numeric_limits<double>::epsilon() * 66 ? 0 : 1;
}
