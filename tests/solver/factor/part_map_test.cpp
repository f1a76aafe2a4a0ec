#include "solver/factor/part_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "gpusupernodal/error.hpp"
#include "solver/factor/panel_layout.hpp"
#include "solver/factor/task_flops.hpp"
#include "solver/model/host_work.hpp"
#include "tests/solver/symbolic/graphs.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

PartMapOptions options_of(int parts) {
  PartMapOptions options;
  options.parts = parts;
  return options;
}

std::int64_t values_of(const SymbolicFactor& factor) {
  std::int64_t values = 0;
  for (SupernodeId s : factor.supernode_ids()) values += end_of_panel(0, factor.front(s), factor.width(s));
  return values;
}

/// Subtrees are disjoint intervals that end with their roots; the top has the other supernodes, column by column.
void expect_exact_cover(const SymbolicFactor& factor, const PartMap& map) {
  IdVector<SupernodeId, std::int32_t> covered(static_cast<std::size_t>(factor.supernodes()), 0);
  SupernodeId next(0);
  PartId previous(0);
  for (const PartSubtree& subtree : map.subtrees) {
    EXPECT_GE(subtree.first, next);
    EXPECT_GE(subtree.part, previous);
    EXPECT_EQ(factor.subtree_first[subtree.last], subtree.first);
    for (SupernodeId s : IdRange<SupernodeId>(subtree.first, subtree.last + 1)) {
      EXPECT_EQ(map.part_of[s], subtree.part);
      covered[s] += factor.width(s);
    }
    next = subtree.last + 1;
    previous = subtree.part;
  }
  for (const TopColumn& column : map.top) {
    EXPECT_TRUE(map.in_top(column.supernode));
    EXPECT_EQ(column.first, covered[column.supernode]);
    EXPECT_TRUE(column.owner.valid() && column.owner.value < map.parts());
    covered[column.supernode] += column.width;
  }
  for (SupernodeId s : factor.supernode_ids()) EXPECT_EQ(covered[s], factor.width(s)) << s.value;
}

/// What a supernode needs from below is on its own part, or on any part if it is in the top.
void expect_closed(const SymbolicFactor& factor, const PartMap& map) {
  for (SupernodeId s : factor.supernode_ids()) {
    const SupernodeId parent = factor.parent[s];
    if (!parent.valid() || map.in_top(parent)) continue;
    EXPECT_EQ(map.part_of[s], map.part_of[parent]) << s.value;
  }
}

void expect_shares(const SymbolicFactor& factor, const PartMap& map) {
  double flops = 0.0;
  double all_flops = 0.0;
  std::int64_t values = 0;
  std::int64_t subtrees = 0;
  std::int64_t columns = 0;
  for (const PartShare& share : map.shares) {
    flops += share.flops;
    values += share.values;
    subtrees += share.subtrees;
    columns += share.top_columns;
    EXPECT_LE(share.seconds, map.seconds);
  }
  for (SupernodeId s : factor.supernode_ids()) all_flops += supernode_flops(factor, s);
  // The work of a supernode is the sum of its pieces, of which there are fewer than columns of A.
  const double rounding = static_cast<double>(factor.order()) * std::numeric_limits<double>::epsilon();
  EXPECT_NEAR(flops, all_flops, rounding * all_flops);
  EXPECT_EQ(values, values_of(factor));
  EXPECT_EQ(subtrees, static_cast<std::int64_t>(map.subtrees.size()));
  EXPECT_EQ(columns, static_cast<std::int64_t>(map.top.size()));
}

PartMap checked_map(const SymbolicFactor& factor, const PartMapOptions& options) {
  PartMap map = build_part_map(factor, options);
  EXPECT_EQ(map.parts(), options.parts);
  expect_exact_cover(factor, map);
  expect_closed(factor, map);
  expect_shares(factor, map);
  return map;
}

SymbolicFactor factor_of(const std::string& matrix) {
  return analyze(graph_of(io::generate(matrix)), Ordering::nested_dissection, Merging::bounded);
}

TEST(PartMap, CoversSmallMatricesWithAnyNumberOfParts) {
  for (const auto& a : small_matrices()) {
    const SymbolicFactor factor = analyze(graph_of(a), Ordering::amd, Merging::bounded);
    for (const int parts : {1, 2, 3, 5, 16, 1000}) {
      SCOPED_TRACE(a.name + " on " + std::to_string(parts));
      checked_map(factor, options_of(parts));
    }
  }
}

