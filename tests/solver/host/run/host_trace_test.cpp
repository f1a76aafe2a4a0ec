/// What the host executor reports while it works: traces, progress and cancellation.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "solver/backend/trace.hpp"
#include "tests/solver/backend/problem.hpp"
#include "tests/support/allow_threads.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

ExecutorOptions with_trace(int threads) {
  allow_threads(4);
  ExecutorOptions options;
  options.threads = threads;
  options.trace = true;
  return options;
}

void solve_once(const Problem<double>& problem, Executor<double>& executor) {
  const std::vector<double> b = random_vector(problem.a.n, 1);
  std::vector<double> x(b.size());
  executor.factorization().solve(SolveSteps(), DenseView<const double>(b.data(), problem.a.n),
                                 DenseView<double>(x.data(), problem.a.n));
}

/// Number of slices of each task of a graph, selected by the prefix of their names; an empty prefix selects the
/// factorization.
std::vector<int> times_noted(const std::vector<TraceSlice>& slices, std::size_t tasks, const std::string& prefix) {
  std::vector<int> noted(tasks, 0);
  for (const TraceSlice& slice : slices) {
    const std::string name = slice.name;
    const bool solve = name.rfind("forward_", 0) == 0 || name.rfind("backward_", 0) == 0;
    if (slice.group != TraceGroup::threads || (prefix.empty() ? solve : name.rfind(prefix, 0) != 0)) continue;
    ++noted.at(static_cast<std::size_t>(slice.task));
  }
  return noted;
}

void expect_each_once(const Problem<double>& problem, const std::vector<TraceSlice>& slices) {
  const auto expect = [&](std::size_t tasks, const std::string& prefix) {
    EXPECT_EQ(times_noted(slices, tasks, prefix), std::vector<int>(tasks, 1)) << "prefix '" << prefix << "'";
  };
  expect(problem.plan->host().schedule.graph.tasks.size(), "");
  expect(problem.plan->host().solve.forward.tasks.size(), "forward_");
  expect(problem.plan->host().solve.backward.tasks.size(), "backward_");
}

/// Expects that a task begins after its predecessors have ended.
void expect_order(const Problem<double>& problem, const std::vector<TraceSlice>& slices) {
  const TaskGraph& graph = problem.plan->host().schedule.graph;
  std::map<std::int64_t, TraceSlice> of_task;
  for (const TraceSlice& slice : slices) {
    if (slice.regime != Regime::none) of_task[slice.task] = slice;
  }
  for (TaskId t : graph.tasks.ids()) {
    for (TaskId next : graph.successors_of(t)) EXPECT_LE(of_task.at(t.value).end, of_task.at(next.value).begin);
  }
}

void expect_no_overlap(const std::vector<TraceSlice>& slices) {
  std::map<std::pair<TraceGroup, std::int32_t>, std::int64_t> until;
  for (const TraceSlice& slice : slices) {
    std::int64_t& end = until[{slice.group, slice.lane}];
    EXPECT_GE(slice.begin, end) << slice.name << " in lane " << slice.lane;
    end = std::max(end, slice.end);
  }
}

TEST(HostTrace, HasEveryTaskOnceInOrderAndWithoutOverlapInALane) {
  for (const PlanOptions& cut : host_cuts()) {
    SCOPED_TRACE(describe(cut));
    const Problem<double> problem(io::generate("lap3d:7"), cut);
    for (const int threads : {1, 3}) {
      const auto executor = make_host_executor<double>(problem.plan->host_plan(), with_trace(threads));
      for (int repetition = 0; repetition < 2; ++repetition) {
        executor->factorization().factorize(problem.input());
        solve_once(problem, *executor);
        const std::vector<TraceSlice> slices = executor->context().trace()->slices();
        expect_each_once(problem, slices);
        expect_order(problem, slices);
        expect_no_overlap(slices);
      }
    }
  }
}

TEST(HostTrace, IsOffByDefault) {
  const Problem<double> problem(io::generate("lap2d:5"));
  EXPECT_EQ(make_host_executor<double>(problem.plan->host_plan(), {})->context().trace(), nullptr);
}

/// Returns all fractions that one factorization reports.
std::vector<double> fractions_of(const Problem<double>& problem, Executor<double>& executor) {
  std::vector<double> fractions;
  const ProgressCallback report_progress = [&](double fraction) { fractions.push_back(fraction); };
  FactorInput<double> input = problem.input();
  input.report_progress = &report_progress;
  executor.factorization().factorize(input);
  return fractions;
}

TEST(HostProgress, AscendsFromZeroToOne) {
  allow_threads(4);
  for (const PlanOptions& cut : host_cuts()) {
    SCOPED_TRACE(describe(cut));
    const Problem<double> problem(io::generate("lap3d:8"), cut);
    for (const int threads : {1, 4}) {
      ExecutorOptions options;
      options.threads = threads;
      const auto executor = make_host_executor<double>(problem.plan->host_plan(), options);
      const std::vector<double> fractions = fractions_of(problem, *executor);
      ASSERT_GE(fractions.size(), 2U);
      EXPECT_EQ(fractions.front(), 0.0);
      EXPECT_EQ(fractions.back(), 1.0);
      EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
      EXPECT_LE(fractions.size(), 102U);
    }
  }
}

/// With many small tasks on one thread, progress is reported after each task or each step of 1 %, weighted by flops.
TEST(HostProgress, IsWeightedByFlops) {
  ScheduleOptions schedule;
  schedule.block_width = 8;
  schedule.max_subtree_flops = 0.0;
  PlanOptions cut;
  cut.host_schedule = schedule;
  const Problem<double> problem(io::generate("lap3d:9"), cut);
  ExecutorOptions options;
  options.threads = 1;
  const auto executor = make_host_executor<double>(problem.plan->host_plan(), options);
  EXPECT_GT(fractions_of(problem, *executor).size(), 40U);
}

/// Whichever call throws, the next factorization must be correct.
TEST(HostProgress, ExceptionCancelsAndTheNextFactorizationSucceeds) {
  allow_threads(4);
  const Problem<double> problem(io::generate("lap3d:6"), host_cuts()[2]);
  for (const int threads : {1, 3}) {
    ExecutorOptions options;
    options.threads = threads;
    const auto executor = make_host_executor<double>(problem.plan->host_plan(), options);
    const Dense a = problem.permuted();
    for (int k = 0;; ++k) {
      int calls = 0;
      const ProgressCallback report_progress = [&](double) {
        if (calls++ == k) throw k;
      };
      FactorInput<double> input = problem.input();
      input.report_progress = &report_progress;
      bool thrown = false;
      try {
        executor->factorization().factorize(input);
      } catch (const int& number) {
        thrown = true;
        EXPECT_EQ(number, k);
        EXPECT_EQ(calls, k + 1) << "called again after a throw";
      }
      executor->factorization().factorize(problem.input());
      expect_product<double>(a, dense_factor(*problem.plan, *executor));
      if (!thrown) break;
      ASSERT_LT(k, 200);
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
