#pragma once

/// \file
/// Computes the launches of CUDA plans on the host, one number after another.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "io/residual.hpp"
#include "io/symmetric_matrix.hpp"
#include "kernels/common/tile_shapes.hpp"
#include "solver/cuda/plan/cuda_plan.hpp"

namespace gpusupernodal::test {

/// The values of one device and the tasks that change them. Products run as late as their launches allow.
class LaunchInterpreter {
 public:
  explicit LaunchInterpreter(const CudaPlan& plan)
      : plan_(plan),
        tables_(*plan.structure),
        values(static_cast<std::size_t>(plan.structure->panels.values()), 0.0),
        update_of_row_(plan.structure->symbolic.rows.size()),
        group_done_(plan.launches.groups.size(), false) {
    tables_.write_update_of_row(0, static_cast<std::int64_t>(update_of_row_.size()), update_of_row_.data());
  }

  void assemble(const io::SymmetricMatrix& a) {
    assemble(a, 0, static_cast<std::int64_t>(plan_.structure->assembly.source.size()));
  }
  /// Entries first … last−1 of the assembly map.
  void assemble(const io::SymmetricMatrix& a, std::int64_t first, std::int64_t last) {
    const AssemblyMap& map = plan_.structure->assembly;
    for (auto e = static_cast<std::size_t>(first); e < static_cast<std::size_t>(last); ++e)
      values[static_cast<std::size_t>(map.target[e])] = a.values[static_cast<std::size_t>(map.source[e])];
  }

  /// The fronts, diagonal blocks and rows below of a level, after the products that it needs.
  void begin_level(std::size_t l) {
    for (std::size_t g = 0; g < group_done_.size(); ++g) {
      if (plan_.launches.groups[g].deadline <= static_cast<std::int32_t>(l) && g < first_group(l)) run_group(g);
    }
    const cuda::Level& level = plan_.launches.levels[l];
    if (plan_.launches.run.first_level == static_cast<std::int32_t>(l)) {
      for (const cuda::RunFront& front : plan_.launches.run.fronts) factor_front(front.task);
    }
    each(plan_.launches.tiny, level.tiny, [&](const cuda::FrontTask& task) { factor_front(task); });
    each(plan_.launches.small, level.small, [&](const cuda::FrontTask& task) { factor_front(task); });
    each(plan_.launches.diagonal, level.diagonal, [&](const cuda::DiagonalTask& task) { factor_block(task); });
    each(plan_.launches.scale, level.scale, [&](const cuda::TrsmTask& task) { solve_below(task); });
  }
  /// The products that the next level needs, and the blocks that it finds factorized.
  void end_level(std::size_t l) {
    const cuda::Level& level = plan_.launches.levels[l];
    each(plan_.launches.diagonal, level.ahead, [&](const cuda::DiagonalTask& task) { factor_block(task); });
    each(plan_.launches.product, level.urgent, [&](const cuda::ProductTask& task) { subtract(task); });
  }
  void finish_products_before(std::size_t l) {
    for (std::size_t g = 0; g < first_group(l); ++g) run_group(g);
  }

 private:
  const CudaPlan& plan_;
  cuda::LaunchTables tables_;

 public:
  std::vector<double> values;

 private:
  std::size_t first_group(std::size_t l) const { return static_cast<std::size_t>(plan_.launches.levels[l].first_group); }

  template <class List, class Work>
  static void each(const List& list, const cuda::TaskRange& range, const Work& work) {
    for (std::int64_t i = range.begin; i < range.begin + range.count; ++i) work(list[static_cast<std::size_t>(i)]);
  }

  void run_group(std::size_t g) {
    if (group_done_[g]) return;
    group_done_[g] = true;
    each(plan_.launches.product, plan_.launches.groups[g].tiles, [&](const cuda::ProductTask& task) { subtract(task); });
  }