TEST(PartMap, OnePartHasEverything) {
  const SymbolicFactor factor = factor_of("lap2d:40");
  const PartMap map = checked_map(factor, options_of(1));
  EXPECT_TRUE(map.top.empty());
  EXPECT_EQ(map.shares[PartId(0)].values, values_of(factor));
  EXPECT_DOUBLE_EQ(map.seconds, map.seconds_of_one);
}

TEST(PartMap, EmptyMatrixLeavesAllPartsIdle) {
  const PartMap map = checked_map(analyze(graph_of(diagonal_spd(0)), Ordering::amd, Merging::bounded), options_of(3));
  EXPECT_TRUE(map.subtrees.empty());
  EXPECT_TRUE(map.top.empty());
  EXPECT_EQ(map.seconds, 0.0);
}

TEST(PartMap, DiagonalAndDisconnectedMatricesNeedNoTop) {
  for (const auto& a : {diagonal_spd(1000), blocks_spd(60, 5, 7)}) {
    const SymbolicFactor factor = analyze(graph_of(a), Ordering::amd, Merging::bounded);
    const PartMap map = checked_map(factor, options_of(4));
    EXPECT_TRUE(map.top.empty()) << a.name;
    for (const PartShare& share : map.shares) EXPECT_GT(share.subtrees, 0) << a.name;
  }
}

/// Estimated seconds of the longest path of the assembly tree, with one part on it.
double longest_path(const SymbolicFactor& factor) {
  IdVector<SupernodeId, double> below(static_cast<std::size_t>(factor.supernodes()), 0.0);
  double longest = 0.0;
  for (SupernodeId s : factor.supernode_ids()) {
    CostFeatures work;
    work.flops = supernode_flops(factor, s);
    work.values = static_cast<double>(end_of_panel(0, factor.front(s), factor.width(s)));
    work.supernodes = 1.0;
    const double end = below[s] + host_work_seconds(work, HostFigures(), ScalarType::real_double);
    longest = std::max(longest, end);
    const SupernodeId parent = factor.parent[s];
    if (parent.valid()) below[parent] = std::max(below[parent], end);
  }
  return longest;
}

/// No schedule takes less than its share of the work; list schedules take at most that and the longest path, by Graham's
/// bound.
TEST(PartMap, LaplaciansAreBalanced) {
  for (const std::string matrix : {"lap2d:150", "lap3d:22"}) {
    const SymbolicFactor factor = factor_of(matrix);
    for (const int parts : {2, 3, 4, 5, 8}) {
      const PartMap map = checked_map(factor, options_of(parts));
      EXPECT_GE(map.seconds * parts, 0.99 * map.seconds_of_one) << matrix << " on " << parts;
      EXPECT_LE(map.seconds, map.seconds_of_one / parts + longest_path(factor)) << matrix << " on " << parts;
    }
  }
}

TEST(PartMap, TwoPartsShareTheHalvesOfASquare) {
  const SymbolicFactor factor = factor_of("lap2d:150");
  EXPECT_LE(build_part_map(factor, options_of(2)).seconds, 1.1 * build_part_map(factor, options_of(1)).seconds / 2);
}

TEST(PartMap, FasterPartsGetMoreWork) {
  const SymbolicFactor factor = factor_of("lap2d:150");
  PartMapOptions options = options_of(2);
  options.speeds = {3.0, 1.0};
  const PartMap map = checked_map(factor, options);
  EXPECT_GT(map.shares[PartId(0)].subtree_seconds, 2.5 * map.shares[PartId(1)].subtree_seconds);
  EXPECT_LT(map.shares[PartId(0)].subtree_seconds, 3.5 * map.shares[PartId(1)].subtree_seconds);
}

TEST(PartMap, BlockColumnsOfTheTopChangeTheirOwners) {
  const SymbolicFactor factor = analyze(graph_of(dense_spd(2600, 3)), Ordering::natural, Merging::none);
  const PartMap map = checked_map(factor, options_of(2));
  ASSERT_EQ(map.top.size(), 6U);  // One supernode, split although it is a leaf.
  for (std::size_t c = 1; c < map.top.size(); ++c) EXPECT_NE(map.top[c].owner, map.top[c - 1].owner);
}

