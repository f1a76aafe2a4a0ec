#include "solver/symbolic/ordering_comparison.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "io/generators.hpp"
#include "solver/symbolic/elimination_tree.hpp"
#include "solver/symbolic/ordering.hpp"
#include "tests/solver/symbolic/geometric_graph.hpp"
#include "tests/solver/symbolic/graphs.hpp"
#include "tests/support/allow_threads.hpp"

namespace gpusupernodal::test {
namespace {

CostBound cost_of(const AdjacencyGraph& graph, EliminationOrder order) {
  const ColumnTree tree = build_column_tree(graph, permutation_from(std::move(order)));
  return {tree.flops(), static_cast<double>(tree.nonzeros()), static_cast<double>(tree.height())};
}

SymbolicOptions options_with(bool for_device, std::int32_t factorizations) {
  SymbolicOptions options;
  options.for_device = for_device;
  options.expected_factorizations = factorizations;
  return options;
}

struct Outcome {
  bool minimum_degree = false;
  int asked = 0;
};

/// Runs minimum degree with the dissection's cost known from query `known_at` on. Returns whether minimum degree is chosen.
Outcome outcome(const AdjacencyGraph& graph, const SymbolicOptions& options, const CostBound& dissection, int known_at) {
  OrderingComparison comparison(graph, options);
  Outcome result;
  EliminationOrder order = amd_order(graph, [&](const CostBound& so_far) {
    if (result.asked++ == known_at) comparison.set_dissection(dissection);
    return comparison.is_open(so_far);
  });
  comparison.set_dissection(dissection);
  if (order.empty()) return result;
  const CostBound cost = cost_of(graph, std::move(order));
  result.minimum_degree =
      comparison.seconds_saved(cost) < comparison.seconds_dissecting() || comparison.minimum_degree_wins(cost);
  return result;
}

const std::vector<std::string> names{"lap2d:30", "lap3d:9", "shell:8", "elas:5", "lap27:7"};

TEST(OrderingComparison, OutcomeDoesNotDependOnWhenTheDissectionEnds) {
  ThreadTeam one(1);
  int stopped = 0;
  int taken = 0;
  for (const std::string& name : names) {
    const AdjacencyGraph graph = graph_of(io::generate(name));
    const CostBound real = cost_of(graph, dissection_order(graph, 0, one));
    const CostBound own = cost_of(graph, amd_order(graph));
    // The actual ratio, ratios close to 1, and ratios far from 1.
    for (const double factor : {real.flops / own.flops, 0.01, 0.5, 0.999, 1.0, 1.001, 3.0}) {
      const CostBound dissection{own.flops * factor, own.nonzeros * factor, own.height * factor};
      for (const bool for_device : {false, true}) {
        for (const std::int32_t factorizations : {2, 100, 20'000}) {
          const SymbolicOptions options = options_with(for_device, factorizations);
          const Outcome never = outcome(graph, options, dissection, -1);
          taken += never.minimum_degree ? 1 : 0;
          for (const int known_at : {0, 1, 100, never.asked / 2, never.asked - 9, never.asked - 1}) {
            const Outcome then = outcome(graph, options, dissection, known_at);
            EXPECT_EQ(then.minimum_degree, never.minimum_degree) << name << ' ' << factor << ' ' << known_at;
            stopped += then.asked < never.asked ? 1 : 0;
          }
        }
      }
    }
  }
  EXPECT_GT(stopped, 100);
  EXPECT_GT(taken, 50);
}

/// In these graphs, some vertices that are absorbed into a pivot have fewer neighbours than the pivot.
TEST(OrderingComparison, OutcomeDoesNotDependOnTimingWhenTheCostsAreNearlyEqual) {
  const SymbolicOptions options = options_with(false, 1'000'000);
  for (const std::uint64_t seed : {1, 2, 3}) {
    const AdjacencyGraph graph = geometric_graph(1500, 8.0, seed);
    CostBound last;
    static_cast<void>(amd_order(graph, [&](const CostBound& so_far) {
      last = so_far;
      return true;
    }));
    CostBound dissection = last;
    dissection.flops *= 1.0 - 1e-5;
    const Outcome never = outcome(graph, options, dissection, -1);
    for (const int known_at : {0, never.asked / 2, never.asked - 1}) {
      const Outcome then = outcome(graph, options, dissection, known_at);
      EXPECT_EQ(then.minimum_degree, never.minimum_degree) << seed << ' ' << known_at;
    }
  }
}

/// Once a dissection exists, whatever it saves, minimum degree continues only while it may still be better.
TEST(OrderingComparison, StopsMinimumDegreeOnceItCannotWin) {
  const AdjacencyGraph graph = graph_of(io::generate("lap3d:10"));
  OrderingComparison comparison(graph, options_with(false, 1));
  const CostBound own = cost_of(graph, amd_order(graph));
  comparison.set_dissection({own.flops / 2.0, own.nonzeros, own.height});
  EXPECT_TRUE(comparison.is_open(own));
  EXPECT_FALSE(comparison.minimum_degree_may_win(own));
  EXPECT_TRUE(comparison.minimum_degree_may_win({own.flops / 4.0, own.nonzeros, own.height}));
}

TEST(OrderingComparison, StopsMinimumDegreeSoonAfterABetterDissection) {
  const AdjacencyGraph graph = graph_of(io::generate("lap3d:10"));
  const SymbolicOptions options = options_with(false, 100'000);
  const CostBound own = cost_of(graph, amd_order(graph));
  const int all = outcome(graph, options, own, -1).asked;
  CostBound half = own;
  half.flops /= 2.0;
  const int then = outcome(graph, options, half, 0).asked;
  EXPECT_LT(then, all);
  CostBound little = own;
  little.flops /= 100.0;
  EXPECT_LT(outcome(graph, options, little, 0).asked, then);
}

/// The choice and its reason are equal on any number of threads.
TEST(OrderingComparison, AutomaticDoesNotDependOnTheThreads) {
  allow_threads(8);
  std::vector<std::string> all = names;
  all.insert(all.end(), {"lap2d:92", "lap3d:21"});  // Large enough to compute both orders concurrently.
  for (const std::string& name : all) {
    const AdjacencyGraph graph = graph_of(io::generate(name));
    for (const bool for_device : {false, true}) {
      SymbolicOptions options = options_with(for_device, 100);
      ThreadTeam one(1);
      const ChosenOrder expected = automatic_order(graph, options, one);
      for (const int threads : {2, 8, 8, 8}) {
        ThreadTeam team(threads);
        team.execute([&] {
          const ChosenOrder chosen = automatic_order(graph, options, team);
          EXPECT_EQ(chosen.method, expected.method) << name;
          EXPECT_EQ(chosen.reason, expected.reason) << name;
          EXPECT_EQ(chosen.tree->permutation.old_of_new, expected.tree->permutation.old_of_new) << name;
        });
      }
    }
  }
}

/// A circuit whose minimum-degree tree has ten thousand columns on a path: on the host that costs nothing, on a device it is
/// all that counts.
TEST(OrderingComparison, PathsCountOnADeviceThatWasRequested) {
  const AdjacencyGraph graph = graph_of(io::generate("lap2d:190"));
  const CostBound tall{1.2e6, 1.5e5, 10'007.0};
  const CostBound dissected{2.4e6, 2.0e5, 600.0};
  for (const bool allow_host : {false, true}) {
    SymbolicOptions options = options_with(true, 100);
    options.allow_host = allow_host;
    OrderingComparison comparison(graph, options);
    EXPECT_EQ(comparison.seconds_saved(tall) > comparison.seconds_dissecting(), !allow_host);
    EXPECT_EQ(comparison.is_open(tall), true) << "the dissection is not known yet";
    comparison.set_dissection(dissected);
    EXPECT_EQ(comparison.minimum_degree_wins(tall), allow_host);
  }
}

}  // namespace
}  // namespace gpusupernodal::test
