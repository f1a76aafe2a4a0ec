#include "solver/cuda/plan/fixed_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <type_traits>
#include <vector>

#include "kernels/common/tile_shapes.hpp"
#include "solver/cuda/plan/launch_plan.hpp"
#include "tests/solver/cuda/plan/plans.hpp"

namespace gpusupernodal::test {
namespace {

using cuda::LaunchPlan;
using cuda::ProductTask;

/// Replays, in launch order, the tasks that add to other panels. In a launch without ordered accumulation, no two sources
/// may add to a common column. With ordered accumulation, the turn of each addition must have come already, so that a device
/// that starts tasks in this order never deadlocks. No column may be factorized before all additions to it are done.
class Additions {
 public:
  Additions(const SymbolicFactor& factor, const LaunchPlan& launches)
      : factor_(factor),
        launches_(launches),
        added_(static_cast<std::size_t>(factor.order()), 0),
        factorized_(static_cast<std::size_t>(factor.order()), false),
        concurrent_panel_(static_cast<std::size_t>(factor.order()), -1),
        last_(static_cast<std::size_t>(factor.order())) {}

  /// Returns the number of levels with ordered accumulation.
  std::int32_t check() {
    std::int32_t ordered_count = 0;
    for (const cuda::Level& level : launches_.levels) {
      const bool is_ordered = level.ordered_index >= 0;
      EXPECT_EQ(level.ordered_index, is_ordered ? ordered_count : -1);
      if (is_ordered) ++ordered_count;
      run(launches_.tiny, level.tiny, is_ordered);
      run(launches_.small, level.small, is_ordered);
      each_block(level.diagonal, [&](SupernodeId, NewIndex column) { factorized_[at(column)] = true; });
      each_block(level.ahead, [&](SupernodeId s, NewIndex column) { concurrent_panel_[at(column)] = s.value; });
      run(launches_.product, level.urgent, is_ordered);
      each_block(level.ahead, [&](SupernodeId, NewIndex column) { factorized_[at(column)] = true; });
    }
    EXPECT_EQ(tasks_, static_cast<std::int64_t>(launches_.tiny.size() + launches_.small.size() + launches_.product.size()));
    return ordered_count;
  }

 private:
  struct Source {
    std::int32_t launch = -1;
    std::int32_t source = -1;
  };

  /// Columns of L that a task adds to. A product within a panel adds to columns of that panel.
  std::vector<NewIndex> columns_of(const cuda::FrontTask& task) const {
    const auto rows = factor_.rows_of(SupernodeId(task.panel));
    return {rows.begin(), rows.end()};
  }
  std::vector<NewIndex> columns_of(const ProductTask& task) const {
    const SupernodeId s(task.panel);
    const std::int32_t width = factor_.width(s);
    // The next diagonal block applies the product with the last columns before it itself, so its tile omits them.
    const bool is_block = task.col_end <= width && task.row == task.first;
    EXPECT_EQ(task.column + task.depth, task.first - (is_block ? cuda::tile_size : 0)) << "cut along its depth";
    std::vector<NewIndex> columns;
    for (std::int32_t j = std::max(task.col, task.first); j < std::min(task.col + cuda::tile_size, task.col_end); ++j) {
      columns.push_back(j < width ? factor_.first_column[s] + j : factor_.rows_of(s)[static_cast<std::size_t>(j - width)]);
    }
    return columns;
  }
  /// Number of additions to a column that precede those of source s.
  std::int32_t order_of_turn(SupernodeId s, NewIndex column) const {
    const auto rows = factor_.rows_of(s);
    const auto row = std::lower_bound(rows.begin(), rows.end(), column) - rows.begin();
    return launches_.tasks_before_row[static_cast<std::size_t>(factor_.row_offset[s] + row)];
  }

  template <class Task>
  void run(const LargeVector<Task>& tasks, const cuda::TaskRange& range, bool is_ordered) {
    ++launch_;
    for (std::int64_t t = range.begin; t < range.begin + range.count; ++t, ++tasks_) {
      const Task& task = tasks[static_cast<std::size_t>(t)];
      if constexpr (std::is_same_v<Task, cuda::FrontTask>) factorize(SupernodeId(task.panel));
      for (const NewIndex column : columns_of(task)) add(SupernodeId(task.panel), column, is_ordered);
    }
  }