TEST(PartMap, LimitsOfMemoryHold) {
  const SymbolicFactor factor = factor_of("lap2d:100");
  const std::int64_t bytes = 8 * values_of(factor);
  PartMapOptions options = options_of(3);
  options.memory_limits = {bytes / 10, bytes, bytes / 2};
  const PartMap map = checked_map(factor, options);
  for (PartId p : map.shares.ids())
    EXPECT_LE(8 * map.shares[p].values_in_all(), options.memory_limits[static_cast<std::size_t>(p.value)]);
}

/// Limits under which the factors alone would fit, but not the contribution blocks.
TEST(PartMap, LimitsOfMemoryCountContributionBlocks) {
  const SymbolicFactor factor = factor_of("lap3d:14");
  const PartMap free = checked_map(factor, options_of(4));
  PartMapOptions options = options_of(4);
  for (const PartShare& share : free.shares) {
    EXPECT_GT(share.contribution_values, 0);
    options.memory_limits.push_back(8 * (share.values + share.contribution_values / 2));
  }
  try {
    const PartMap map = checked_map(factor, options);
    for (PartId p : map.shares.ids())
      EXPECT_LE(8 * map.shares[p].values_in_all(), options.memory_limits[static_cast<std::size_t>(p.value)]);
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("no division respects each limit"), std::string::npos) << error.what();
  }
}

TEST(PartMap, SubtreesFollowUnequalLimits) {
  // 16 equal subtrees without a top: by time, each of two parts would get 8.
  const SymbolicFactor factor = analyze(graph_of(blocks_spd(16, 40, 7)), Ordering::amd, Merging::bounded);
  const std::int64_t bytes = 8 * values_of(factor);
  PartMapOptions options = options_of(2);
  options.memory_limits = {bytes / 4, bytes * 3 / 4};
  const PartMap map = checked_map(factor, options);
  EXPECT_TRUE(map.top.empty());
  EXPECT_EQ(map.shares[PartId(0)].subtrees, 4);
}

TEST(PartMap, TheLargestLimitsAreNone) {
  const SymbolicFactor factor = factor_of("lap2d:60");
  const PartMap free = checked_map(factor, options_of(5));
  PartMapOptions options = options_of(5);
  options.memory_limits.assign(5, std::numeric_limits<std::int64_t>::max());
  const PartMap map = checked_map(factor, options);
  EXPECT_EQ(map.seconds, free.seconds);
  EXPECT_EQ(map.top.size(), free.top.size());
}

/// Whether building the map throws InvalidInput with all of these texts.
void expect_error(const SymbolicFactor& factor, const PartMapOptions& options, const std::vector<std::string>& texts) {
  try {
    build_part_map(factor, options);
    ADD_FAILURE() << "no error";
  } catch (const InvalidInput& error) {
    for (const std::string& text : texts) EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

TEST(PartMap, ErrorsNameTheNumbers) {
  const SymbolicFactor factor = factor_of("lap2d:30");
  const std::int64_t bytes = 8 * values_of(factor);
  PartMapOptions options = options_of(2);
  options.memory_limits = {1000, 2000};
  expect_error(factor, options, {std::to_string(bytes) + " bytes", "2 parts", "3000 bytes"});
  options.memory_limits = {1000};
  expect_error(factor, options, {"1 limits of memory for 2 parts"});
  options.memory_limits = {1000, -5};
  expect_error(factor, options, {"part 1", "-5"});
  options.memory_limits.clear();
  options.speeds = {1.0, 0.0};
  expect_error(factor, options, {"part 1", "positive"});
  options.speeds = {1.0};
  expect_error(factor, options, {"1 speeds for 2 parts"});
  expect_error(factor, options_of(0), {"at least 1 part, not 0"});
}

TEST(PartMap, AColumnThatFitsNowhereIsAnError) {
  const SymbolicFactor factor = analyze(graph_of(dense_spd(700, 3)), Ordering::natural, Merging::none);
  PartMapOptions options = options_of(4);
  options.memory_limits.assign(4, 8 * 700 * 500);
  expect_error(factor, options, {std::to_string(8 * 700 * 512), "4 parts"});
}

}  // namespace
}  // namespace gpusupernodal::test
