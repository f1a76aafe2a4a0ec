#pragma once

/// \file
/// A batch on a device, and what its solutions are compared with.

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "solver/api/lu_verification.hpp"
#include "tests/kernels/cuda/device_array.hpp"
#include "tests/solver/api/batch_problems.hpp"

namespace gpusupernodal::test::batch {

inline Options device_options(Form form) {
  Options options = options_for(form, 1);
  options.backend = Backend::cuda;
  return options;
}

/// ‖b − A x‖∞ / (‖A‖∞‖x‖∞ + ‖b‖∞) of one column in double precision.
template <class T>
double backward_error(const Grid<T>& grid, const T* values, const T* x, const T* b, bool transposed = false) {
  const auto n = static_cast<std::size_t>(grid.n);
  std::vector<double> r(b, b + n), sums(n, 0.0);
  const auto add = [&](std::size_t row, std::size_t column, double value) {
    r[row] -= value * static_cast<double>(x[column]);
    sums[row] += std::abs(value);
  };
  for (std::size_t j = 0; j < n; ++j) {
    for (auto e = static_cast<std::size_t>(grid.offsets[j]); e < static_cast<std::size_t>(grid.offsets[j + 1]); ++e) {
      const auto i = static_cast<std::size_t>(grid.rows[e]);
      const auto value = static_cast<double>(values[e]);
      transposed&& grid.form == Form::lu ? add(j, i, value) : add(i, j, value);
      if (grid.form != Form::lu && i != j) add(j, i, value);
    }
  }
  double of_r = 0.0, of_a = 0.0, of_x = 0.0, of_b = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    if (std::isnan(r[k])) return r[k];
    of_r = std::max(of_r, std::abs(r[k]));
    of_a = std::max(of_a, sums[k]);
    of_x = std::max(of_x, std::abs(static_cast<double>(x[k])));
    of_b = std::max(of_b, std::abs(static_cast<double>(b[k])));
  }
  const double scale = of_a * of_x + of_b;
  return scale > 0.0 ? of_r / scale : of_r;
}

/// What an elimination with little growth reaches without refinement.
template <class T>
double unrefined_bound(std::int64_t n) {
  constexpr double c = 4.0;
  return c * std::sqrt(static_cast<double>(n)) * static_cast<double>(std::numeric_limits<T>::epsilon());
}

/// What a solution that the device trusted has here: the rounding of two evaluations of a residual is far below that bound.
template <class T>
double trusted_bound(std::int64_t n) {
  constexpr double c = 2.0;
  return c * trusted_backward_error<T>(n);
}

/// By how much two evaluations of a backward error in double differ: rows have 9 entries.
inline double residual_rounding() {
  constexpr double c = 32.0;
  return c * std::numeric_limits<double>::epsilon();
}

/// By how much entries of two solutions of order 1 differ that two orders of operations give.
inline double forward_bound(std::int64_t n) {
  constexpr double c = 40.0;
  return c * static_cast<double>(n) * std::numeric_limits<double>::epsilon();
}

/// A factorized batch on a device, with right-hand sides.
template <class T>
struct OnDeviceBatch {
  Grid<T> grid;
  Values<T> values;
  std::int64_t columns;
  std::vector<T> b;
  BatchSolver<T> batch;

  OnDeviceBatch(const Options& options, std::int64_t k, std::int64_t count, std::int64_t cols = 1)
      : grid(options.form, k),
        values(grid, count, 2),
        columns(cols),
        b(vectors<T>(grid.n * cols * count, 5)),
        batch(options) {
    batch.analyze(grid.view(), count);
  }
  std::int64_t size() const { return grid.n * columns; }
  const T* right(std::int64_t s) const { return b.data() + s * size(); }
  std::vector<T> solve(System part = System::a) {
    std::vector<T> x(b.size(), T(7));
    batch.solve({b.data(), grid.n, columns, grid.n, size(), values.count},
                {x.data(), grid.n, columns, grid.n, size(), values.count}, part);
    return x;
  }
  void expect_accurate(const std::vector<T>& x, double bound, bool transposed = false) {
    for (std::int64_t s = 0; s < values.count; ++s) {
      for (std::int64_t c = 0; c < columns; ++c) {
        const std::int64_t at = s * size() + c * grid.n;
        ASSERT_LE(backward_error(grid, values.of(s), x.data() + at, b.data() + at, transposed), bound)
            << "system " << s << ", column " << c;
      }
    }
  }
};

/// Values, b and x of a batch in device memory.
struct DeviceData {
  OnDeviceBatch<double>& on;
  DeviceArray<double> values, b, x;

  explicit DeviceData(OnDeviceBatch<double>& batch)
      : on(batch), values(on.values.all), b(on.b), x(std::vector<double>(on.b.size(), 7.0)) {}
  void refactorize() {
    BatchValues<double> view(values.get(), on.values.stride, on.values.count);
    view.space = MemorySpace::device;
    on.batch.refactorize(view);
  }
  void solve() {
    BatchView<const double> right(b.get(), on.grid.n, on.columns, on.grid.n, on.size(), on.values.count);
    BatchView<double> solution(x.get(), on.grid.n, on.columns, on.grid.n, on.size(), on.values.count);
    right.space = solution.space = MemorySpace::device;
    on.batch.solve(right, solution);
  }
};

}  // namespace gpusupernodal::test::batch