  static std::size_t at(NewIndex column) { return static_cast<std::size_t>(column.value); }
  void factorize(SupernodeId s) {
    for (std::int32_t j = 0; j < factor_.width(s); ++j) factorized_[at(factor_.first_column[s] + j)] = true;
  }
  /// Calls f(panel, column) for the columns of diagonal blocks.
  template <class F>
  void each_block(const cuda::TaskRange& range, const F& f) const {
    for (std::int64_t t = range.begin; t < range.begin + range.count; ++t) {
      const cuda::DiagonalTask& task = launches_.diagonal[static_cast<std::size_t>(t)];
      const SupernodeId s(task.panel);
      for (std::int32_t j = task.column; j < task.column + task.width; ++j) f(s, factor_.first_column[s] + j);
    }
  }

  void add(SupernodeId source, NewIndex to, bool is_ordered) {
    const auto column = static_cast<std::size_t>(to.value);
    EXPECT_FALSE(factorized_[column]);
    if (concurrent_panel_[column] >= 0) {
      EXPECT_EQ(concurrent_panel_[column], source.value) << "beside its factorization";
    }
    Source& last = last_[column];
    if (is_ordered && last.source == source.value) {
      EXPECT_LE(order_of_turn(source, to), added_[column]);
    } else if (is_ordered) {
      EXPECT_EQ(order_of_turn(source, to), added_[column]);
    } else if (last.launch == launch_) {
      EXPECT_EQ(last.source, source.value);
    }
    last = {launch_, source.value};
    if (is_ordered) ++added_[column];
  }

  const SymbolicFactor& factor_;
  const LaunchPlan& launches_;
  std::vector<std::int32_t> added_;
  std::vector<bool> factorized_;
  /// Panel whose block is being factorized while rows below it still change; −1: none.
  std::vector<std::int32_t> concurrent_panel_;
  std::vector<Source> last_;
  std::int32_t launch_ = -1;
  std::int64_t tasks_ = 0;
};

void expect_in_order(const FactorPlan& plan, std::int32_t& ordered_count) {
  const LaunchPlan launches = launches_of(plan, 4, cuda::LaunchScope::everything, cuda::AdditionOrder::fixed);
  EXPECT_TRUE(launches.groups.empty());
  const std::int32_t levels = Additions(plan.symbolic, launches).check();
  EXPECT_EQ(launches.tasks_before_row.empty(), levels == 0);
  ordered_count += levels;
}

TEST(FixedOrder, NeverAddsTwiceToAColumnConcurrently) {
  std::vector<io::SymmetricMatrix> all = matrices();
  all.push_back(joined_cliques_spd(3 * cuda::max_colours, 70, 20, 4));  // Pieces that all add to a few common columns,
  all.push_back(joined_cliques_spd(3 * cuda::max_colours, 30, 9, 5));   // and whole fronts.
  std::int32_t ordered_count = 0;
  for (const io::SymmetricMatrix& a : all) {
    SCOPED_TRACE(a.name);
    expect_in_order(*cuda_plan_of(a), ordered_count);
  }
  EXPECT_GE(ordered_count, 2) << "no matrix whose sources find no colour";
}

/// A source that adds only to its target's second piece must not run in the launch with the products of the first piece.
TEST(FixedOrder, UpdatesEndBeforeTheirTargetBegins) {
  const io::SymmetricMatrix a = late_sources_spd();
  PatternView pattern;
  pattern.n = a.n;
  pattern.offsets = a.offsets.data();
  pattern.indices = a.indices.data();
  PlanOptions options;
  options.symbolic.ordering = Ordering::natural;
  const auto plan = with_cuda(make_plan(pattern, options), {}, 1);
  ASSERT_EQ(plan->symbolic.supernodes(), 3);
  std::int32_t ordered_count = 0;
  expect_in_order(*plan, ordered_count);
  EXPECT_EQ(ordered_count, 0);
}

}  // namespace
}  // namespace gpusupernodal::test
