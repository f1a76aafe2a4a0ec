// One pattern, many matrices: analyze once, then factorize new values, as implicit time steps and Newton loops do.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <gpusupernodal/gpusupernodal.hpp>
#include <limits>
#include <vector>

namespace {

/// Five-point Laplacian of an m × m grid plus `reaction` on the diagonal: lower half, by columns.
struct Grid {
  explicit Grid(int m) {
    for (int i = 0; i < m * m; ++i) {
      rows.push_back(i);
      if ((i + 1) % m != 0) rows.push_back(i + 1);
      if (i + m < m * m) rows.push_back(i + m);
      offsets.push_back(static_cast<std::int64_t>(rows.size()));
    }
    values.resize(rows.size());
  }
  void set_values(double reaction) {
    for (std::size_t j = 0; j + 1 < offsets.size(); ++j) {
      for (std::int64_t p = offsets[j]; p < offsets[j + 1]; ++p) {
        values[p] = rows[p] == static_cast<std::int32_t>(j) ? 4.0 + reaction : -1.0;
      }
    }
  }
  gpusupernodal::MatrixView<double> view() const {
    gpusupernodal::MatrixView<double> v;
    v.n = static_cast<std::int64_t>(offsets.size()) - 1;
    v.offsets = offsets.data();
    v.indices = rows.data();
    v.values = values.data();
    return v;
  }
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> rows;
  std::vector<double> values;
};

/// ‖b − Ax‖∞ / (‖A‖∞‖x‖∞ + ‖b‖∞), where ‖A‖∞ is at most 9.
double backward_error(const Grid& a, const std::vector<double>& x, const std::vector<double>& b) {
  std::vector<double> r = b;
  for (std::size_t j = 0; j + 1 < a.offsets.size(); ++j) {
    for (std::int64_t p = a.offsets[j]; p < a.offsets[j + 1]; ++p) {
      const auto i = static_cast<std::size_t>(a.rows[p]);
      r[i] -= a.values[p] * x[j];
      if (i != j) r[j] -= a.values[p] * x[i];
    }
  }
  double largest_r = 0.0;
  double largest_b = 0.0;
  double largest_x = 0.0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    largest_r = std::fmax(largest_r, std::fabs(r[i]));
    largest_b = std::fmax(largest_b, std::fabs(b[i]));
    largest_x = std::fmax(largest_x, std::fabs(x[i]));
  }
  return largest_r / (9.0 * largest_x + largest_b);
}

}  // namespace

int main() {
  Grid a(50);
  const auto n = static_cast<std::int64_t>(a.offsets.size()) - 1;
  const std::vector<double> b(static_cast<std::size_t>(n), 1.0);
  std::vector<double> x(b.size());

  // Rounding allows a small multiple of n·eps.
  const double bound = 4.0 * static_cast<double>(n) * std::numeric_limits<double>::epsilon();

  gpusupernodal::Solver<double> solver;
  a.set_values(1.0);
  solver.compute(a.view());
  for (double reaction : {1.0, 0.1, 0.01, 0.0}) {
    a.set_values(reaction);
    // Only the values travel; nothing is allocated.
    solver.refactorize(a.values);
    if (solver.status() != gpusupernodal::Status::success) return 1;
    solver.solve({b.data(), n}, {x.data(), n});
    const double error = backward_error(a, x, b);
    std::printf("reaction %4.2f: backward error %.2e\n", reaction, error);
    if (!(error <= bound)) return 1;
  }
  return 0;
}
