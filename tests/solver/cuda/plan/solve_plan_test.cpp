#include "solver/cuda/plan/solve_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <utility>

#include "io/symmetric_matrix.hpp"
#include "kernels/common/solve_shapes.hpp"
#include "kernels/common/tile_shapes.hpp"
#include "solver/cuda/plan/sweep.hpp"
#include "tests/solver/plan/plans.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

std::vector<io::SymmetricMatrix> matrices() {
  std::vector<io::SymmetricMatrix> all = small_matrices();
  all.push_back(io::generate("lap3d:12"));
  all.push_back(io::generate("elas:6"));
  all.push_back(dense_spd(700, 1));
  all.push_back(joined_cliques_spd(2, 1100, 90, 3));
  all.push_back(joined_cliques_spd(40, 150, 90, 3));
  all.insert(all.end(), {star_spd(3000, 2999), arrowhead_spd(1500)});
  return all;
}

/// Global row of a front row in the numbering of FrontGather: first the columns of L, then the rows below.
NewIndex row_of(const SymbolicFactor& factor, std::size_t front_row) {
  const auto n = static_cast<std::size_t>(factor.order());
  return front_row < n ? NewIndex(static_cast<std::int64_t>(front_row)) : factor.rows[front_row - n];
}

std::vector<std::int32_t> sources_of(const FrontGather& gather, std::size_t row) {
  std::vector<std::int32_t> sources;
  for (const std::int32_t position : gather.rows[row].first) {
    if (position >= 0) sources.push_back(position);
  }
  if (gather.rows[row].more < 0) return sources;
  EXPECT_EQ(sources.size(), std::size(gather.rows[row].first));
  const auto list = gather.more.begin() + gather.rows[row].more;
  EXPECT_GE(*list, 1);
  sources.insert(sources.end(), list + 1, list + 1 + *list);
  return sources;
}

TEST(FrontGather, ListsEveryContributionAtItsRowOfTheParent) {
  for (const io::SymmetricMatrix& a : matrices()) {
    SCOPED_TRACE(a.name);
    const auto plan = plan_of(a);
    const SymbolicFactor& factor = plan->symbolic;
    const FrontGather& gather = plan->cuda().solve.gather;
    std::vector<int> seen(factor.rows.size(), 0);
    for (std::size_t row = 0; row < gather.rows.size(); ++row) {
      std::int32_t before = -1;
      for (const std::int32_t position : sources_of(gather, row)) {
        ++seen[static_cast<std::size_t>(position)];
        EXPECT_EQ(factor.rows[static_cast<std::size_t>(position)], row_of(factor, row));
        EXPECT_LT(before, position) << "children ascend";
        before = position;
      }
    }
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
  }
}

/// Returns the tasks of a sweep with groups of warp tasks expanded.
std::vector<CudaSolveTask> flat(const CudaSolveSweep& sweep) {
  std::vector<CudaSolveTask> tasks;
  std::size_t of_warps = 0;
  for (const CudaSolveTask& task : sweep.tasks) {
    if (!is_group(task.kind)) {
      tasks.push_back(task);
      continue;
    }
    EXPECT_EQ(task.arrive, no_counter) << "its warps count themselves";
    const cuda::SolveGroup group = group_of(task);
    EXPECT_GE(group.count, 1);
    EXPECT_LE(group.count, cuda::solve_warps * cuda::solve_warp_tasks);
    EXPECT_EQ(static_cast<std::size_t>(group.first), of_warps);
    for (std::int32_t w = 0; w < group.count; ++w) tasks.push_back(sweep.warp_tasks[of_warps++]);
  }
  EXPECT_EQ(of_warps, sweep.warp_tasks.size());
  return tasks;
}

