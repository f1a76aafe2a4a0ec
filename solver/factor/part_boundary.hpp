#pragma once

/// \file
/// The rows of the top that the subtrees of one part update, and the contribution block, which holds these updates: a square
/// panel with one row and one column for each.

#include <cstdint>
#include <vector>

#include "solver/factor/panel_layout.hpp"
#include "solver/factor/part_map.hpp"

namespace gpusupernodal {

/// The boundary of each part, ascending. Cost O(k·log(k)) for k rows of the roots of subtrees.
std::vector<std::vector<NewIndex>> boundaries_of(const SymbolicFactor& factor, const std::vector<PartSubtree>& subtrees,
                                                 int parts);

/// The panel of a contribution block with this many rows.
PanelLayout contribution_layout(std::int32_t rows);

/// Calls visit(block, first, last), ascending, for the columns first … last−1 of a contribution block that lie in one block
/// column of its panel and in one of the top. block_of(i) is the block column of the top that has row i of the boundary.
template <class BlockOf, class Visit>
void for_each_contribution_piece(std::int32_t rows, const BlockOf& block_of, const Visit& visit) {
  for (std::int32_t first = 0, last = 0; first < rows; first = last) {
    const std::int32_t block = block_of(first);
    last = first + 1;
    while (last < rows && last % panel_block != 0 && block_of(last) == block) ++last;
    visit(block, first, last);
  }
}

}  // namespace gpusupernodal
