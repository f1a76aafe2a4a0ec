#include "solver/symbolic/adjacency.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <tuple>

#include "tests/solver/symbolic/graphs.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

/// How a matrix is stored. shuffled: random order within each column or row.
struct Storage {
  StoredPart part;
  Compression compression;
  bool shuffled;
};

OwnedPattern stored_as(const io::SymmetricMatrix& a, const Storage& storage) {
  std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(a.n));
  const auto add = [&](std::int64_t row, std::int64_t column) {
    const bool by_columns = storage.compression == Compression::columns;
    lists[static_cast<std::size_t>(by_columns ? column : row)].push_back(by_columns ? row : column);
  };
  for (std::int64_t j = 0; j < a.n; ++j) {
    for (std::int64_t e = a.offsets[static_cast<std::size_t>(j)]; e < a.offsets[static_cast<std::size_t>(j) + 1]; ++e) {
      const std::int64_t i = a.indices[static_cast<std::size_t>(e)];
      if (storage.part != StoredPart::upper) add(i, j);
      if (storage.part == StoredPart::upper || (storage.part == StoredPart::full && i != j)) add(j, i);
    }
  }
  std::mt19937_64 random(7);
  for (auto& list : lists) {
    std::sort(list.begin(), list.end());
    if (storage.shuffled) std::shuffle(list.begin(), list.end(), random);
  }
  OwnedPattern pattern(lists);
  pattern.part = storage.part;
  pattern.compression = storage.compression;
  return pattern;
}

/// Neighbours of every vertex, computed from the entries directly.
std::vector<std::set<std::int32_t>> neighbour_sets(const io::SymmetricMatrix& a) {
  std::vector<std::set<std::int32_t>> sets(static_cast<std::size_t>(a.n));
  for (std::int32_t j = 0; j < a.n; ++j) {
    for (std::int64_t e = a.offsets[static_cast<std::size_t>(j)]; e < a.offsets[static_cast<std::size_t>(j) + 1]; ++e) {
      const std::int32_t i = a.indices[static_cast<std::size_t>(e)];
      if (i == j) continue;
      sets[static_cast<std::size_t>(i)].insert(j);
      sets[static_cast<std::size_t>(j)].insert(i);
    }
  }
  return sets;
}

void expect_graph(const AdjacencyGraph& graph, const io::SymmetricMatrix& a) {
  const auto sets = neighbour_sets(a);
  ASSERT_EQ(graph.order, a.n);
  ASSERT_EQ(graph.offsets.size(), sets.size() + 1);
  for (OldIndex i : IdRange<OldIndex>(graph.order)) {
    const auto& expected = sets[static_cast<std::size_t>(i.value)];
    const auto found = graph.of(i);
    ASSERT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end(),
                           [](OldIndex f, std::int32_t e) { return f.value == e; }))
        << "vertex " << i.value;
  }
}

TEST(BuildAdjacency, IsTheSameHoweverTheMatrixIsStored) {
  for (const auto& a : small_matrices()) {
    for (StoredPart part : {StoredPart::full, StoredPart::lower, StoredPart::upper}) {
      for (Compression compression : {Compression::columns, Compression::rows}) {
        for (bool shuffled : {false, true}) {
          SCOPED_TRACE(a.name);
          const OwnedPattern pattern = stored_as(a, {part, compression, shuffled});
          validate_pattern(pattern.view());
          expect_graph(build_adjacency(pattern.view()), a);
        }
      }
    }
  }
}

TEST(BuildAdjacency, TakesEveryWidthOfIndices) {
  const auto a = random_spd(60, 200, 5);
  const std::vector<std::int32_t> narrow_offsets(a.offsets.begin(), a.offsets.end());
  const std::vector<std::int64_t> wide_indices(a.indices.begin(), a.indices.end());
  for (bool wide_o : {false, true}) {
    for (bool wide_i : {false, true}) {
      PatternView pattern = pattern_of(a);
      if (!wide_o) pattern.offsets = narrow_offsets.data();
      if (wide_i) pattern.indices = wide_indices.data();
      validate_pattern(pattern);
      expect_graph(build_adjacency(pattern), a);
    }
  }
}

TEST(BuildAdjacency, ReadsOnlyTheLowerHalfOfAFullMatrix) {
  // Entry (0, 1) in the upper half has no counterpart, and neither has entry (2, 0) in the lower half.
  OwnedPattern columns({{0, 2}, {0, 1}, {2}});
  columns.part = StoredPart::full;
  OwnedPattern rows({{0, 1}, {1}, {0, 2}});
  rows.part = StoredPart::full;
  rows.compression = Compression::rows;
  for (const OwnedPattern& pattern : {columns, rows}) {
    const AdjacencyGraph graph = build_adjacency(pattern.view());
    EXPECT_EQ(graph.offsets, (LargeVector<std::int64_t>{0, 1, 1, 2}));
    EXPECT_EQ(graph.neighbours, (RawVector<OldIndex>{OldIndex(2), OldIndex(0)}));
  }
}

TEST(BuildAdjacency, TakesMissingDiagonalsAndEmptyMatrices) {
  EXPECT_EQ(build_adjacency(PatternView{}).order, 0);
  EXPECT_EQ(build_adjacency(PatternView{}).offsets.size(), 1U);
  EXPECT_EQ(build_adjacency(OwnedPattern({{1}, {}}).view()).neighbours.size(), 2U);
}

TEST(Adjacency, IsTheSameOnAnyNumberOfThreads) {
  const io::SymmetricMatrix a = io::generate("elas:18");
  const AdjacencyGraph expected = graph_of(a);
  for (Compression compression : {Compression::columns, Compression::rows}) {
    PatternView pattern = pattern_of(a);
    pattern.compression = compression;
    pattern.part = compression == Compression::columns ? StoredPart::lower : StoredPart::upper;
    for (int threads : {1, 2, 3, 8}) {
      ThreadTeam team(threads);
      team.execute([&] {
        validate_pattern(pattern, team);
        const AdjacencyGraph graph = build_adjacency(pattern, team);
        EXPECT_EQ(graph.offsets, expected.offsets);
        EXPECT_EQ(graph.neighbours, expected.neighbours);
      });
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
