/// What CTAs record about themselves in a trace, on a device.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include "solver/backend/trace.hpp"
#include "tests/solver/backend/problem.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

/// By name: the number of tasks according to the launches, and the number of slices that CTAs recorded.
struct Counts {
  std::map<std::string, std::int64_t> launched, noted;
};

Counts counts_of(const FactorPlan& plan, const std::vector<TraceSlice>& slices) {
  Counts counts;
  for (const TraceSlice& slice : slices) {
    EXPECT_LE(slice.begin, slice.end) << slice.name;
    if (slice.group == TraceGroup::streams) counts.launched[slice.name] += slice.task;
    if (slice.group != TraceGroup::multiprocessors) continue;
    ++counts.noted[slice.name];
    EXPECT_GE(slice.supernode, 0);
    EXPECT_LT(slice.supernode, plan.symbolic.supernodes());
  }
  return counts;
}

TEST(CudaTraceOnDevice, HasEveryTaskOnce) {
  const CudaAvailability cuda = cuda_availability();
  if (!cuda.available) GTEST_SKIP() << cuda.reason;
  const Problem<double> problem(io::generate("lap3d:20"));
  ExecutorOptions options;
  options.trace = true;
  const auto executor = make_cuda_executor<double>(problem.plan->cuda_plan(), options);
  const std::vector<double> b = random_vector(problem.a.n, 1);
  std::vector<double> x(b.size());
  for (int repetition = 0; repetition < 2; ++repetition) {
    executor->factorization().factorize(problem.input());
    executor->factorization().solve(SolveSteps(), DenseView<const double>(b.data(), problem.a.n),
                                    DenseView<double>(x.data(), problem.a.n));
    const Trace* const trace = executor->context().trace();
    ASSERT_NE(trace, nullptr);
    EXPECT_EQ(trace->left_out(), 0);
    Counts counts = counts_of(*problem.plan, trace->slices());
    for (const char* name : {"product", "forward", "backward"}) EXPECT_GT(counts.noted[name], 0) << name;
    // Diagonal blocks and the rows below them run in one launch or in two.
    EXPECT_GT(counts.noted["column"] + counts.noted["diagonal"], 0);
    for (const char* name : {"column", "scale", "forward", "backward"})
      EXPECT_EQ(counts.noted[name], counts.launched[name]) << name;
    // A launch of products may contain the next level's diagonal blocks, which are recorded as "diagonal".
    EXPECT_EQ(counts.noted["product"] + counts.noted["diagonal"], counts.launched["product"] + counts.launched["diagonal"]);
    EXPECT_LE(counts.launched["diagonal"], counts.noted["diagonal"]);
    // One CTA may factorize several small fronts.
    EXPECT_GT(counts.noted["front"], 0);
    EXPECT_LE(counts.noted["front"], counts.launched["front"]);
  }
}

/// Slices of CTAs lie within those of the launches, up to clock differences and delays of events between kernels.
TEST(CudaTraceOnDevice, PutsTasksWhereTheirLaunchesAre) {
  const CudaAvailability cuda = cuda_availability();
  if (!cuda.available) GTEST_SKIP() << cuda.reason;
  constexpr std::int64_t slack = 100'000;  // Nanoseconds.
  const Problem<double> problem(io::generate("lap3d:20"));
  ExecutorOptions options;
  options.trace = true;
  const auto executor = make_cuda_executor<double>(problem.plan->cuda_plan(), options);
  executor->factorization().factorize(problem.input());
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = 0;
  const std::vector<TraceSlice> slices = executor->context().trace()->slices();
  for (const TraceSlice& slice : slices) {
    if (slice.group != TraceGroup::streams) continue;
    first = std::min(first, slice.begin);
    last = std::max(last, slice.end);
  }
  for (const TraceSlice& slice : slices) {
    if (slice.group != TraceGroup::multiprocessors) continue;
    EXPECT_GE(slice.begin, first - slack);
    EXPECT_LE(slice.end, last + slack);
  }
}

}  // namespace
}  // namespace gpusupernodal::test
