#pragma once

/// \file
/// Batches of matrices with one pattern, and comparisons of a batch with a Solver for each system.

#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gpusupernodal/batch.hpp"

namespace gpusupernodal::test::batch {

using gpusupernodal::Form;  // tests/solver/plan has another one.

template <class T>
T number(std::mt19937_64& random, double low, double high) {
  std::uniform_real_distribution<double> value(low, high);
  using Real = decltype(std::abs(T()));
  const auto real = static_cast<Real>(value(random));
  if constexpr (std::is_same_v<T, Real>) {
    return real;
  } else {
    return {real, static_cast<Real>(value(random)) - real};
  }
}

template <class T>
T number_not_finite() {
  return static_cast<T>(std::numeric_limits<decltype(std::abs(T()))>::quiet_NaN());
}

/// A k×k grid with 9 points: the lower half for Cholesky and LDLᵀ, all of it for LU. Columns are compressed.
template <class T>
struct Grid {
  Form form = Form::llt;
  std::int64_t n = 0;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> rows;
  std::vector<T> reference;  ///< The values of system 0.

  Grid(Form f, std::int64_t k) : form(f), n(k * k) {
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < n; ++i) {
        const bool near = std::abs(i % k - j % k) <= 1 && std::abs(i / k - j / k) <= 1;
        if (near && (i >= j || form == Form::lu)) rows.push_back(i);
      }
      offsets.push_back(static_cast<std::int64_t>(rows.size()));
    }
    reference = values(0);
  }

  std::int64_t entries() const { return offsets.back(); }

  /// Well-conditioned values for system s: positive definite, with both signs on the diagonal, or without symmetry.
  std::vector<T> values(std::uint64_t s) const {
    std::mt19937_64 random(s + 1);
    std::vector<T> result;
    for (std::int64_t j = 0; j < n; ++j) {
      for (auto e = static_cast<std::size_t>(offsets[static_cast<std::size_t>(j)]);
           e < static_cast<std::size_t>(offsets[static_cast<std::size_t>(j) + 1]); ++e) {
        std::uniform_real_distribution<double> diagonal(9.0, 12.0);
        if (rows[e] != j) {
          result.push_back(number<T>(random, -1.0, -0.1));
        } else {
          const double value = diagonal(random);
          result.push_back(static_cast<T>(static_cast<float>(form == Form::ldlt && j % 3 == 0 ? -value : value)));
        }
      }
    }
    return result;
  }

  /// The place of a diagonal entry.
  std::size_t diagonal(std::int64_t j) const {
    auto e = static_cast<std::size_t>(offsets[static_cast<std::size_t>(j)]);
    while (rows[e] != j) ++e;
    return e;
  }

  MatrixView<T> view() const {
    MatrixView<T> view;
    view.n = n;
    view.offsets = offsets.data();
    view.indices = rows.data();
    view.values = reference.data();
    view.part = form == Form::lu ? StoredPart::full : StoredPart::lower;
    return view;
  }
};

inline Options options_for(Form form, int threads) {
  Options options;
  options.form = form;
  options.threads = threads;
  options.backend = Backend::host;
  return options;
}

template <class T>
std::vector<T> vectors(std::int64_t entries, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> v;
  for (std::int64_t i = 0; i < entries; ++i) v.push_back(number<T>(random, -1.0, 1.0));
  return v;
}

/// Values of several systems, `stride` apart.
template <class T>
struct Values {
  std::int64_t stride = 0;
  std::int64_t count = 0;
  std::vector<T> all;

  Values(const Grid<T>& grid, std::int64_t systems, std::int64_t gap = 0) : stride(grid.entries() + gap), count(systems) {
    all.resize(static_cast<std::size_t>(stride * count), number_not_finite<T>());
    for (std::int64_t s = 0; s < count; ++s) {
      const std::vector<T> one = grid.values(static_cast<std::uint64_t>(s));
      std::copy(one.begin(), one.end(), of(s));
    }
  }
  T* of(std::int64_t s) { return all.data() + s * stride; }
  BatchValues<T> view() const { return {all.data(), stride, count}; }
};

