/// Tests slices, lanes and JSON of traces, without an executor.

#include "solver/backend/trace.hpp"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "solver/backend/factor_progress.hpp"

namespace gpusupernodal::test {
namespace {

TraceSlice slice(std::int32_t lane, std::int64_t begin, std::int64_t end, Regime regime = Regime::none) {
  TraceSlice s;
  s.name = "work";
  s.group = TraceGroup::multiprocessors;
  s.regime = regime;
  s.lane = lane;
  s.begin = begin;
  s.end = end;
  return s;
}

TEST(Trace, WorkRunsWithoutATrace) {
  int done = 0;
  traced(nullptr, 0, call_slice("call"), [&] { ++done; });
  EXPECT_EQ(done, 1);
}

TEST(Trace, RecordsSlicesUntilCleared) {
  Trace trace(2);
  traced(&trace, 1, call_slice("second"), [] {});
  traced(&trace, 0, call_slice("third"), [] {});
  ASSERT_EQ(trace.slices().size(), 2U);
  for (const TraceSlice& s : trace.slices()) {
    EXPECT_GE(s.begin, 0);
    EXPECT_GE(s.end, s.begin);
    EXPECT_LE(s.end, trace.now());
  }
  EXPECT_STREQ(trace.slices()[0].name, "second") << "sorted by time within a lane, whoever wrote it";
  trace.clear();
  EXPECT_TRUE(trace.slices().empty());
}

TEST(Trace, WorkThatThrowsLeavesNoSlice) {
  Trace trace(1);
  EXPECT_THROW(traced(&trace, 0, call_slice("call"), [] { throw 1; }), int);
  EXPECT_TRUE(trace.slices().empty());
}

TEST(TraceJson, HasEverySliceWithItsNumbersAndEveryLaneWithItsName) {
  Trace trace(1);
  TraceSlice task = slice(3 * lanes_a_multiprocessor + 2, 1234567, 1234570, Regime::top);
  task.task = 7;
  task.supernode = 11;
  task.flops = 1e9;
  trace.add(0, task);
  trace.add(0, call_slice("factorize"));
  const nlohmann::json json = nlohmann::json::parse(trace_json(trace));
  EXPECT_EQ(json["slices_left_out"], 0);
  nlohmann::json found;
  std::set<std::string> names;
  for (const auto& event : json["traceEvents"]) {
    if (event["name"] == "work") found = event;
    if (event["ph"] == "M") names.insert(event["args"]["name"].get<std::string>());
  }
  EXPECT_EQ(found["ph"], "X");
  EXPECT_DOUBLE_EQ(found["ts"].get<double>(), 1234.567);
  EXPECT_DOUBLE_EQ(found["dur"].get<double>(), 0.003);
  EXPECT_EQ(found["args"]["task"], 7);
  EXPECT_EQ(found["args"]["supernode"], 11);
  EXPECT_EQ(found["args"]["flops"], 1e9);
  EXPECT_EQ(found["args"]["regime"], "top");
  EXPECT_TRUE(names.count("SM 3, 2")) << trace_json(trace);
  EXPECT_TRUE(names.count("calls"));
}

TEST(TraceJson, EmptyTraceParses) {
  const nlohmann::json json = nlohmann::json::parse(trace_json(Trace(1)));
  for (const auto& event : json["traceEvents"]) EXPECT_EQ(event["ph"], "M");
}

TEST(BusySeconds, CountOverlapsOnceAndOtherRegimesNot) {
  const std::vector<TraceSlice> slices{slice(0, 0, 10, Regime::leaf), slice(1, 5, 12, Regime::leaf),
                                       slice(2, 6, 7, Regime::leaf),  slice(0, 20, 30, Regime::leaf),
                                       slice(0, 30, 90, Regime::top), slice(0, 0, 100)};
  EXPECT_DOUBLE_EQ(busy_seconds(slices, Regime::leaf), 22e-9);
  EXPECT_DOUBLE_EQ(busy_seconds(slices, Regime::top), 60e-9);
  EXPECT_EQ(busy_seconds(slices, Regime::middle), 0.0);
}

TEST(SpreadOverLanes, SlicesDoNotOverlapAndFewLanesAreUsed) {
  std::vector<TraceSlice> slices;
  for (std::int64_t i = 0; i < 60; ++i) slices.push_back(slice(static_cast<std::int32_t>(i % 2), 10 * i, 10 * i + 35));
  const std::vector<TraceSlice> spread = spread_over_lanes(slices);
  ASSERT_EQ(spread.size(), slices.size());
  std::map<std::int32_t, std::int64_t> free_from;
  for (const TraceSlice& s : spread) {
    EXPECT_GE(s.begin, free_from[s.lane]);
    free_from[s.lane] = s.end;
  }
  EXPECT_EQ(free_from.size(), 4U) << "two of each multiprocessor's run at a time";
}

TEST(SpreadOverLanes, OmitsSlicesWithoutAFreeLane) {
  const std::vector<TraceSlice> slices(static_cast<std::size_t>(lanes_a_multiprocessor) + 3, slice(0, 0, 10));
  EXPECT_EQ(spread_over_lanes(slices).size(), static_cast<std::size_t>(lanes_a_multiprocessor));
}

TEST(FactorProgress, CountsAllWorkersAndReportsFromTheFirst) {
  std::vector<double> reported;
  const ProgressCallback report_progress = [&](double fraction) { reported.push_back(fraction); };
  FactorProgress progress(&report_progress, 100.0);
  progress.done(1, 50.0);
  EXPECT_EQ(reported, (std::vector<double>{0.0})) << "worker 1 is on another thread";
  progress.done(0, 0.25);
  EXPECT_EQ(reported.back(), 0.5025);
  progress.done(0, 0.5);
  EXPECT_EQ(reported.size(), 2U) << "less than a step more";
  progress.done(0, 0.5);
  EXPECT_EQ(reported.back(), 0.5125);
  progress.done(0, 60.0);
  EXPECT_EQ(reported.size(), 3U) << "1 is for the end";
  progress.end();
  EXPECT_EQ(reported.back(), 1.0);
}

TEST(FactorProgress, WithoutACallbackDoesNothing) {
  FactorProgress progress(nullptr, 1.0);
  progress.done(0, 1.0);
  progress.end();
}

}  // namespace
}  // namespace gpusupernodal::test
