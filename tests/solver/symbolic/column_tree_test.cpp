#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "io/symmetric_matrix.hpp"
#include "solver/symbolic/elimination_tree.hpp"
#include "solver/symbolic/independent_intervals.hpp"
#include "solver/symbolic/ordering.hpp"
#include "tests/solver/symbolic/graphs.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

/// Large enough to be distributed over threads.
constexpr const char* large_graphs[] = {"lap2d:160", "lap3d:30", "elas:20"};

EliminationOrder random_order(std::int32_t n) {
  EliminationOrder order = natural_order(n);
  std::shuffle(order.begin(), order.end(), std::mt19937(7));
  return order;
}

std::vector<Permutation> permutations_of(const AdjacencyGraph& graph) {
  ThreadTeam team(1);
  std::vector<Permutation> list;
  list.push_back(permutation_from(natural_order(graph.order)));
  list.push_back(permutation_from(random_order(graph.order)));
  list.push_back(permutation_from(amd_order(graph)));
  list.push_back(permutation_from(dissection_order(graph, 0, team)));
  return list;
}

TEST(IndependentIntervals, AreClosedDisjointAndNotTooLong) {
  ThreadTeam team(2);
  for (const char* name : large_graphs) {
    const AdjacencyGraph graph = graph_of(io::generate(name));
    for (const Permutation& permutation : permutations_of(graph)) {
      const Repetitions repetitions = find_repetitions(graph, permutation, team);
      for (const std::int32_t longest : {40, 1000, graph.order}) {
        NewIndex free(0);
        for (const RowInterval& rows : independent_intervals(graph, permutation, repetitions, longest, team)) {
          ASSERT_LE(free, rows.begin);
          ASSERT_LE(rows.end - rows.begin, longest);
          for (NewIndex row : IdRange<NewIndex>(rows.begin, rows.end)) {
            for (const OldIndex neighbour : graph.of(permutation.old_of_new[row]))
              ASSERT_GE(permutation.new_of_old[neighbour], rows.begin);
          }
          free = rows.end;
        }
      }
    }
  }
}

/// In a dissection, most rows lie in intervals of at most an eighth of the matrix; otherwise threads would have no work.
TEST(IndependentIntervals, CoverMostOfADissection) {
  ThreadTeam team(2);
  for (const char* name : large_graphs) {
    const AdjacencyGraph graph = graph_of(io::generate(name));
    const Permutation permutation = permutation_from(dissection_order(graph, 0, team));
    const Repetitions repetitions = find_repetitions(graph, permutation, team);
    std::int32_t covered = 0;
    for (const RowInterval& rows : independent_intervals(graph, permutation, repetitions, graph.order / 8, team))
      covered += rows.end - rows.begin;
    EXPECT_GE(covered, graph.order / 10 * 7) << name;
  }
}

TEST(ColumnTree, IsTheSameOnAnyNumberOfThreads) {
  for (const char* name : large_graphs) {
    const AdjacencyGraph graph = graph_of(io::generate(name));
    for (const Permutation& permutation : permutations_of(graph)) {
      const ColumnTree expected = build_column_tree(graph, permutation);
      for (const int threads : {2, 3, 8}) {
        ThreadTeam team(threads);
        team.execute([&] {
          const ColumnTree tree = build_column_tree(graph, permutation, team);
          EXPECT_EQ(tree.parent, expected.parent) << name << ", " << threads << " threads";
          EXPECT_EQ(tree.count, expected.count) << name << ", " << threads << " threads";
        });
      }
    }
  }
}

TEST(ColumnTree, HeightInClosedForm) {
  ThreadTeam team(1);
  const auto natural = [&](const io::SymmetricMatrix& a) {
    const AdjacencyGraph graph = graph_of(a);
    return build_column_tree(graph, permutation_from(natural_order(graph.order)), team);
  };
  EXPECT_EQ(natural(chain_spd(50)).height(), 50);
  EXPECT_EQ(natural(dense_spd(30, 1)).height(), 30);
  EXPECT_EQ(natural(blocks_spd(4, 5, 1)).height(), 5);
}

}  // namespace
}  // namespace gpusupernodal::test