  double& at(const cuda::PanelInfo& panel, std::int32_t i, std::int32_t j) {
    return values[static_cast<std::size_t>(block_of(panel, j).index(i, j))];
  }

  /// What (i, j) of a front is subtracted from.
  double& target(const cuda::PanelInfo& panel, std::int32_t i, std::int32_t j, bool within) {
    if (within) return at(panel, i, j);
    const std::int32_t u = update_of_row_[static_cast<std::size_t>(panel.rows + j - panel.width)];
    const cuda::UpdateInfo update = tables_.update(UpdateId(u));
    const auto& relative = plan_.structure->updates.relative_rows;
    const std::int32_t row = relative[static_cast<std::size_t>(update.relative + i)];
    const std::int32_t column = relative[static_cast<std::size_t>(update.relative + j)];
    return values[static_cast<std::size_t>(block_of_column(update.target, update.ld, column).index(row, column))];
  }

  double product(const cuda::PanelInfo& panel, std::int32_t i, std::int32_t j, std::int32_t first, std::int32_t last) {
    double sum = 0.0;
    for (std::int32_t k = first; k < last; ++k) sum += at(panel, i, k) * at(panel, j, k);
    return sum;
  }

  void subtract(const cuda::ProductTask& task) {
    const cuda::PanelInfo panel = tables_.panel(SupernodeId(task.panel));
    const bool within = task.col_end <= panel.width;
    const std::int32_t last = std::min(task.col_end, task.col + cuda::tile_size);
    for (std::int32_t j = std::max(task.first, task.col); j < last; ++j) {
      for (std::int32_t i = std::max(j, task.row); i < std::min(panel.front, task.row + cuda::tile_size); ++i)
        target(panel, i, j, within) -= product(panel, i, j, task.column, task.column + task.depth);
    }
  }

  /// The products with preceding columns are subtracted from a whole tile, which has rows below a narrow block too.
  void factor_block(const cuda::DiagonalTask& task) {
    const cuda::PanelInfo panel = tables_.panel(SupernodeId(task.panel));
    for (std::int32_t j = task.column; task.before > 0 && j < task.column + task.width; ++j) {
      for (std::int32_t i = j; i < std::min(panel.front, task.column + cuda::tile_size); ++i)
        at(panel, i, j) -= product(panel, i, j, task.column - task.before, task.column);
    }
    for (std::int32_t j = task.column; j < task.column + task.width; ++j) {
      for (std::int32_t i = j; i < task.column + task.width; ++i) {
        double& entry = at(panel, i, j);
        entry -= product(panel, i, j, task.column, j);
        entry = i == j ? std::sqrt(entry) : entry / at(panel, j, j);
      }
    }
  }

  void solve_below(const cuda::TrsmTask& task) {
    const cuda::PanelInfo panel = tables_.panel(SupernodeId(task.panel));
    for (std::int32_t i = task.row; i < std::min(panel.front, task.row + cuda::tile_size); ++i) {
      for (std::int32_t j = task.column; j < task.column + task.width; ++j)
        at(panel, i, j) = (at(panel, i, j) - product(panel, i, j, task.column, j)) / at(panel, j, j);
    }
  }

  void factor_front(const cuda::FrontTask& task) {
    const cuda::PanelInfo panel = tables_.panel(SupernodeId(task.panel));
    factor_block({task.panel, 0, panel.width, 0});
    for (std::int32_t row = panel.width; row < panel.front; row += cuda::tile_size)
      solve_below({task.panel, 0, panel.width, row});
    for (std::int32_t j = panel.width; j < panel.front; ++j) {
      for (std::int32_t i = j; i < panel.front; ++i) target(panel, i, j, false) -= product(panel, i, j, 0, panel.width);
    }
  }

