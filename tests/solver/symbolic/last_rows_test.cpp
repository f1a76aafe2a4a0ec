#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "solver/symbolic/row_groups.hpp"
#include "tests/solver/symbolic/factor_checks.hpp"
#include "tests/solver/symbolic/graphs.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

using Lists = std::vector<std::vector<std::int64_t>>;

SymbolicFactor analyze_with(const AdjacencyGraph& graph, const Lists& last_rows, SymbolicOptions options = {}) {
  options.last_rows = last_rows;
  SymbolicReport report;
  return analyze_graph(graph, options, report);
}

/// A random share of the rows, in random order, distributed over `groups` lists.
Lists some_rows(std::int32_t n, std::size_t groups, double share, unsigned seed) {
  std::mt19937 random(seed);
  Lists lists(groups);
  for (std::int64_t row = 0; row < n; ++row) {
    if (std::generate_canonical<double, 32>(random) < share) lists[random() % groups].push_back(row);
  }
  for (auto& list : lists) std::shuffle(list.begin(), list.end(), random);
  return lists;
}

/// Points of a side × side grid on the lines between subdomains; every `step`-th row and column is such a line.
std::vector<std::int64_t> interface_of(std::int64_t side, std::int64_t step) {
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < side * side; ++row) {
    if (row % side % step == step - 1 || row / side % step == step - 1) rows.push_back(row);
  }
  return rows;
}

/// Expects that the rows of the lists are eliminated last, list after list.
void expect_last(const SymbolicFactor& factor, const Lists& lists) {
  std::int64_t end = factor.order();
  for (std::size_t g = lists.size(); g-- > 0;) {
    const std::int64_t begin = end - static_cast<std::int64_t>(lists[g].size());
    for (const std::int64_t row : lists[g]) {
      const NewIndex k = factor.permutation.new_of_old[OldIndex(row)];
      ASSERT_GE(k.value, begin) << "row " << row << " of list " << g;
      ASSERT_LT(k.value, end) << "row " << row << " of list " << g;
    }
    end = begin;
    const bool cut = end == factor.order() || factor.first_column[factor.supernode_of[NewIndex(end)]] == NewIndex(end);
    ASSERT_TRUE(cut) << "a supernode has rows of list " << g << " and of those before";
  }
}

/// A valid subtree_first gives an interval of exactly the descendants. It is valid only if it is for all descendants.
void expect_subtrees(const SymbolicFactor& factor) {
  std::vector<std::int32_t> size(factor.parent.size(), 1);
  for (SupernodeId s : factor.supernode_ids()) {
    const SupernodeId p = factor.parent[s];
    if (p.valid()) size[static_cast<std::size_t>(p.value)] += size[static_cast<std::size_t>(s.value)];
    const SupernodeId first = factor.subtree_first[s];
    if (!first.valid()) {
      if (p.valid()) {
        ASSERT_FALSE(factor.subtree_first[p].valid());
      }
      continue;
    }
    ASSERT_EQ(s - first + 1, size[static_cast<std::size_t>(s.value)]);
    for (SupernodeId d : IdRange<SupernodeId>(first, s)) {
      ASSERT_TRUE(factor.parent[d].valid());
      ASSERT_LE(factor.parent[d], s);
    }
  }
}