/// Gives values pivots that are zero, tiny or ordinary.
template <class T>
void make_doubtful(const Grid<T>& grid, T* values, std::int64_t s) {
  std::mt19937_64 random(static_cast<std::uint64_t>(s));
  for (std::int64_t j = 0; j < grid.n; ++j) {
    if (random() % 3 == 0) values[grid.diagonal(j)] = T(0);
    if (random() % 5 == 0) values[grid.diagonal(j)] = static_cast<T>(std::pow(10.0, -static_cast<double>(random() % 17)));
  }
  if (s % 4 == 0) std::fill_n(values + grid.offsets[2], grid.offsets[3] - grid.offsets[2], T(0));
  if (s % 5 == 0) {  // Only a few entries are left, so that rows must be exchanged.
    for (std::int64_t e = 0; e < grid.entries(); ++e) {
      if (random() % 2 == 0) values[e] *= static_cast<T>(1e-12);
    }
  }
}

template <class T>
bool equal_bits(const T* a, const T* b, std::int64_t entries) {
  return entries == 0 || std::memcmp(a, b, static_cast<std::size_t>(entries) * sizeof(T)) == 0;
}

inline void expect_equal_reports(const FactorReport& a, const FactorReport& b, const std::string& what) {
  EXPECT_EQ(a.form, b.form) << what;
  EXPECT_EQ(a.status, b.status) << what;
  EXPECT_EQ(a.failed_column, b.failed_column) << what;
  EXPECT_EQ(a.failed_row, b.failed_row) << what;
  if (!std::isnan(b.failed_value)) {
    EXPECT_EQ(a.failed_value, b.failed_value) << what;
  }
  EXPECT_EQ(a.smallest_pivot, b.smallest_pivot) << what;
  EXPECT_EQ(a.largest_pivot, b.largest_pivot) << what;
  EXPECT_EQ(a.perturbed_pivots, b.perturbed_pivots) << what;
  EXPECT_EQ(a.repivoted, b.repivoted) << what;
  EXPECT_EQ(a.growth, b.growth) << what;
  EXPECT_EQ(a.inertia.positive, b.inertia.positive) << what;
  EXPECT_EQ(a.inertia.negative, b.inertia.negative) << what;
  EXPECT_EQ(a.inertia.zero, b.inertia.zero) << what;
  EXPECT_EQ(a.inertia_exact, b.inertia_exact) << what;
  EXPECT_EQ(a.null_pivots, b.null_pivots) << what;
  EXPECT_EQ(a.factorizations, b.factorizations) << what;
}

/// Solves with one system's values by a Solver on one thread, and expects that the batch has the same status, report and
/// bits of x (n × columns), or left `unwritten` there. `Batch`: BatchSolver<T> or VariableBatchSolver<T>.
template <class Batch, class T>
void expect_as_solver(const Batch& batch, const MatrixView<T>& pattern, std::int64_t s, const T* values, const T* b,
                      const T* x, std::int64_t columns, T unwritten, System part = System::a) {
  const std::string what = "system " + std::to_string(s);
  const auto at = static_cast<std::size_t>(s);
  Options options = batch.options();
  options.threads = 1;
  Solver<T> solver(options);
  solver.analyze(pattern);
  const std::int64_t entries = pattern.n > 0 ? pattern.offsets[pattern.n] : 0;
  solver.refactorize(Span<const T>(values, static_cast<std::size_t>(entries)));
  const std::int64_t n = pattern.n;
  std::vector<T> expected(static_cast<std::size_t>(n * columns), unwritten);
  if (solver.status() == Status::success) {
    try {
      solver.solve(DenseView<const T>(b, n, columns, n), DenseView<T>(expected.data(), n, columns, n), part);
      EXPECT_EQ(batch.solve_statuses()[at], BatchStatus::success) << what;
      EXPECT_EQ(batch.solve_report(s).backward_error, solver.solve_report().backward_error) << what;
      EXPECT_TRUE(equal_bits(x, expected.data(), n * columns)) << what;
    } catch (const NumericalFailure&) {
      EXPECT_EQ(batch.solve_statuses()[at], BatchStatus::unstable) << what;
      EXPECT_TRUE(std::isnan(std::abs(x[0]))) << what;
    }
  } else {
    EXPECT_EQ(batch.solve_statuses()[at], static_cast<BatchStatus>(solver.status())) << what;
    EXPECT_TRUE(equal_bits(x, expected.data(), n * columns)) << what << " was written";
  }
  EXPECT_EQ(batch.statuses()[at], static_cast<BatchStatus>(solver.status())) << what;
  expect_equal_reports(batch.report(s), solver.factor_report(), what);
}

}  // namespace gpusupernodal::test::batch
