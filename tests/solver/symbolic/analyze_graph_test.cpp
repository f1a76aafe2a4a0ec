#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "tests/solver/symbolic/graphs.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

TEST(AnalyzeGraph, ReportsOrderingReasonAndTimes) {
  SymbolicReport report;
  analyze_graph(graph_of(random_spd(300, 900, 1)), SymbolicOptions{}, report);
  EXPECT_NE(report.ordering, Ordering::automatic) << "the one used";
  EXPECT_NE(report.reason, "");
  EXPECT_GT(report.seconds_ordering, 0.0);
  EXPECT_GT(report.seconds_symbolic, 0.0);
}

TEST(AnalyzeGraph, TellsItsStepsInOrder) {
  std::vector<std::string> steps;
  SymbolicReport report;
  analyze_graph(graph_of(chain_spd(20)), SymbolicOptions{}, report, [&](const Progress& progress) {
    steps.emplace_back(progress.phase);
    return true;
  });
  EXPECT_EQ(steps, (std::vector<std::string>{"ordering", "elimination tree", "supernodes", "row structures"}));
}

TEST(AnalyzeGraph, CanBeCancelledAtEveryStep) {
  const AdjacencyGraph graph = graph_of(chain_spd(20));
  for (int steps = 0; steps < 4; ++steps) {
    SymbolicReport report;
    report.reason = "untouched";
    int left = steps;
    const auto cancel = [&](const Progress&) { return left-- > 0; };
    EXPECT_THROW(analyze_graph(graph, SymbolicOptions{}, report, cancel), Cancelled);
    EXPECT_EQ(report.reason, "untouched");
  }
}

TEST(AnalyzeGraph, RefusesAUserPermutationThatIsNone) {
  const std::vector<std::int64_t> twice{0, 1, 1};
  SymbolicOptions options;
  options.ordering = Ordering::user;
  options.user_permutation = twice;
  SymbolicReport report;
  EXPECT_THROW(analyze_graph(graph_of(chain_spd(3)), options, report), InvalidInput);
}

TEST(AnalyzeGraph, IsTheSameEveryTime) {
  const AdjacencyGraph graph = graph_of(random_spd(400, 1600, 9));
  const SymbolicFactor first = analyze(graph, Ordering::automatic, Merging::bounded);
  const SymbolicFactor second = analyze(graph, Ordering::automatic, Merging::bounded);
  EXPECT_EQ(first.permutation.old_of_new, second.permutation.old_of_new);
  EXPECT_EQ(first.rows, second.rows);
}

}  // namespace
}  // namespace gpusupernodal::test
