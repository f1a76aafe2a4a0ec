#pragma once

/// \file
/// A matrix with its plan and values, and the plain dense algebra that results of executors are compared with.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "solver/backend/executor.hpp"
#include "tests/solver/plan/plans.hpp"
#include "tests/support/accuracy.hpp"

namespace gpusupernodal::test {

/// A dense column-major square matrix in elimination order.
struct Dense {
  std::size_t n = 0;
  std::vector<double> entries;

  explicit Dense(std::int64_t order) : n(static_cast<std::size_t>(order)), entries(n * n, 0.0) {}
  double& operator()(std::size_t i, std::size_t j) { return entries[j * n + i]; }
  double operator()(std::size_t i, std::size_t j) const { return entries[j * n + i]; }
};

/// A matrix, its values in T and its plan. The values in `a` are rounded to T too, so all errors are the executor's.
template <class T>
struct Problem {
  io::SymmetricMatrix a;
  std::vector<T> values;
  std::shared_ptr<const FactorPlan> plan;

  explicit Problem(io::SymmetricMatrix matrix, const PlanOptions& options = {}) : a(std::move(matrix)) {
    values.assign(a.values.begin(), a.values.end());
    a.values.assign(values.begin(), values.end());
    plan = plan_of(a, options);
  }

  FactorInput<T> input() const { return {values.data(), MemorySpace::host, T(1), T(0)}; }
  std::size_t order() const { return static_cast<std::size_t>(a.n); }

  /// Lower triangle of P A Pᵀ.
  Dense permuted() const {
    Dense dense(a.n);
    const AssemblyMap& map = plan->assembly;
    for (std::size_t e = 0; e < map.source.size(); ++e) {
      dense(static_cast<std::size_t>(map.row[e].value), static_cast<std::size_t>(map.column[e].value)) =
          static_cast<double>(values[static_cast<std::size_t>(map.source[e])]);
    }
    return dense;
  }

