#include "solver/symbolic/ordering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "io/symmetric_matrix.hpp"
#include "solver/common/until_stopped.hpp"
#include "tests/solver/symbolic/graphs.hpp"
#include "tests/support/data.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

void expect_permutation(const EliminationOrder& order, std::int32_t n) {
  ASSERT_EQ(order.size(), static_cast<std::size_t>(n));
  std::vector<bool> seen(static_cast<std::size_t>(n), false);
  for (OldIndex i : order) {
    ASSERT_TRUE(i.value >= 0 && i.value < n) << i.value;
    ASSERT_FALSE(seen[static_cast<std::size_t>(i.value)]) << i.value << " twice";
    seen[static_cast<std::size_t>(i.value)] = true;
  }
}

ChosenOrder order_by(const AdjacencyGraph& graph, Ordering ordering) {
  SymbolicOptions options;
  options.ordering = ordering;
  ThreadTeam team(1);
  ChosenOrder chosen = choose_order(graph, options, team);
  if (chosen.tree) chosen.order = chosen.tree->permutation.old_of_new;
  return chosen;
}

TEST(Ordering, EveryMethodGivesAPermutationOfEveryGraph) {
  for (const auto& a : small_matrices()) {
    SCOPED_TRACE(a.name);
    const AdjacencyGraph graph = graph_of(a);
    for (Ordering ordering : all_orderings()) expect_permutation(order_by(graph, ordering).order, graph.order);
  }
}

/// Number of entries of L in the natural order that are not in A.
std::int64_t natural_fill(const AdjacencyGraph& graph) {
  ThreadTeam team(1);
  return build_column_tree(graph, permutation_from(natural_order(graph.order)), team).nonzeros() - graph.order -
         static_cast<std::int64_t>(graph.neighbours.size()) / 2;
}

/// A flag that is set in the middle of the ordering ends it there.
TEST(Ordering, AFlagCancelsDissectionsBetweenTheirPieces) {
  const AdjacencyGraph graph = graph_of(io::generate("lap3d:20"));
  for (const int threads : {1, 3}) {
    for (const std::int32_t factorizations : {1, 100, 1000000}) {
      for (const Ordering ordering : {Ordering::automatic, Ordering::nested_dissection}) {
        ThreadTeam team(threads);
        SymbolicOptions options;
        options.ordering = ordering;
        options.expected_factorizations = factorizations;
        std::atomic<bool> flag{false};
        team.execute([&] { EXPECT_FALSE(choose_order(graph, options, team, &flag).reason.empty()); });
        flag = true;
        EXPECT_TRUE(dissection_order(graph, 0, team, nullptr, &flag).empty());
        SymbolicReport report;
        EXPECT_THROW(analyze_graph(graph, options, report, team, UntilStopped{&flag}), Cancelled);
        const bool dissects = ordering == Ordering::nested_dissection || factorizations > 1;
        if (dissects) team.execute([&] { EXPECT_THROW(choose_order(graph, options, team, &flag), Cancelled); });
        std::thread other([&flag] { flag = true; });
        flag = false;
        try {  // Either ends, by the order or by Cancelled.
          static_cast<void>(analyze_graph(graph, options, report, team, UntilStopped{&flag}));
        } catch (const Cancelled&) {
          EXPECT_TRUE(flag);
        }
        other.join();
      }
    }
  }
}

TEST(Ordering, AutomaticKeepsANaturalOrderWithoutFill) {
  int without = 0;
  int with = 0;
  const auto check = [&](const AdjacencyGraph& graph) {
    const bool none = natural_fill(graph) == 0;
    ++(none ? without : with);
    EXPECT_EQ(order_by(graph, Ordering::automatic).method == Ordering::natural, none);
  };
  for (const auto& a : small_matrices()) check(graph_of(a));
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    // Few enough edges that some graphs have no fill.
    check(graph_of(random_spd(6, 1 + seed % 9, seed)));
  }
  EXPECT_GT(without, 50);
  EXPECT_GT(with, 50);
}

TEST(Ordering, IsolatedVerticesAreOrderedToo) {
  std::vector<std::vector<std::int64_t>> lists(50);
  lists[10] = {10, 30};
  lists[31] = {31, 32, 49};
  const OwnedPattern pattern(lists);
  const AdjacencyGraph graph = build_adjacency(pattern.view());
  expect_permutation(metis_order(graph), 50);
  expect_permutation(amd_order(graph), 50);
}