/// Runs a sweep's tasks in a random order among those that may start. A quarter of the tasks are slow: they start only if no
/// other task can.
class Replay {
 public:
  Replay(const CudaSolveSweep& sweep, std::uint64_t seed) : counters_(static_cast<std::size_t>(sweep.counters), 0) {
    tasks_ = flat(sweep);
    time_.assign(tasks_.size(), -1);
    std::mt19937_64 generator(seed);
    std::vector<std::size_t> left(tasks_.size());
    std::iota(left.begin(), left.end(), std::size_t{0});
    std::vector<bool> slow(tasks_.size());
    for (std::size_t i = 0; i < slow.size(); ++i) slow[i] = generator() % 4 == 0;
    std::int32_t now = 0;
    bool slow_too = false;
    while (!left.empty()) {
      std::shuffle(left.begin(), left.end(), generator);
      std::vector<std::size_t> still;
      for (std::size_t i : left) {
        if (!may_start(tasks_[i]) || (slow[i] && !slow_too)) {
          still.push_back(i);
          continue;
        }
        if (slow[i]) slow_too = false;
        time_[i] = now++;
        if (tasks_[i].arrive >= 0) ++counters_[static_cast<std::size_t>(tasks_[i].arrive)];
      }
      const bool stuck = still.size() == left.size();
      if (stuck && slow_too) break;
      slow_too = stuck;
      left = std::move(still);
    }
    finished_ = left.empty();
  }
  bool finished() const { return finished_; }

  /// Tasks of each supernode, each with its time.
  std::map<std::int32_t, std::vector<std::pair<CudaSolveTask, std::int32_t>>> by_supernode() const {
    std::map<std::int32_t, std::vector<std::pair<CudaSolveTask, std::int32_t>>> result;
    for (std::size_t i = 0; i < tasks_.size(); ++i) result[tasks_[i].supernode].emplace_back(tasks_[i], time_[i]);
    return result;
  }

 private:
  bool reached(std::int32_t counter, std::int32_t need) const {
    return counter < 0 || counters_[static_cast<std::size_t>(counter)] >= need;
  }
  bool may_start(const CudaSolveTask& task) const {
    const cuda::SolveAlso second = second_wait(task);
    return reached(task.wait, task.need) && reached(second.also, second.also_need);
  }

  std::vector<CudaSolveTask> tasks_;
  std::vector<std::int32_t> time_;
  std::vector<std::int32_t> counters_;
  bool finished_ = false;
};

using Timed = std::pair<CudaSolveTask, std::int32_t>;

bool is_whole(const CudaSolveTask& task) {
  return task.kind == cuda::SolveKind::whole || task.kind == cuda::SolveKind::whole_by_warp;
}

/// Time at which rows row … end−1 of a vector are complete. `products`: whether products or diagonal tasks complete them.
std::int32_t completed(const std::vector<Timed>& tasks, std::int32_t row, std::int32_t end, bool products) {
  std::int32_t time = -1;
  for (const auto& [t, when] : tasks) {
    const bool counts = products == (t.kind == cuda::SolveKind::rows);
    if ((is_whole(t) || counts) && t.row_begin < end && t.row_end > row) time = std::max(time, when);
  }
  return time;
}

std::pair<std::int32_t, std::int32_t> times_of(const std::vector<Timed>& tasks) {
  const auto [first, last] =
      std::minmax_element(tasks.begin(), tasks.end(), [](const Timed& a, const Timed& b) { return a.second < b.second; });
  return {first->second, last->second};
}

/// Every entry of a front's diagonal blocks and of the rows below belongs to exactly one task.
void check_cover(std::int32_t width, std::int32_t front, const std::vector<Timed>& tasks, std::int32_t outputs) {
  if (is_whole(tasks.front().first)) {
    EXPECT_EQ(tasks.size(), 1U);
    EXPECT_LE(width, cuda::tile_size);
    EXPECT_EQ(tasks.front().first.row_end, front);
    return;
  }
  for (std::int32_t column = 0; column < width; column += cuda::solve_block) {
    const std::int32_t end = std::min(width, column + cuda::solve_block);
    std::vector<int> solved(static_cast<std::size_t>(end - column), 0);
    std::vector<std::int64_t> below(static_cast<std::size_t>(front), 0);
    for (const auto& [t, when] : tasks) {
      if (t.column < column || t.column >= end) continue;
      const bool diagonal = t.kind == cuda::SolveKind::diagonal;
      EXPECT_TRUE(!diagonal || (t.column == column && t.width == end - column));
      EXPECT_TRUE(!diagonal || t.row_end - t.row_begin <= outputs);
      for (std::int32_t r = t.row_begin; r < t.row_end; ++r) {
        if (diagonal) ++solved[static_cast<std::size_t>(r - column)];
        if (!diagonal) below[static_cast<std::size_t>(r)] += t.width;
      }
    }
    EXPECT_TRUE(std::all_of(solved.begin(), solved.end(), [](int times) { return times == 1; }));
    for (std::int32_t r = 0; r < front; ++r) EXPECT_EQ(below[static_cast<std::size_t>(r)], r < end ? 0 : end - column);
  }
}

