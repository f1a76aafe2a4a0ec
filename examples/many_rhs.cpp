// Many right-hand sides at once, in blocks that reuse their memory: columns of the inverse of A and its trace.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <gpusupernodal/gpusupernodal.hpp>
#include <limits>
#include <vector>

int main() {
  // A = tridiag(−1, 2, −1): its inverse is known, (A⁻¹)_ij = (i+1)(n−j) / (n+1) for i ≤ j.
  constexpr std::int64_t n = 200;
  constexpr std::int64_t block = 40;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> rows;
  std::vector<double> values;
  for (std::int32_t j = 0; j < n; ++j) {
    rows.push_back(j);
    values.push_back(2.0);
    if (j + 1 < n) {
      rows.push_back(j + 1);
      values.push_back(-1.0);
    }
    offsets.push_back(static_cast<std::int64_t>(rows.size()));
  }
  gpusupernodal::MatrixView<double> a;
  a.n = n;
  a.offsets = offsets.data();
  a.indices = rows.data();
  a.values = values.data();

  gpusupernodal::Solver<double> solver;
  solver.compute(a);
  if (solver.status() != gpusupernodal::Status::success) return 1;
  solver.reserve_right_hand_sides(block);

  double trace = 0.0;
  double error = 0.0;
  std::vector<double> columns(n * block);
  for (std::int64_t first = 0; first < n; first += block) {
    columns.assign(columns.size(), 0.0);
    for (std::int64_t c = 0; c < block; ++c) columns[first + c + c * n] = 1.0;
    // n × block, column-major; b and x may be the same memory.
    const gpusupernodal::DenseView<double> x(columns.data(), n, block, n);
    solver.solve(x, x);
    for (std::int64_t c = 0; c < block; ++c) {
      const std::int64_t j = first + c;
      trace += columns[j + c * n];
      for (std::int64_t i = 0; i < n; ++i) {
        const double lower = static_cast<double>(i < j ? i : j);
        const double upper = static_cast<double>(i < j ? j : i);
        error = std::fmax(error, std::fabs(columns[i + c * n] - (lower + 1) * (n - upper) / (n + 1)));
      }
    }
  }
  std::printf("trace of the inverse %.10g (exactly %.10g), largest error of an entry %.2e\n", trace, n * (n + 2) / 6.0,
              error);
  // 4·n·eps times the condition, about n²/2, times the largest entry, about n/4.
  constexpr double size = n;
  const double bound = 4.0 * size * std::numeric_limits<double>::epsilon() * (size * size / 2) * (size / 4);
  return error <= bound ? 0 : 1;
}