  /// Position in `values` of the diagonal entry that is eliminated k-th.
  std::size_t diagonal_entry(NewIndex k) const {
    const AssemblyMap& map = plan->assembly;
    for (std::size_t e = 0; e < map.source.size(); ++e) {
      if (map.row[e] == k && map.column[e] == k) return static_cast<std::size_t>(map.source[e]);
    }
    ADD_FAILURE() << "no diagonal entry " << k.value;
    return 0;
  }
};

/// Copies L from panels. Does not read the entries above the diagonal or the padding.
template <class T>
Dense dense_factor(const FactorPlan& plan, const std::vector<T>& panels) {
  const SymbolicFactor& factor = plan.symbolic;
  Dense l(factor.order());
  for (SupernodeId s : factor.supernode_ids()) {
    for (std::int32_t c = 0; c < factor.width(s); ++c) {
      const auto column = static_cast<std::size_t>((factor.first_column[s] + c).value);
      const auto entry = [&](std::int32_t row) {
        return static_cast<double>(panels[static_cast<std::size_t>(plan.panels.index(s, row, c))]);
      };
      for (std::int32_t i = c; i < factor.width(s); ++i) {
        l(column + static_cast<std::size_t>(i - c), column) = entry(i);
      }
      std::int32_t i = factor.width(s);
      for (NewIndex row : factor.rows_of(s)) {
        l(static_cast<std::size_t>(row.value), column) = entry(i++);
      }
    }
  }
  return l;
}

template <class T>
Dense dense_factor(const FactorPlan& plan, Executor<T>& executor) {
  std::vector<T> panels(static_cast<std::size_t>(plan.panels.values()));
  executor.factorization().copy_panels(panels);
  return dense_factor(plan, panels);
}

/// Expects |A − L Lᵀ| ≤ 4 (n+1) eps |L| |Lᵀ| entry by entry. [Higham02, Theorem 10.3] gives γ(n+1) with unit eps/2; the
/// remaining factor allows for inverted diagonal blocks.
template <class T>
void expect_product(const Dense& a, const Dense& l) {
  Dense product(static_cast<std::int64_t>(a.n));
  Dense magnitude(static_cast<std::int64_t>(a.n));
  std::vector<std::size_t> rows;
  for (std::size_t k = 0; k < a.n; ++k) {
    rows.clear();
    for (std::size_t i = k; i < a.n; ++i) {
      if (l(i, k) != 0.0) rows.push_back(i);
    }
    for (std::size_t j : rows) {
      for (std::size_t i : rows) {
        if (i < j) continue;
        product(i, j) += l(i, k) * l(j, k);
        magnitude(i, j) += std::abs(l(i, k) * l(j, k));
      }
    }
  }
  const double c = 4.0 * static_cast<double>(a.n + 1) * static_cast<double>(std::numeric_limits<T>::epsilon());
  for (std::size_t j = 0; j < a.n; ++j) {
    for (std::size_t i = j; i < a.n; ++i) {
      ASSERT_LE(std::abs(a(i, j) - product(i, j)), c * magnitude(i, j)) << "row " << i << ", column " << j;
    }
  }
}

/// Result of a plain column-by-column Cholesky: the first column with a pivot that is not positive, or −1, and that pivot.
struct DenseOutcome {
  std::int64_t failed = -1;
  double pivot = 0.0;
};
inline DenseOutcome dense_cholesky(Dense a) {
  for (std::size_t j = 0; j < a.n; ++j) {
    const double pivot = a(j, j);
    if (!(pivot > 0.0)) return {static_cast<std::int64_t>(j), pivot};
    const double root = std::sqrt(pivot);
    for (std::size_t i = j; i < a.n; ++i) a(i, j) /= root;
    for (std::size_t k = j + 1; k < a.n; ++k) {
      if (a(k, j) == 0.0) continue;
      for (std::size_t i = k; i < a.n; ++i) a(i, k) -= a(i, j) * a(k, j);
    }
  }
  return {};
}

template <class T>
std::vector<T> rounded(const std::vector<double>& v) {
  return {v.begin(), v.end()};
}

template <class T>
std::vector<double> widened(const T* v, std::size_t n) {
  return {v, v + n};
}

/// Options of the host schedule: the defaults; then no leaf subtrees, small ones, or a single one, each in narrow and wide
/// blocks; then chains, above small leaf subtrees and without any.
inline std::vector<PlanOptions> host_cuts() {
  std::vector<PlanOptions> cuts(1);
  for (const std::int32_t block_width : {8, 24, 256}) {
    for (const double flops : {0.0, 2000.0, std::numeric_limits<double>::infinity()}) {
      ScheduleOptions schedule;
      schedule.block_width = block_width;
      schedule.max_subtree_flops = flops;
      cuts.emplace_back();
      cuts.back().host_schedule = schedule;
    }
  }
  for (const double flops : {0.0, 2000.0, 20000.0}) {
    cuts.push_back(cuts[1]);
    cuts.back().host_schedule->max_subtree_flops = flops;
    cuts.back().host_schedule->max_chained_flops = 5000.0;
    cuts.back().host_schedule->hand_over_flops = flops == 20000.0 ? 1000.0 : 0.0;
  }
  return cuts;
}

/// Plan options to test on a backend. On a device, only the block width and the merging vary.
inline std::vector<PlanOptions> cuts_of(Backend backend) {
  if (backend == Backend::host) return host_cuts();
  std::vector<PlanOptions> cuts(3);
  cuts[1].block_width = 64;
  cuts[2].symbolic.merging = Merging::none;
  return cuts;
}

inline std::string describe(const PlanOptions& options) {
  if (!options.host_schedule) return "block width " + std::to_string(options.block_width);
  return "blocks of " + std::to_string(options.host_schedule->block_width) + ", subtrees up to " +
         std::to_string(options.host_schedule->max_subtree_flops) + ", chains of up to " +
         std::to_string(options.host_schedule->max_chained_flops);
}

}  // namespace gpusupernodal::test