/// Order within a front: a diagonal block runs after the products that change its rows; products run after their block and,
/// on common rows, after those of earlier blocks.
void check_forward_front(const std::vector<Timed>& tasks) {
  for (const auto& [t, when] : tasks) {
    if (is_whole(t)) continue;
    for (const auto& [other, before] : tasks) {
      const bool other_product = other.kind != cuda::SolveKind::diagonal;
      const bool product = t.kind != cuda::SolveKind::diagonal;
      if (other_product && other.column < t.column && other.row_begin < t.row_end && other.row_end > t.row_begin) {
        EXPECT_LT(before, when) << "rows " << t.row_begin << " of columns " << t.column;
      }
      const bool reads = other_product && other.column < t.column && other.row_begin < t.row_end;
      if (!product && reads && other.row_end > t.column) {
        EXPECT_LT(before, when);
      }
      if (product && !other_product && other.column == t.column) {
        EXPECT_LT(before, when);
      }
    }
  }
}

/// Sweeps of one direction, for several right-hand sides and for one, each with the maximum results of a diagonal task.
using Sweeps = std::vector<std::pair<CudaSolveSweep, std::int32_t>>;

constexpr OneRhsShape one_rhs_shapes[] = {{cuda::one_rhs_entries<double>, cuda::one_rhs_outputs},
                                          {cuda::one_rhs_entries<float>, cuda::one_rhs_max_outputs}};

template <class BuildOneRhs>
Sweeps sweeps_of(const FactorPlan& plan, const CudaSolveSweep& of_several, BuildOneRhs build_one_rhs) {
  Sweeps sweeps{{of_several, cuda::solve_outputs}};
  std::int64_t numbers = 0;  // Number of sums or partial sums.
  for (const OneRhsShape& shape : one_rhs_shapes) {
    sweeps.emplace_back(build_one_rhs(plan.symbolic, shape, numbers), shape.max_outputs);
  }
  return sweeps;
}
Sweeps forward_sweeps(const FactorPlan& plan) {
  return sweeps_of(plan, plan.cuda().solve.forward, build_one_rhs_forward_sweep);
}
Sweeps backward_sweeps(const FactorPlan& plan) {
  return sweeps_of(plan, plan.cuda().solve.backward, build_one_rhs_backward_sweep);
}

using TasksOfFronts = std::map<std::int32_t, std::vector<Timed>>;

/// Runs a sweep and checks that its tasks cover every front.
void run_all(const SymbolicFactor& factor, const CudaSolveSweep& sweep, std::int32_t outputs, std::uint64_t seed,
             TasksOfFronts& tasks) {
  const Replay run(sweep, seed);
  ASSERT_TRUE(run.finished());
  tasks = run.by_supernode();
  for (SupernodeId s : factor.supernode_ids()) {
    ASSERT_FALSE(tasks[s.value].empty());
    check_cover(factor.width(s), factor.front(s), tasks[s.value], outputs);
  }
}

void check_forward(const SymbolicFactor& factor, const CudaSolveSweep& sweep, std::int32_t outputs, std::uint64_t seed) {
  TasksOfFronts tasks;
  ASSERT_NO_FATAL_FAILURE(run_all(factor, sweep, outputs, seed, tasks));
  for (SupernodeId s : factor.supernode_ids()) {
    check_forward_front(tasks[s.value]);
    if (!factor.parent[s].valid()) continue;
    EXPECT_LT(times_of(tasks[s.value]).second, times_of(tasks[factor.parent[s].value]).first);
  }
}

