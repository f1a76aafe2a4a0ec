// Solves a 3 × 3 system with known solution through the C++ interface, then catches an exception of the library.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <gpusupernodal/gpusupernodal.hpp>
#include <limits>
#include <vector>

namespace {

bool refuses_a_negative_order() {
  gpusupernodal::MatrixView<double> a;
  a.n = -1;
  gpusupernodal::Solver<double> solver;
  try {
    solver.analyze(a);
  } catch (const gpusupernodal::InvalidInput&) {
    return true;
  }
  return false;
}

}  // namespace

int main() {
  // Lower triangle by columns of [2 -1 0; -1 2 -1; 0 -1 2].
  const std::vector<std::int64_t> offsets{0, 2, 4, 5};
  const std::vector<std::int32_t> rows{0, 1, 1, 2, 2};
  const std::vector<double> values{2, -1, 2, -1, 2};
  gpusupernodal::MatrixView<double> a;
  a.n = 3;
  a.offsets = offsets.data();
  a.indices = rows.data();
  a.values = values.data();

  gpusupernodal::Solver<double> solver;
  solver.compute(a);
  std::vector<double> b{0, 0, 4};
  std::vector<double> x(3);
  solver.solve({b.data(), 3}, {x.data(), 3});

  const double error = std::abs(x[0] - 1) + std::abs(x[1] - 2) + std::abs(x[2] - 3);
  std::printf("gpusupernodal %s: x = %g %g %g\n", gpusupernodal::version(), x[0], x[1], x[2]);
  // Condition number 5.8, n = 3: 100 eps is ample.
  return error <= 100 * std::numeric_limits<double>::epsilon() && refuses_a_negative_order() ? 0 : 1;
}
