#include "solver/factor/part_boundary.hpp"

#include <algorithm>

namespace gpusupernodal {

std::vector<std::vector<NewIndex>> boundaries_of(const SymbolicFactor& factor, const std::vector<PartSubtree>& subtrees,
                                                 int parts) {
  std::vector<std::vector<NewIndex>> boundaries(static_cast<std::size_t>(parts));
  for (const PartSubtree& subtree : subtrees) {
    auto& boundary = boundaries[static_cast<std::size_t>(subtree.part.value)];
    const auto rows = factor.rows_of(subtree.last);
    boundary.insert(boundary.end(), rows.begin(), rows.end());
  }
  for (auto& boundary : boundaries) {
    std::sort(boundary.begin(), boundary.end());
    boundary.erase(std::unique(boundary.begin(), boundary.end()), boundary.end());
  }
  return boundaries;
}

PanelLayout contribution_layout(std::int32_t rows) {
  SymbolicFactor one;
  one.first_column.push_back(NewIndex(0));
  one.first_column.push_back(NewIndex(rows));
  one.row_offset.assign(2, 0);
  one.parent.assign(1, SupernodeId());
  return build_panel_layout(one);
}

}  // namespace gpusupernodal
