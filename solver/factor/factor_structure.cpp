#include "solver/factor/factor_structure.hpp"

#include <algorithm>

#include "solver/symbolic/step_log.hpp"

namespace gpusupernodal {

TreeShape tree_shape(const SymbolicFactor& factor) {
  TreeShape shape;
  IdVector<SupernodeId, std::int64_t> depth(static_cast<std::size_t>(factor.supernodes()), 1);
  for (std::int64_t i = factor.supernodes() - 1; i >= 0; --i) {
    const SupernodeId s(i);
    if (factor.parent[s].valid()) depth[s] = depth[factor.parent[s]] + 1;
    shape.height = std::max(shape.height, depth[s]);
    shape.largest_width = std::max<std::int64_t>(shape.largest_width, factor.width(s));
    shape.largest_front = std::max<std::int64_t>(shape.largest_front, factor.front(s));
  }
  return shape;
}

std::int64_t bytes_of(const PanelLayout& panels) { return bytes_in(panels.value_offset, panels.ld); }

std::int64_t bytes_of(const AssemblyMap& a) { return bytes_in(a.offset, a.source, a.target, a.row, a.column); }

std::int64_t bytes_of(const UpdateList& u) {
  return bytes_in(u.updates, u.first_into, u.from_offset, u.from, u.relative_rows);
}

std::int64_t bytes_of(const GeneralStructure& g) {
  return static_cast<std::int64_t>(sizeof(GeneralStructure)) +
         bytes_in(g.entries.offsets, g.entries.rows, g.entries.entry, g.old_row_of_new, g.matching.row_of_column,
                  g.matching.row_scale, g.matching.column_scale, g.row_exponent, g.column_exponent);
}

std::int64_t bytes_of(const Schedule& s) {
  return bytes_in(s.subtrees, s.subtree_of, s.block_columns, s.first_block_column) + bytes_in_graph(s.graph);
}

std::int64_t FactorStructure::bytes() const {
  const SymbolicFactor& f = symbolic;
  return static_cast<std::int64_t>(sizeof(FactorStructure)) +
         bytes_in(f.permutation.old_of_new, f.permutation.new_of_old, f.first_column, f.parent, f.subtree_first,
                  f.row_offset, f.rows, f.supernode_of) +
         bytes_of(panels) + bytes_of(assembly) + bytes_of(updates) + (general ? bytes_of(*general) : 0) +
         (columns ? columns->bytes() : 0) + (dense ? std::int64_t{sizeof(DenseStructure)} : 0);
}

}  // namespace gpusupernodal
