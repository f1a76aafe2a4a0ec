#pragma once

/// \file
/// The assembly tree by levels.

#include <cstdint>
#include <vector>

#include "cli/plot/tree_plot.hpp"

namespace gpusupernodal::cli {

/// A front of the assembly tree.
struct Front {
  std::int64_t supernode = 0;   ///< Its number in postorder.
  std::int64_t level = 0;       ///< 0 for roots.
  std::int64_t columns = 0;     ///< Columns of the supernode.
  std::int64_t rows_below = 0;  ///< Further rows.
  double flops = 0.0;           ///< Σ count² over its columns, with explicit zeros.

  std::int64_t rows() const { return columns + rows_below; }
};

/// All supernodes of a level.
struct TreeLevel {
  std::int64_t supernodes = 0;
  std::int64_t columns = 0;
  std::int64_t largest_front = 0;   ///< Its rows.
  std::int64_t smallest_front = 0;  ///< Its rows.
  double flops = 0.0;
};

/// The tree by levels, from the roots down, and its largest fronts, the largest first.
struct TreeLevels {
  std::vector<TreeLevel> levels;
  std::vector<Front> largest;
};

/// Preconditions: postorder (parents have larger numbers). Cost: O(supernodes).
TreeLevels tree_levels(const std::vector<TreeNode>& nodes, std::size_t most_fronts = 10);

}  // namespace gpusupernodal::cli