TEST(CudaSolve, ForwardCoversEveryFrontOnceAndWaitsForWhatItReads) {
  for (const io::SymmetricMatrix& a : matrices()) {
    SCOPED_TRACE(a.name);
    const auto plan = plan_of(a);
    for (const auto& [sweep, outputs] : forward_sweeps(*plan)) {
      for (const std::uint64_t seed : {1, 2, 3, 4}) check_forward(plan->symbolic, sweep, outputs, seed);
    }
  }
}

/// Order within a front: products run after the diagonal blocks of their rows, a diagonal block after all of its products.
void check_backward_front(std::int32_t width, const std::vector<Timed>& tasks) {
  for (const auto& [t, when] : tasks) {
    for (const auto& [other, before] : tasks) {
      if (is_whole(t)) continue;
      const bool diagonal = t.kind == cuda::SolveKind::diagonal;
      const bool other_diagonal = other.kind == cuda::SolveKind::diagonal;
      if (diagonal && !other_diagonal && other.column >= t.column && other.column < t.column + t.width) {
        EXPECT_LT(before, when);
      }
      if (!diagonal && other_diagonal && other.row_begin < std::min(width, t.row_end) && other.row_end > t.row_begin) {
        EXPECT_LT(before, when);
      }
    }
  }
}

void check_backward(const SymbolicFactor& factor, const CudaSolveSweep& sweep, std::int32_t outputs, std::uint64_t seed) {
  TasksOfFronts tasks;
  ASSERT_NO_FATAL_FAILURE(run_all(factor, sweep, outputs, seed, tasks));
  for (SupernodeId s : factor.supernode_ids()) {
    check_backward_front(factor.width(s), tasks[s.value]);
    if (!factor.parent[s].valid()) continue;
    const std::int32_t solved = completed(tasks[factor.parent[s].value], 0, factor.width(factor.parent[s]), false);
    for (const auto& [t, when] : tasks[s.value]) {
      const bool product = !is_whole(t) && t.kind != cuda::SolveKind::diagonal;
      if (is_whole(t) || (product && t.row_end > factor.width(s))) {
        EXPECT_LT(solved, when);
      }
    }
  }
}

TEST(CudaSolve, BackwardCoversEveryFrontOnceAndWaitsForWhatItReads) {
  for (const io::SymmetricMatrix& a : matrices()) {
    SCOPED_TRACE(a.name);
    const auto plan = plan_of(a);
    for (const auto& [sweep, outputs] : backward_sweeps(*plan)) {
      for (const std::uint64_t seed : {1, 2, 3, 4}) check_backward(plan->symbolic, sweep, outputs, seed);
    }
  }
}

/// CTAs take tasks in this order, whatever their number, so a task may wait for earlier tasks only.
TEST(CudaSolve, TasksWaitForEarlierOnesOnly) {
  for (const io::SymmetricMatrix& a : matrices()) {
    SCOPED_TRACE(a.name);
    const auto plan = plan_of(a);
    Sweeps sweeps = forward_sweeps(*plan);
    for (auto& backward : backward_sweeps(*plan)) sweeps.push_back(std::move(backward));
    for (const auto& [sweep, outputs] : sweeps) {
      std::vector<std::int32_t> counters(static_cast<std::size_t>(sweep.counters), 0);
      const auto expect_reached = [&](std::int32_t counter, std::int32_t need) {
        if (counter >= 0) {
          EXPECT_GE(counters[static_cast<std::size_t>(counter)], need);
        }
      };
      for (const CudaSolveTask& task : sweep.tasks) {
        const bool group = is_group(task.kind);
        const CudaSolveTask* const first = group ? sweep.warp_tasks.data() + group_of(task).first : &task;
        const std::int32_t count = group ? group_of(task).count : 1;
        for (std::int32_t i = 0; i < count; ++i) {
          expect_reached(first[i].wait, first[i].need);
          expect_reached(second_wait(first[i]).also, second_wait(first[i]).also_need);
        }
        for (std::int32_t i = 0; i < count; ++i) {
          if (first[i].arrive >= 0) ++counters[static_cast<std::size_t>(first[i].arrive)];
        }
      }
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