TEST(LastRows, AreEliminatedLastInTheirGroups) {
  for (const auto& a : small_matrices()) {
    const AdjacencyGraph graph = graph_of(a);
    unsigned seed = 0;
    for (const Lists& lists : {some_rows(graph.order, 1, 0.1, ++seed), some_rows(graph.order, 3, 0.3, ++seed),
                               some_rows(graph.order, 2, 0.9, ++seed), some_rows(graph.order, 4, 1.0, ++seed)}) {
      for (Ordering ordering : all_orderings()) {
        for (Merging merging : all_mergings()) {
          SCOPED_TRACE(a.name + " " + std::to_string(seed));
          SymbolicOptions options;
          options.ordering = ordering;
          options.merging = merging;
          const SymbolicFactor factor = analyze_with(graph, lists, options);
          expect_permutation(factor.permutation, graph.order);
          expect_well_formed(factor);
          expect_subtrees(factor);
          expect_last(factor, lists);
          expect_structure(factor, reference_symbolic(graph, factor.permutation), merging);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(LastRows, EmptyOrCompleteGroupsChangeNothing) {
  const AdjacencyGraph graph = graph_of(io::generate("lap3d:9"));
  const SymbolicFactor expected = analyze_with(graph, {});
  std::vector<std::int64_t> all(static_cast<std::size_t>(graph.order));
  std::iota(all.begin(), all.end(), 0);
  std::reverse(all.begin(), all.end());
  for (const Lists& lists : {Lists{{}}, Lists{{}, {}, {}}, Lists{all}, Lists{{}, all, {}}}) {
    const SymbolicFactor factor = analyze_with(graph, lists);
    EXPECT_EQ(factor.permutation.old_of_new, expected.permutation.old_of_new);
    EXPECT_EQ(factor.first_column, expected.first_column);
    EXPECT_EQ(factor.subtree_first, expected.subtree_first);
    EXPECT_EQ(factor.rows, expected.rows);
  }
}

TEST(LastRows, OneGroupPerRowActsAsAPermutation) {
  const AdjacencyGraph graph = graph_of(random_spd(300, 700, 4));
  std::vector<std::int64_t> order(300);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(3));
  Lists lists;
  for (const std::int64_t row : order) lists.push_back({row});
  for (Ordering ordering : all_orderings()) {
    SymbolicOptions options;
    options.ordering = ordering;
    const SymbolicFactor factor = analyze_with(graph, lists, options);
    for (NewIndex k : factor.permutation.old_of_new.ids())
      ASSERT_EQ(factor.permutation.old_of_new[k].value, order[static_cast<std::size_t>(k.value)]);
  }
}

TEST(LastRows, AreTheSameOnAnyNumberOfThreads) {
  const std::pair<std::string, Lists> cases[] = {{"lap2d:160", {interface_of(160, 20)}},
                                                 {"lap3d:22", some_rows(10'648, 3, 0.02, 5)},
                                                 {"elas:9", some_rows(2187, 2, 0.2, 6)}};
  for (const auto& [name, lists] : cases) {
    const AdjacencyGraph graph = graph_of(io::generate(name));
    for (Ordering ordering : {Ordering::automatic, Ordering::nested_dissection}) {
      SymbolicOptions options;
      options.ordering = ordering;
      const SymbolicFactor expected = analyze_with(graph, lists, options);
      expect_last(expected, lists);
      for (const int threads : {2, 3, 8}) {
        options.threads = threads;
        const SymbolicFactor factor = analyze_with(graph, lists, options);
        EXPECT_EQ(factor.permutation.old_of_new, expected.permutation.old_of_new) << name;
        EXPECT_EQ(factor.first_column, expected.first_column);
        EXPECT_EQ(factor.rows, expected.rows);
      }
    }
  }
}

/// Interface rows are ordered by the graph that the elimination of the subdomains leaves.
TEST(LastRows, InterfaceIsOrderedWithLittleFill) {
  const AdjacencyGraph graph = graph_of(io::generate("lap2d:160"));
  const Lists lists{interface_of(160, 10)};
  std::int64_t natural = 0;
  for (Ordering ordering : {Ordering::natural, Ordering::nested_dissection, Ordering::metis, Ordering::amd}) {
    SymbolicOptions options;
    options.ordering = ordering;
    const std::int64_t nonzeros = analyze_with(graph, lists, options).nonzeros;
    if (ordering == Ordering::natural) natural = nonzeros;
    options.last_rows = {};
    SymbolicReport report;
    const std::int64_t free = analyze_graph(graph, options, report).nonzeros;
    if (ordering == Ordering::natural) continue;
    EXPECT_LT(nonzeros, natural / 7 * 4) << static_cast<int>(ordering);
    EXPECT_LT(nonzeros, free / 3 * 5) << static_cast<int>(ordering);
  }
}

TEST(LastRows, MillionGroupsTakeLinearTime) {
  constexpr std::int64_t n = 1'000'000;
  std::vector<std::vector<std::int64_t>> lists(n);
  for (std::int64_t j = 0; j < n; ++j) lists[static_cast<std::size_t>(j)] = {j, std::min(j + 1, n - 1)};
  lists.back().pop_back();
  const AdjacencyGraph chain = build_adjacency(OwnedPattern(lists).view());
  for (std::int64_t j = 0; j < n; ++j) lists[static_cast<std::size_t>(j)] = {n - 1 - j};
  const SymbolicFactor factor = analyze_with(chain, lists);
  EXPECT_EQ(factor.nonzeros, 2 * n - 1);
  EXPECT_EQ(factor.permutation.old_of_new[NewIndex(0)].value, n - 1);
}

std::string sentence_of(std::int32_t n, const Lists& lists, const std::vector<std::int64_t>& permutation = {}) {
  SymbolicOptions options;
  options.user_permutation = permutation;
  if (!permutation.empty()) options.ordering = Ordering::user;
  try {
    analyze_with(graph_of(chain_spd(n)), lists, options);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(LastRows, AreChecked) {
  const auto starts = [](const std::string& sentence, const char* with) {
    EXPECT_EQ(sentence.rfind(with, 0), 0U) << sentence << "\n" << with;
  };
  starts(sentence_of(5, {{1}, {2, 5}}), "last_rows[1][1] is 5, but the rows of the matrix are 0 to 4");
  starts(sentence_of(5, {{-1}}), "last_rows[0][0] is -1, but the rows of the matrix are 0 to 4");
  starts(sentence_of(5, {{3, 1, 3}}), "last_rows[0][0] and last_rows[0][2] are both 3; every row may occur only once");
  starts(sentence_of(5, {{2}, {}, {4, 2}}), "last_rows[0][0] and last_rows[2][1] are both 2; every row may occur only once");
  EXPECT_EQ(sentence_of(5, {{2}, {4}}, {1, 3, 0, 2, 4}), "");
  starts(sentence_of(5, {{2}, {4}}, {1, 3, 0, 4, 2}),
         "permutation[4] is 2, but last_rows requires this row before row 4, which is permutation[3]");
  starts(sentence_of(5, {{2, 4}}, {1, 2, 0, 4, 3}),
         "permutation[2] is 0, but last_rows requires this row before row 2, which is permutation[1]");
}

}  // namespace
}  // namespace gpusupernodal::test
