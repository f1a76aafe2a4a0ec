/// Tests of what is drawn for traces and trees that no small problem has.

#include <gtest/gtest.h>

#include <vector>

#include "base/fmt.hpp"
#include "cli/plot/svg.hpp"
#include "cli/plot/trace_plot.hpp"
#include "cli/plot/tree_plot.hpp"
#include "cli/progress.hpp"

namespace gpusupernodal::test {
namespace {

constexpr std::size_t largest_file = 1'500'000;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct Event {
  int process = 1;
  int lane = 0;
  double begin = 0.0;
  double duration = 1.0;
  std::string name = "task";
  std::string regime;
};

/// A trace in the format of Solver::trace_json.
std::string trace_of(const std::vector<Event>& events, int left_out = 0) {
  std::string text = fmt::format(R"({{"displayTimeUnit":"ns","slices_left_out":{},"traceEvents":[)", left_out);
  const char* const groups[] = {"calls", "host threads", "CUDA streams", "CUDA multiprocessors"};
  for (int process = 1; process <= 4; ++process) {
    text += fmt::format(R"({}{{"ph":"M","name":"process_name","pid":{},"tid":0,"args":{{"name":"{}"}}}})",
                        process == 1 ? "" : ",\n", process, groups[process - 1]);
  }
  for (const Event& e : events) {
    text += fmt::format(R"(,{{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"lane {}"}}}})", e.process,
                        e.lane, e.lane);
    const std::string regime = e.regime.empty() ? "" : fmt::format(R"("regime":"{}")", e.regime);
    text += fmt::format(R"(,{{"ph":"X","name":"{}","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{{}}}}})", e.name,
                        e.process, e.lane, e.begin, e.duration, regime);
  }
  return text + "]}";
}

TEST(TracePlot, ManyLanesShareRowsAndTheFileStaysSmall) {
  std::vector<Event> events;
  for (int lane = 0; lane < 2000; ++lane) {
    for (int k = 0; k < 6; ++k)
      events.push_back({4, lane, 10.0 * k + 0.001 * lane, 0.3 * (lane % 30), "tile", k % 2 == 0 ? "middle" : "top"});
  }
  const std::string svg = cli::trace_plot(trace_of(events, 7), "m");
  EXPECT_LT(svg.size(), largest_file);
  EXPECT_TRUE(contains(svg, "CUDA multiprocessors: 2,000 lanes, 84 in a row")) << svg.substr(0, 3000);
  EXPECT_TRUE(contains(svg, "7 slices left out"));
  EXPECT_TRUE(contains(svg, ">lane 0 …<") && contains(svg, ">lane 84 …<") && !contains(svg, ">lane 83"));
}

TEST(TracePlot, ColoursFollowThePartAndTheShareOfTheTime) {
  // 740 bins of 1 µs: the first lane is busy all of the time, the second in less than half of each bin.
  std::vector<Event> events{{1, 0, 0.0, 740.0, "factorize", ""}, {2, 0, 0.0, 740.0, "task", "top"}};
  for (int k = 0; k < 740; ++k) events.push_back({2, 1, k + 0.1, 0.3, "task", "leaf"});
  const std::string svg = cli::trace_plot(trace_of(events), "m");
  EXPECT_TRUE(contains(svg, "class='cells call lane'") && contains(svg, ">factorize<"));
  EXPECT_TRUE(contains(svg, "class='cells top lane'") && !contains(svg, "class='cells top lane part'"));
  EXPECT_TRUE(contains(svg, "class='cells leaf lane part'") && !contains(svg, "class='cells leaf lane'"));
  EXPECT_TRUE(contains(svg, "d='M0 0.5h740'")) << "adjacent bins are one stroke";
  EXPECT_TRUE(contains(svg, ">microseconds<"));
}

TEST(TracePlot, AnEmptyTraceIsAPage) {
  const std::string svg = cli::trace_plot(trace_of({}), "m");
  EXPECT_TRUE(contains(svg, "Time line of m") && contains(svg, "</svg>"));
}

