// Declarations that precede the pages' C++ blocks: a matrix, right-hand sides, a solver with a factor.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <gpusupernodal/gpusupernodal.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace frame {

// Five-point Laplacian of a 6 × 6 grid: lower half, by columns.
struct Sample {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> rows;
  std::vector<double> values;
  Sample() {
    constexpr int m = 6;
    for (int i = 0; i < m * m; ++i) {
      const auto entry = [this](int row, double value) {
        rows.push_back(row);
        values.push_back(value);
      };
      entry(i, 4.0);
      if ((i + 1) % m != 0) entry(i + 1, -1.0);
      if (i + m < m * m) entry(i + m, -1.0);
      offsets.push_back(static_cast<std::int64_t>(rows.size()));
    }
  }
  gpusupernodal::MatrixView<double> view() const {
    gpusupernodal::MatrixView<double> a;
    a.n = static_cast<std::int64_t>(offsets.size()) - 1;
    a.offsets = offsets.data();
    a.indices = rows.data();
    a.values = values.data();
    return a;
  }
};

}  // namespace frame

// The names that the pages use.
#define CORE_FRAME                                                                   \
  frame::Sample sample;                                                              \
  [[maybe_unused]] const gpusupernodal::MatrixView<double> a = sample.view();        \
  [[maybe_unused]] const std::int64_t n = a.n;                                       \
  [[maybe_unused]] const std::int64_t k = 3;                                         \
  [[maybe_unused]] const std::int64_t count = a.offsets[n];                          \
  [[maybe_unused]] std::vector<double> new_values = sample.values;                   \
  [[maybe_unused]] std::vector<double> b(static_cast<std::size_t>(n), 1.0);          \
  [[maybe_unused]] std::vector<double> x(static_cast<std::size_t>(n));               \
  [[maybe_unused]] std::vector<double> many_b(static_cast<std::size_t>(n * k), 1.0); \
  [[maybe_unused]] std::vector<double> many_x(static_cast<std::size_t>(n * k));      \
  [[maybe_unused]] const double* device_values = nullptr;                            \
  [[maybe_unused]] const double* device_b = nullptr;                                 \
  [[maybe_unused]] double* device_x = nullptr;                                       \
  [[maybe_unused]] void* stream = nullptr;                                           \
  [[maybe_unused]] gpusupernodal::Options options;                                   \
  [[maybe_unused]] gpusupernodal::Solver<double> solver;                             \
  solver.compute(a)