  std::vector<std::int32_t> update_of_row_;
  std::vector<bool> group_done_;
};

/// ‖L Lᵀ v − A v‖∞ / (‖A‖∞ ‖v‖∞) for a random v, where value(s, i, j) is entry (i, j) of the panel of s.
template <class Value>
double error_of(const io::SymmetricMatrix& a, const FactorStructure& structure, const Value& value) {
  const SymbolicFactor& factor = structure.symbolic;
  const auto n = static_cast<std::size_t>(factor.order());
  std::mt19937 random(3);
  std::vector<double> v(n), product(n, 0.0), y(n, 0.0), rows(n, 0.0);
  for (double& x : v) x = std::uniform_real_distribution<double>(-1.0, 1.0)(random);
  const AssemblyMap& map = structure.assembly;
  for (std::size_t e = 0; e < map.source.size(); ++e) {
    const double entry = a.values[static_cast<std::size_t>(map.source[e])];
    const auto i = static_cast<std::size_t>(map.row[e].value);
    const auto j = static_cast<std::size_t>(map.column[e].value);
    product[i] += entry * v[j];
    rows[i] += std::abs(entry);
    if (i == j) continue;
    product[j] += entry * v[i];
    rows[j] += std::abs(entry);
  }
  const auto each = [&](const auto& visit) {
    for (SupernodeId s : factor.supernode_ids()) {
      for (std::int32_t j = 0; j < factor.width(s); ++j) {
        for (std::int32_t i = j; i < factor.front(s); ++i) {
          const NewIndex row = i < factor.width(s) ? factor.first_column[s] + i
                                                   : factor.rows_of(s)[static_cast<std::size_t>(i - factor.width(s))];
          visit(static_cast<std::size_t>(row.value), static_cast<std::size_t>((factor.first_column[s] + j).value),
                value(s, i, j));
        }
      }
    }
  };
  each([&](std::size_t i, std::size_t j, double l) { y[j] += l * v[i]; });
  each([&](std::size_t i, std::size_t j, double l) { product[i] -= l * y[j]; });
  double norm = 0.0;
  double error = 0.0;
  for (const double sum : rows) norm = std::max(norm, sum);
  for (const double difference : product) error = io::larger_error(error, std::abs(difference));
  return n == 0 ? 0.0 : error / norm;
}

/// Bound of error_of: c·n·eps.
inline double error_of_bound(const io::SymmetricMatrix& a) {
  constexpr double c = 4.0;
  return c * (static_cast<double>(a.n) + 1.0) * std::numeric_limits<double>::epsilon();
}

/// Calls visit(task) for tasks first … last−1 of a sweep in the order of their list; those of a group after each other.
template <class Visit>
void for_each_in_order(const CudaSolveSweep& sweep, std::int64_t first, std::int64_t last, const Visit& visit) {
  for (std::int64_t t = first; t < last; ++t) {
    const CudaSolveTask& task = sweep.tasks[static_cast<std::size_t>(t)];
    if (!cuda::is_group(task.kind)) {
      visit(task);
      continue;
    }
    const cuda::SolveGroup group = group_of(task);
    for (std::int32_t i = group.first; i < group.first + group.count; ++i)
      visit(sweep.warp_tasks[static_cast<std::size_t>(i)]);
  }
}

/// Counters of a sweep; run(task) expects that the task need not wait.
class SweepCounters {
 public:
  explicit SweepCounters(const CudaSolveSweep& sweep) : counters_(static_cast<std::size_t>(sweep.counters), 0) {}
  void run(const CudaSolveTask& task) {
    expect(task.wait, task.need);
    expect(second_wait(task).also, second_wait(task).also_need);
    if (task.arrive >= 0) ++counters_[static_cast<std::size_t>(task.arrive)];
  }

 private:
  void expect(std::int32_t counter, std::int32_t need) const {
    if (counter < 0) return;
    EXPECT_GE(counters_[static_cast<std::size_t>(counter)], need);
  }
  std::vector<std::int32_t> counters_;
};

}  // namespace gpusupernodal::test