/// A tree of n vertices, n a prime: vertex i ≥ 1 is joined to an earlier one, and vertices are renamed by i·97 mod n. If
/// cycle > 0, the first `cycle` vertices form a cycle.
AdjacencyGraph tree(std::int64_t n, std::int64_t cycle) {
  std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(n));
  const auto join = [&](std::int64_t a, std::int64_t b) {
    const auto [less, greater] = std::minmax({a * 97 % n, b * 97 % n});  // Two copies, not references to temporaries.
    lists[static_cast<std::size_t>(less)].push_back(greater);
  };
  for (std::int64_t i = 1; i < n; ++i) join(i, i < cycle ? i - 1 : i * i % n % i);
  if (cycle > 0) join(0, cycle - 1);
  for (auto& list : lists) std::sort(list.begin(), list.end());
  return build_adjacency(OwnedPattern(lists).view());
}

ColumnTree tree_of(const AdjacencyGraph& graph, const EliminationOrder& order) {
  ThreadTeam team(1);
  return build_column_tree(graph, permutation_from(EliminationOrder(order)), team);
}

std::int64_t filled_by_minimum_degree(const AdjacencyGraph& graph) {
  const EliminationOrder order = amd_order(graph);
  expect_permutation(order, graph.order);
  return tree_of(graph, order).nonzeros() - graph.order - static_cast<std::int64_t>(graph.neighbours.size()) / 2;
}

TEST(Ordering, MinimumDegreeHasMinimalFillOnTreesAndCycles) {
  for (const std::int64_t n : {1009, 499}) {
    EXPECT_EQ(filled_by_minimum_degree(tree(n, 0)), 0);
    for (const std::int64_t cycle : {3, 4, 5, 30, 300}) {
      // The elimination of each vertex of the cycle but the last three joins its two neighbours.
      EXPECT_EQ(filled_by_minimum_degree(tree(n, cycle)), cycle - 3) << n << ' ' << cycle;
    }
  }
}

// A small cycle is eliminated at many places independently, so the tree is low.
TEST(Ordering, MinimumDegreeGivesALowTreeForASmallCycle) {
  std::vector<std::vector<std::int64_t>> lists(500);
  for (std::int64_t i = 0; i + 1 < 500; ++i) lists[static_cast<std::size_t>(i)] = {i + 1};
  lists[0].push_back(499);
  const AdjacencyGraph graph = build_adjacency(OwnedPattern(lists).view());
  EXPECT_LE(tree_of(graph, amd_order(graph)).height(), 4 * 9);  // log₂ 500 < 9
}

// In sparse graphs of up to 1000 vertices, those with two neighbours are eliminated first. Larger graphs show the fill
// without.
TEST(Ordering, MinimumDegreeFillIsAlikeForSmallAndLargeSparseGraphs) {
  for (const std::int64_t edges_a_row : {1, 2}) {
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
      std::vector<std::vector<std::int64_t>> lists(900);
      std::mt19937 generator(seed);
      std::set<std::pair<std::int64_t, std::int64_t>> edges;
      for (std::int64_t e = 0; e < edges_a_row * 900; ++e) {
        const std::int64_t a = generator() % 900;
        const std::int64_t b = generator() % 900;
        if (a != b) edges.insert(std::minmax({a, b}));
      }
      for (const auto& [a, b] : edges) lists[static_cast<std::size_t>(a)].push_back(b);
      const AdjacencyGraph small = build_adjacency(OwnedPattern(lists).view());
      lists.resize(1001);  // Adds isolated vertices.
      const AdjacencyGraph large = build_adjacency(OwnedPattern(lists).view());
      const auto without = static_cast<double>(filled_by_minimum_degree(large));
      EXPECT_LE(static_cast<double>(filled_by_minimum_degree(small)), 1.15 * without) << edges_a_row << ' ' << seed;
    }
  }
}

TEST(Ordering, MetisLeavesTheProcessRandomNumbersAlone) {
  const AdjacencyGraph graph = graph_of(io::generate("lap2d:20"));
  std::srand(11);
  const int first = std::rand();
  const int second = std::rand();
  std::srand(11);
  EXPECT_EQ(std::rand(), first);
  metis_order(graph);
  EXPECT_EQ(std::rand(), second);
}

TEST(Ordering, MetisGivesTheSameOrderEveryTimeAndFromEveryThread) {
  const AdjacencyGraph graph = graph_of(io::generate("lap2d:40"));
  const EliminationOrder expected = metis_order(graph);
  std::vector<EliminationOrder> orders(4);
  std::vector<std::thread> threads;
  for (auto& order : orders) threads.emplace_back([&graph, &order] { order = metis_order(graph); });
  for (auto& thread : threads) thread.join();
  for (const auto& order : orders) EXPECT_EQ(order, expected);
}

