#include "solver/symbolic/forest.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <vector>

namespace gpusupernodal {
namespace {

using Forest = IdVector<SupernodeId, SupernodeId>;

Forest forest_of(const std::vector<std::int32_t>& parents) {
  Forest forest(parents.size());
  for (SupernodeId s : forest.ids()) forest[s] = SupernodeId(parents[static_cast<std::size_t>(s.value)]);
  return forest;
}

Forest random_forest(std::int32_t nodes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Forest forest(static_cast<std::size_t>(nodes));
  for (SupernodeId s : forest.ids()) {
    const auto above = static_cast<std::uint64_t>(nodes - s.value);
    const auto parent = s.value + static_cast<std::int64_t>(random() % above);
    if (parent > s.value) forest[s] = SupernodeId(parent);
  }
  return forest;
}

bool is_postordered(const Forest& forest) {
  const auto size = subtree_sizes(forest);
  for (SupernodeId s : forest.ids()) {
    if (!forest[s].valid()) continue;
    const std::int32_t first = forest[s].value - size[forest[s]] + 1;
    if (forest[s] <= s || s.value - size[s] + 1 < first) return false;
  }
  return true;
}

TEST(Forest, SubtreeSizesAddUp) {
  const auto size = subtree_sizes(forest_of({2, 2, 4, 4, -1, -1}));
  EXPECT_EQ(std::vector<std::int32_t>(size.begin(), size.end()), (std::vector<std::int32_t>{1, 1, 3, 1, 5, 1}));
}

TEST(Forest, PostorderMakesSubtreesContiguous) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Forest forest = random_forest(static_cast<std::int32_t>(1 + seed * 7), seed);
    const Forest ordered = relabel_forest(forest, postorder_positions(forest));
    EXPECT_TRUE(is_postordered(ordered));
    const Forest again = postorder_positions(ordered);
    for (SupernodeId s : again.ids()) EXPECT_EQ(again[s], s) << "a postordered forest is left as it is";
  }
}

TEST(Forest, LastChildIsDirectlyBeforeItsParent) {
  const Forest forest = forest_of({3, 3, 3, 4, -1});
  Forest last(5);
  last[SupernodeId(3)] = SupernodeId(0);
  const Forest position = postorder_positions(forest, last);
  EXPECT_EQ(position, forest_of({2, 0, 1, 3, 4}));
}

TEST(Forest, ChildrenAreListedInOrder) {
  const ChildLists<SupernodeId> children(forest_of({2, 2, 4, 4, -1}));
  EXPECT_EQ(children.first[SupernodeId(4)], SupernodeId(2));
  EXPECT_EQ(children.next[SupernodeId(2)], SupernodeId(3));
  EXPECT_FALSE(children.next[SupernodeId(3)].valid());
  EXPECT_FALSE(children.first[SupernodeId(0)].valid());
}

TEST(Forest, AcceptsAMillionChainAndAnEmptyForest) {
  Forest chain(1'000'000);
  for (SupernodeId s : chain.ids()) {
    if (s.value + 1 < 1'000'000) chain[s] = s + 1;
  }
  const Forest position = postorder_positions(chain);
  EXPECT_EQ(position[SupernodeId(0)], SupernodeId(0));
  EXPECT_EQ(position[SupernodeId(999'999)], SupernodeId(999'999));
  EXPECT_TRUE(postorder_positions(Forest()).empty());
}

/// A random forest in postorder, with subtrees of all sizes.
Forest postordered_forest(std::int32_t nodes) {
  const Forest forest = random_forest(nodes, 7);
  return relabel_forest(forest, postorder_positions(forest));
}

TEST(ForestParts, CoverTheForestWithChildrenBeforeParents) {
  for (const std::int32_t nodes : {0, 1, 5000, 60'000}) {
    const Forest forest = postordered_forest(nodes);
    for (const int threads : {1, 4}) {
      ThreadTeam team(threads);
      team.execute([&] {
        const ForestParts<SupernodeId> parts(forest, team);
        IdVector<SupernodeId, std::int32_t> height(forest.size(), 0);
        parts.upwards([&](const IdRange<SupernodeId>& part) {
          for (SupernodeId s : part) {
            EXPECT_EQ(height[s] % 1000, 0) << "seen twice";
            height[s] += 1;
            // A parent counts a thousand for each child; its children must have been visited before.
            if (forest[s].valid()) std::atomic_ref(height[forest[s]]).fetch_add(1000);
          }
        });
        IdVector<SupernodeId, std::int32_t> children(forest.size(), 0);
        for (SupernodeId s : forest.ids()) {
          if (forest[s].valid()) children[forest[s]] += 1000;
        }
        for (SupernodeId s : forest.ids()) ASSERT_EQ(height[s], children[s] + 1);
        IdVector<SupernodeId, SupernodeId> root(forest.size());
        parts.downwards([&](const IdRange<SupernodeId>& part) {
          for (std::int32_t i = part.size() - 1; i >= 0; --i) {
            const SupernodeId s = *part.begin() + i;
            root[s] = forest[s].valid() ? root[forest[s]] : s;
          }
        });
        for (SupernodeId s : forest.ids()) ASSERT_TRUE(root[s].valid() && !forest[root[s]].valid());
      });
    }
  }
}

}  // namespace
}  // namespace gpusupernodal
