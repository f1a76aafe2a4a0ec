#include "solver/symbolic/symbolic_factor.hpp"

#include <gtest/gtest.h>

#include "solver/symbolic/elimination_tree.hpp"
#include "tests/solver/symbolic/factor_checks.hpp"
#include "tests/solver/symbolic/graphs.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

void expect_all(const AdjacencyGraph& graph, Ordering ordering, Merging merging) {
  const SymbolicFactor factor = analyze(graph, ordering, merging);
  expect_permutation(factor.permutation, graph.order);
  expect_well_formed(factor);
  expect_postordered(factor);
  expect_structure(factor, reference_symbolic(graph, factor.permutation), merging);
}

TEST(SymbolicFactor, AgreesWithPlainEliminationOnSmallMatrices) {
  for (const auto& a : small_matrices()) {
    const AdjacencyGraph graph = graph_of(a);
    for (Ordering ordering : all_orderings()) {
      for (Merging merging : all_mergings()) {
        SCOPED_TRACE(a.name);
        expect_all(graph, ordering, merging);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(SymbolicFactor, AgreesWithPlainEliminationOnRandomMatrices) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto n = static_cast<std::int64_t>(1 + (seed * 37) % 150);
    const AdjacencyGraph graph = graph_of(random_spd(n, n * static_cast<std::int64_t>(seed % 5), seed));
    for (Merging merging : all_mergings()) {
      SCOPED_TRACE(seed);
      expect_all(graph, seed % 2 == 0 ? Ordering::natural : Ordering::amd, merging);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(EliminationTree, MatchesPlainElimination) {
  for (const auto& a : small_matrices()) {
    const AdjacencyGraph graph = graph_of(a);
    for (Ordering ordering : all_orderings()) {
      const Permutation permutation = analyze(graph, ordering, Merging::none).permutation;
      ThreadTeam team(1);
      const auto parent = elimination_tree(graph, permutation, find_repetitions(graph, permutation, team), team);
      const ReferenceSymbolic reference = reference_symbolic(graph, permutation);
      for (NewIndex j : parent.ids()) {
        ASSERT_EQ(parent[j].value, reference.parent[static_cast<std::size_t>(j.value)]) << a.name << " column " << j.value;
      }
    }
  }
}

TEST(ColumnCounts, AreThoseOfPlainElimination) {
  for (const auto& a : small_matrices()) {
    const AdjacencyGraph graph = graph_of(a);
    const ColumnTree tree = build_column_tree(graph, analyze(graph, Ordering::natural, Merging::none).permutation);
    const ReferenceSymbolic reference = reference_symbolic(graph, tree.permutation);
    for (NewIndex j : tree.count.ids()) {
      const auto& column = reference.columns[static_cast<std::size_t>(j.value)];
      ASSERT_EQ(static_cast<std::size_t>(tree.count[j]), column.size()) << a.name << " column " << j.value;
    }
  }
}

TEST(ReferenceSymbolic, CountsAgreeWithItsStructure) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const AdjacencyGraph graph = graph_of(random_spd(80, 160, seed));
    const Permutation permutation = analyze(graph, Ordering::amd, Merging::none).permutation;
    const ReferenceSymbolic structure = reference_symbolic(graph, permutation);
    const ReferenceCounts counts = reference_counts(graph, permutation);
    EXPECT_EQ(counts.nonzeros, structure.nonzeros);
    EXPECT_EQ(counts.flops, structure.flops);
  }
}

TEST(SymbolicFactor, ReturnedPermutationIsUnchangedByASecondAnalysis) {
  // The returned permutation is postordered and grouped, so a second analysis with it changes nothing.
  const AdjacencyGraph graph = graph_of(random_spd(200, 500, 3));
  const SymbolicFactor first = analyze(graph, Ordering::amd, Merging::none);
  const SymbolicFactor second = analyze_in_order(graph, first.permutation, Merging::none);
  EXPECT_EQ(second.permutation.old_of_new, first.permutation.old_of_new);
  EXPECT_EQ(second.rows, first.rows);
}

}  // namespace
}  // namespace gpusupernodal::test
