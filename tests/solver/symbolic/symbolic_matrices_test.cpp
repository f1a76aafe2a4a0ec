#include <gtest/gtest.h>

#include "io/symmetric_matrix.hpp"
#include "tests/solver/symbolic/factor_checks.hpp"
#include "tests/solver/symbolic/graphs.hpp"
#include "tests/support/data.hpp"

namespace gpusupernodal::test {
namespace {

/// Largest numbers of entries of L up to which structure and counts are compared: plain elimination is slow.
constexpr std::int64_t compare_structure_up_to = 200'000;
constexpr std::int64_t compare_counts_up_to = 50'000'000;

std::vector<std::string> all_matrices() {
  std::vector<std::string> paths = project_matrices();
  for (const auto& path : further_matrices()) paths.push_back(path);
  return paths;
}

void expect_matrix(const AdjacencyGraph& graph, const SymbolicFactor& factor, Merging merging) {
  expect_permutation(factor.permutation, graph.order);
  expect_well_formed(factor);
  expect_postordered(factor);
  if (factor.nonzeros <= compare_structure_up_to) {
    expect_structure(factor, reference_symbolic(graph, factor.permutation), merging);
  } else if (factor.nonzeros <= compare_counts_up_to && merging == Merging::bounded) {
    const ReferenceCounts reference = reference_counts(graph, factor.permutation);
    EXPECT_EQ(factor.nonzeros, reference.nonzeros);
    EXPECT_EQ(factor.flops, reference.flops);
  }
}

TEST(SymbolicMatrices, AgreeWithPlainElimination) {
  for (const auto& path : all_matrices()) {
    SCOPED_TRACE(path);
    const AdjacencyGraph graph = graph_of(io::read_matrix_market(path));
    const Permutation order = analyze(graph, Ordering::automatic, Merging::none).permutation;
    for (Merging merging : all_mergings()) {
      expect_matrix(graph, analyze_in_order(graph, order, merging), merging);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(SymbolicMatrices, EveryOrderingAgreesWithPlainElimination) {
  for (const auto& path : project_matrices()) {
    SCOPED_TRACE(path);
    const AdjacencyGraph graph = graph_of(io::read_matrix_market(path));
    for (Ordering ordering : all_orderings()) {
      const SymbolicFactor factor = analyze(graph, ordering, Merging::bounded);
      if (factor.nonzeros > compare_counts_up_to / 10) continue;
      const ReferenceCounts reference = reference_counts(graph, factor.permutation);
      EXPECT_EQ(factor.nonzeros, reference.nonzeros);
      EXPECT_EQ(factor.flops, reference.flops);
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
