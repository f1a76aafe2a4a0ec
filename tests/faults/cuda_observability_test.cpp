/// Tests of traces and progress of the CUDA backend: events and their number, not times. Without a device, on a
/// simulated one.

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/faults/cuda_subject.hpp"
#include "tests/faults/stream_watch.hpp"

namespace gpusupernodal::test {
namespace {

Options traced_options(CudaSchedule schedule) {
  Options options = cuda_options(schedule);
  options.trace = true;
  return options;
}

/// Number of slices per name in a group (2: threads, 3: streams).
std::map<std::string, int> slices_of(const nlohmann::json& trace, int group) {
  std::map<std::string, int> counts;
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] == "X" && event["pid"] == group) ++counts[event["name"].get<std::string>()];
  }
  return counts;
}

TEST(CudaTrace, HasEveryLaunchOnItsStreamAndRestartsWithAFactorization) {
  for (const CudaSchedule schedule : {CudaSchedule::levels, CudaSchedule::streams}) {
    const Subject subject("lap3d:16");
    Solver<double> solver(traced_options(schedule));
    solver.analyze(subject.stored.view());
    for (int repetition = 0; repetition < 2; ++repetition) {
      solver.factorize(subject.stored.view());
      solution(solver, right_hand_side<double>(solver.order()));
      const nlohmann::json trace = nlohmann::json::parse(solver.trace_json());
      const std::map<std::string, int> launches = slices_of(trace, 3);
      // With *streams*, block tasks are named after their kinds.
      const char* const often = schedule == CudaSchedule::levels ? "product" : "scale_diagonal";
      for (const char* name : {"assemble", often, "merge_inverses", "forward", "backward", "permute_in", "permute_out"}) {
        EXPECT_TRUE(launches.count(name)) << name;
      }
      EXPECT_EQ(launches.at("forward"), 1);
      EXPECT_EQ(launches.at("assemble"), 1);
      EXPECT_GT(launches.at(often), 1);
    }
  }
}

/// Without a trace, only the events that order the streams are recorded, and no memory is allocated for a trace.
TEST(CudaTrace, AllocatesNothingIfSwitchedOff) {
  const Subject subject("lap3d:9");
  Solver<double> off(cuda_options(CudaSchedule::levels));
  off.analyze(subject.stored.view());
  Solver<double> on_too(traced_options(CudaSchedule::levels));
  on_too.analyze(subject.stored.view());
  EXPECT_GT(on_too.analyze_report().memory.workspace, off.analyze_report().memory.workspace);
  const std::int64_t objects = cuda_objects();
  off.factorize(subject.stored.view());
  solution(off, right_hand_side<double>(off.order()));
  EXPECT_EQ(cuda_objects(), objects) << "an event was made";
}

std::vector<double> fractions(Solver<double>& solver, const Subject& subject, std::size_t stop_at = 0) {
  std::vector<double> reported;
  Options options = solver.options();
  options.factor_progress = [&](const Progress& progress) {
    reported.push_back(progress.fraction);
    return reported.size() != stop_at;
  };
  solver.set_options(options);
  try {
    solver.factorize(subject.stored.view());
    EXPECT_NE(reported.size(), stop_at) << "the cancellation was ignored";
  } catch (const Cancelled&) {
    EXPECT_EQ(reported.size(), stop_at);
    EXPECT_FALSE(solver.is_factorized());
    EXPECT_EQ(stream_watch().unsettled(), 0U) << "kernels of the cancelled call still run";
  }
  return reported;
}

TEST(CudaProgress, AscendsAndMayBeCancelledAtAnyCall) {
  const Subject subject("lap3d:16");
  for (const CudaSchedule schedule : {CudaSchedule::levels, CudaSchedule::streams}) {
    Solver<double> solver(cuda_options(schedule));
    solver.analyze(subject.stored.view());
    const std::vector<double> all = fractions(solver, subject);
    ASSERT_GE(all.size(), 2U);
    EXPECT_EQ(all.front(), 0.0);
    EXPECT_EQ(all.back(), 1.0);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
    EXPECT_LE(all.size(), 22U);
    if (schedule == CudaSchedule::levels) {
      EXPECT_GT(all.size(), 5U) << "levels of this tree are reported separately";
    }
    for (std::size_t k = 1; k <= all.size(); ++k) {
      EXPECT_EQ(fractions(solver, subject, k).size(), k);
      EXPECT_EQ(fractions(solver, subject), all) << "the next factorization is a whole one";
      EXPECT_TRUE(solver.is_factorized());
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
