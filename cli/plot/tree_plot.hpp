#pragma once

/// \file
/// The assembly tree of a plan as a picture.

#include <cstdint>
#include <string>
#include <vector>

#include "gpusupernodal/solver.hpp"

namespace gpusupernodal::cli {

/// A supernode as a picture needs it.
struct TreeNode {
  std::int64_t width = 0;        ///< Columns.
  std::int64_t parent = -1;      ///< −1: a root.
  bool in_leaf_subtree = false;  ///< Whether it is in a leaf subtree of the host's schedule.
  std::int64_t rows_below = 0;   ///< Rows of its front below its columns.
};

/// The supernodes of a plan in postorder. Cost: the text of plan_graphviz, about 110 bytes for each supernode.
std::vector<TreeNode> assembly_tree(const FactorPlan& plan);

/// Returns an SVG of the tree. A supernode is a box: from left to right the columns of its subtree in elimination order,
/// from top to bottom its own columns below those of its ancestors. Boxes of less than 4 × 3 pixels are drawn on a raster.
/// Preconditions: postorder (parents have larger numbers). Cost: O(supernodes); the file is smaller than 1.5 MB.
std::string tree_plot(const std::vector<TreeNode>& nodes, const std::string& matrix);

}  // namespace gpusupernodal::cli