TEST(TreePlot, PlacesSubtreesByColumnsAndDepth) {
  // Two leaves of 300 and 100 columns under a root of 400: n = 800, depth = 700.
  const std::string svg = cli::tree_plot({{300, 2, false}, {100, 2, true}, {400, -1, false}}, "m");
  EXPECT_TRUE(contains(svg, "<rect class='box top' x='110' y='343.43' width='300' height='188.57'/>")) << svg;
  EXPECT_TRUE(contains(svg, "<rect class='box leaf' x='410' y='343.43' width='100' height='62.86'/>")) << svg;
  EXPECT_TRUE(contains(svg, "<rect class='box top' x='110' y='92' width='800' height='251.43'/>")) << svg;
  EXPECT_TRUE(contains(svg, ">400<") && contains(svg, ">300<"));
}

TEST(TreePlot, SmallSupernodesShareARaster) {
  std::vector<cli::TreeNode> nodes;
  for (int k = 0; k < 200'000; ++k) nodes.push_back({1, 200'000, k % 3 == 0});
  nodes.push_back({1000, -1, false});
  const std::string svg = cli::tree_plot(nodes, "m");
  EXPECT_LT(svg.size(), largest_file);
  EXPECT_TRUE(contains(svg, "class='cells middle'"));
  EXPECT_TRUE(contains(svg, "200,001 supernodes;"));
  // A chain is as deep as it has columns.
  std::vector<cli::TreeNode> chain;
  for (int k = 0; k < 50'000; ++k) chain.push_back({1, k + 1 < 50'000 ? k + 1 : -1, false});
  EXPECT_LT(cli::tree_plot(chain, "m").size(), largest_file);
}

TEST(TreePlot, OfNoSupernodesIsAPage) { EXPECT_TRUE(contains(cli::tree_plot({}, "m"), "0 supernodes;")); }

TEST(Svg, RoundStepsAreFewAndRound) {
  EXPECT_EQ(cli::round_steps(100.0, 5), (std::vector<double>{0, 20, 40, 60, 80, 100}));
  EXPECT_EQ(cli::round_steps(7.0, 4), (std::vector<double>{0, 2, 4, 6}));
  EXPECT_EQ(cli::round_steps(0.0, 4), (std::vector<double>{0}));
  for (const double last : {1e-6, 0.37, 1.0, 12345.0, 2e9}) EXPECT_LE(cli::round_steps(last, 6).size(), 7U) << last;
}

TEST(Svg, TextIsEscaped) {
  EXPECT_EQ(cli::xml_text("a<b>&c"), "a&lt;b&gt;&amp;c");
  EXPECT_EQ(cli::xml_text("\x01\xff"), "\uFFFD\uFFFD");
}

TEST(ProgressText, HasABarAndFitsTheTerminal) {
  EXPECT_EQ(cli::progress_text({"read", ""}, 3.2, 80, true), "read, 3 s");
  EXPECT_EQ(cli::progress_text({"factorize", "", 0.5}, 12.0, 80, false),
            "factorize  [############------------]  50 %, 12 s");
  EXPECT_EQ(cli::progress_text({"analyze", "ordering (step 1 of 7)", 0.0, true}, 2.0, 80, true),
            "analyze  ░░░░░░░░░░░░░░░░░░░░░░░░  ordering (step 1 of 7), 2 s");
  EXPECT_EQ(cli::progress_text({"factorize", "", 0.5}, 12.0, 30, true), "factorize  50 %, 12 s");
  EXPECT_EQ(cli::progress_text({"a long name of a matrix", ""}, 1.0, 20, true), "a long name of, 1 s");
  for (int columns = 1; columns < 100; ++columns)
    EXPECT_LT(cli::progress_text({"factorize", "détail", 1.0}, 1.0, columns, false).size(), std::max(columns, 6) + 1U);
}

}  // namespace
}  // namespace gpusupernodal::test
