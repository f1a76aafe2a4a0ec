#include "cli/report/tree_levels.hpp"

#include <algorithm>
#include <cstddef>

namespace gpusupernodal::cli {
namespace {

/// Σ k² for k = 1 … n.
double squares(double n) { return n * (n + 1.0) * (2.0 * n + 1.0) / 6.0; }

}  // namespace

TreeLevels tree_levels(const std::vector<TreeNode>& nodes, std::size_t most_fronts) {
  TreeLevels tree;
  std::vector<Front> fronts(nodes.size());
  for (std::size_t s = nodes.size(); s-- > 0;) {
    const TreeNode& node = nodes[s];
    Front& front = fronts[s];
    front = {static_cast<std::int64_t>(s), 0, node.width, node.rows_below, 0.0};
    if (node.parent >= 0) front.level = fronts[static_cast<std::size_t>(node.parent)].level + 1;
    // A column has as many entries as there are rows from it to the end of the front.
    front.flops = squares(static_cast<double>(front.rows())) - squares(static_cast<double>(node.rows_below));
    if (tree.levels.size() <= static_cast<std::size_t>(front.level))
      tree.levels.resize(static_cast<std::size_t>(front.level) + 1);
    TreeLevel& level = tree.levels[static_cast<std::size_t>(front.level)];
    level.smallest_front = level.supernodes == 0 ? front.rows() : std::min(level.smallest_front, front.rows());
    level.largest_front = std::max(level.largest_front, front.rows());
    ++level.supernodes;
    level.columns += node.width;
    level.flops += front.flops;
  }
  const std::size_t kept = std::min(most_fronts, fronts.size());
  std::partial_sort(fronts.begin(), fronts.begin() + static_cast<std::ptrdiff_t>(kept), fronts.end(),
                    [](const Front& a, const Front& b) { return a.flops > b.flops; });
  fronts.resize(kept);
  tree.largest = std::move(fronts);
  return tree;
}

}  // namespace gpusupernodal::cli
