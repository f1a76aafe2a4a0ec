#pragma once

/// \file
/// Random sparse matrices, and their plans for the host.

#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "solver/api/checks.hpp"
#include "solver/plan/factor_plan.hpp"
#include "solver/plan/general_plan.hpp"

namespace gpusupernodal::test {

/// Random entries in a matrix with a dominant diagonal.
struct RandomMatrix {
  std::int64_t n = 0;
  bool symmetric = false;
  bool matched = false;  ///< Plans exchange rows by a matching.
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> rows;
  std::vector<double> values;

  RandomMatrix(std::int64_t order, double density, bool is_symmetric, std::uint64_t seed)
      : n(order), symmetric(is_symmetric) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> number(0.0, 1.0);
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = symmetric ? j : 0; i < n; ++i) {
        if (i != j && number(random) > density) continue;
        rows.push_back(i);
        values.push_back(i == j ? static_cast<double>(n) + number(random) : number(random) - 0.5);
      }
      offsets.push_back(static_cast<std::int64_t>(rows.size()));
    }
  }
  /// A general matrix whose largest entries are beside the diagonal, and whose rows and columns have different scales.
  static RandomMatrix exchanged(std::int64_t order, double density, std::uint64_t seed) {
    RandomMatrix a(0, 0.0, false, seed);
    a.n = order;
    a.matched = true;
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> number(0.0, 1.0);
    for (std::int64_t j = 0; j < order; ++j) {
      for (std::int64_t i = 0; i < order; ++i) {
        const bool is_large = i == (j + 1) % order;
        if (!is_large && number(random) > density) continue;
        const double value = is_large ? static_cast<double>(order) + number(random) : number(random) - 0.5;
        a.rows.push_back(i);
        a.values.push_back(std::ldexp(value, static_cast<int>(9 * (i % 5) - 7 * (j % 3))));
      }
      a.offsets.push_back(static_cast<std::int64_t>(a.rows.size()));
    }
    return a;
  }
  PatternView pattern() const {
    MatrixView<double> view;
    view.n = n;
    view.offsets = offsets.data();
    view.indices = rows.data();
    view.values = values.data();
    view.part = symmetric ? StoredPart::lower : StoredPart::full;
    return pattern_of(view);
  }
  std::shared_ptr<const FactorPlan> plan() const {
    PlanOptions options;
    options.symbolic.threads = 1;
    if (symmetric) return make_plan(pattern(), options);
    if (!matched) return make_general_plan(pattern(), nullptr, MatchingRule::none, options, {});
    std::vector<double> magnitudes;
    for (const double value : values) magnitudes.push_back(std::abs(value));
    return make_general_plan(pattern(), magnitudes.data(), MatchingRule::product, options, {});
  }
  /// A x, or with the transpose.
  std::vector<double> product(const std::vector<double>& x, bool transposed) const {
    std::vector<double> y(x.size());
    for (std::int64_t j = 0; j < n; ++j) {
      for (auto e = static_cast<std::size_t>(offsets[static_cast<std::size_t>(j)]);
           e < static_cast<std::size_t>(offsets[static_cast<std::size_t>(j) + 1]); ++e) {
        const auto row = static_cast<std::size_t>(transposed ? j : rows[e]);
        const auto column = static_cast<std::size_t>(transposed ? rows[e] : j);
        y[row] += values[e] * x[column];
        if (symmetric && row != column) y[column] += values[e] * x[row];
      }
    }
    return y;
  }
};

}  // namespace gpusupernodal::test