std::string user_sentence(std::int32_t n, const std::vector<std::int64_t>& permutation) {
  try {
    user_order(n, permutation);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(Ordering, UserPermutationsAreChecked) {
  EXPECT_EQ(user_sentence(3, {2, 0, 1}), "");
  EXPECT_EQ(user_sentence(0, {}), "");
  EXPECT_EQ(user_sentence(3, {2, 0}), "the permutation has 2 entries, but the matrix has 3 rows");
  EXPECT_EQ(user_sentence(3, {0, 3, 1}), "permutation[1] is 3, but the rows of the matrix are 0 to 2");
  EXPECT_EQ(user_sentence(3, {0, -1, 1}), "permutation[1] is -1, but the rows of the matrix are 0 to 2");
  EXPECT_EQ(user_sentence(3, {1, 0, 1}), "permutation[0] and permutation[2] are both 1; every row must occur exactly once");
}

TEST(Ordering, AutomaticReportsItsChoiceAndReason) {
  const ChosenOrder diagonal = order_by(graph_of(diagonal_spd(100)), Ordering::automatic);
  EXPECT_EQ(diagonal.method, Ordering::natural);
  EXPECT_NE(diagonal.reason, "");
  const ChosenOrder chain = order_by(graph_of(chain_spd(500)), Ordering::automatic);
  EXPECT_EQ(chain.method, Ordering::natural) << chain.reason;
  const ChosenOrder cube = order_by(graph_of(io::generate("lap3d:15")), Ordering::automatic);
  EXPECT_EQ(cube.method, Ordering::nested_dissection) << cube.reason;
  EXPECT_NE(cube.reason.find("amd"), std::string::npos) << "the reason names the alternative";
}

/// Separators of this matrix have up to a third of its rows. Without them, the dissection would be minimum degree, with
/// narrow supernodes.
TEST(Ordering, DissectionKeepsLargeSeparators) {
  const std::vector<std::string> files = project_matrices();
  const auto file = std::find_if(files.begin(), files.end(),
                                 [](const std::string& path) { return path.ends_with("/Trefethen_2000.mtx.gz"); });
  ASSERT_NE(file, files.end());
  const AdjacencyGraph graph = graph_of(io::load(*file));
  ThreadTeam team(1);
  const ColumnTree amd = build_column_tree(graph, permutation_from(amd_order(graph)), team);
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const ColumnTree own = build_column_tree(graph, permutation_from(dissection_order(graph, seed, team)), team);
    EXPECT_LT(own.flops(), 0.95 * amd.flops()) << "seed " << seed;
  }
}

/// An example in which the order with fewer flops has the longer path.
TEST(Ordering, AutomaticForADeviceConsidersTheLongestPath) {
  const AdjacencyGraph graph = graph_of(io::generate("shell:20"));
  ThreadTeam team(1);
  const ColumnTree amd = build_column_tree(graph, permutation_from(amd_order(graph)), team);
  const ColumnTree dissection = build_column_tree(graph, permutation_from(dissection_order(graph, 0, team)), team);
  ASSERT_EQ(dissection.flops() < amd.flops(), amd.height() < dissection.height()) << "no example any more";
  const auto chosen = [&](bool for_device) {
    SymbolicOptions options;
    options.for_device = for_device;
    return automatic_order(graph, options, team);
  };
  EXPECT_EQ(chosen(true).tree->height(), std::min(amd.height(), dissection.height()));
  EXPECT_NE(chosen(true).reason.find("longest path"), std::string::npos);
  EXPECT_EQ(chosen(false).tree->flops(), std::min(amd.flops(), dissection.flops()));
}

TEST(Ordering, AutomaticComparesOrderingTimeWithSavedFlops) {
  const AdjacencyGraph graph = graph_of(io::generate("lap3d:12"));
  ThreadTeam team(1);
  const auto automatic = [&](std::int32_t factorizations) {
    SymbolicOptions options;
    options.expected_factorizations = factorizations;
    return automatic_order(graph, options, team);
  };
  const auto flops = [&](EliminationOrder order) {
    return build_column_tree(graph, permutation_from(std::move(order)), team).flops();
  };
  const ChosenOrder once = automatic(1);
  EXPECT_EQ(once.method, Ordering::amd);
  EXPECT_NE(once.reason.find("in 1 factorizations"), std::string::npos) << once.reason;
  const ChosenOrder hundreds = automatic(200);
  EXPECT_EQ(hundreds.method, Ordering::nested_dissection) << hundreds.reason;
  const ChosenOrder thousand = automatic(1000);
  EXPECT_LE(thousand.tree->flops(), hundreds.tree->flops());
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    EXPECT_LE(thousand.tree->flops(), flops(dissection_order(graph, seed, team)));
  EXPECT_LE(thousand.tree->flops(), flops(amd_order(graph)));
}

}  // namespace
}  // namespace gpusupernodal::test
