/// \file
/// Tests of the separator tree: its parts are a partition, edges stay within a part and its ancestors, and L has the
/// same number of entries.

#include "bench/peers/partition_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "gpusupernodal/gpusupernodal.hpp"

namespace gpusupernodal {
namespace {

using bench::PartitionTree;

Solver<double> analyzed(const io::SymmetricMatrix& a, const std::vector<std::int64_t>& permutation = {}) {
  Options options;
  options.backend = Backend::host;
  options.ordering = permutation.empty() ? Ordering::metis : Ordering::user;
  options.permutation = permutation;
  Solver<double> solver(options);
  solver.analyze(a.view());
  return solver;
}

/// Heap number of a part (root 1, children of h are 2h and 2h + 1) from its index in PartitionTree::sizes.
int heap_number(int levels, int place) {
  int depth = levels - 1;
  while (place >= (1 << levels) - (1 << depth)) --depth;
  return (1 << depth) + place - ((1 << levels) - (1 << (depth + 1)));
}

std::vector<int> part_of_row(const PartitionTree& tree) {
  std::vector<int> part(tree.old_of_new.size());
  std::size_t k = 0;
  for (std::size_t place = 0; place < tree.sizes.size(); ++place) {
    for (std::int32_t i = 0; i < tree.sizes[place]; ++i) {
      part[static_cast<std::size_t>(tree.old_of_new[k++])] = heap_number(tree.levels, static_cast<int>(place));
    }
  }
  EXPECT_EQ(k, part.size());
  return part;
}

bool is_ancestor(int above, int below) {
  while (below > above) below /= 2;
  return below == above;
}

class PartitionTreeOnGrids : public testing::TestWithParam<const char*> {};

TEST_P(PartitionTreeOnGrids, SeparatesAndKeepsTheFill) {
  const io::SymmetricMatrix a = io::generate(GetParam());
  Solver<double> solver = analyzed(a);
  for (const int levels : {1, 2, 4, 8}) {
    const PartitionTree tree = bench::find_partition_tree(a, solver.old_of_new(), levels);
    ASSERT_EQ(tree.sizes.size(), (std::size_t{1} << levels) - 1);
    std::vector<std::int32_t> sorted = tree.old_of_new;
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::int32_t> rows(sorted.size());
    std::iota(rows.begin(), rows.end(), 0);
    EXPECT_EQ(sorted, rows);
    const std::vector<int> part = part_of_row(tree);
    for (std::size_t j = 0; j < part.size(); ++j) {
      for (std::int64_t e = a.offsets[j]; e < a.offsets[j + 1]; ++e) {
        const int p = part[j], q = part[static_cast<std::size_t>(a.indices[static_cast<std::size_t>(e)])];
        ASSERT_TRUE(is_ancestor(std::min(p, q), std::max(p, q))) << "an edge between parts " << p << " and " << q;
      }
    }
    Solver<double> again = analyzed(a, {tree.old_of_new.begin(), tree.old_of_new.end()});
    EXPECT_EQ(again.analyze_report().nonzeros_l, solver.analyze_report().nonzeros_l);
  }
}

INSTANTIATE_TEST_SUITE_P(Grids, PartitionTreeOnGrids, testing::Values("lap2d:40", "lap3d:12", "shell:12", "lap2d:1"));

TEST(PartitionTree, HalvesAreEvenOnAGrid) {
  const io::SymmetricMatrix a = io::generate("lap2d:60");
  Solver<double> solver = analyzed(a);
  const PartitionTree tree = bench::find_partition_tree(a, solver.old_of_new(), 2);
  EXPECT_LE(std::max(tree.sizes[0], tree.sizes[1]), 3 * 3600 / 4);
  EXPECT_LE(tree.sizes[2], 3 * 60) << "the separator of a square grid is about one of its lines";
}

}  // namespace
}  // namespace gpusupernodal
