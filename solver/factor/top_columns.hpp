#pragma once

/// \file
/// The block columns above the subtrees of a PartMap: what updates what, who owns them, and when they are done.

#include <cstdint>
#include <span>
#include <vector>

#include "solver/factor/part_map.hpp"

namespace gpusupernodal {

/// A block column of the top updates a later one.
struct TopUpdate {
  std::int32_t target = 0;  ///< Index into the list of block columns.
  /// Between supernodes: rows row_begin … row_end−1 below the source's supernode (rows_of) are columns of the target.
  std::int32_t row_begin = 0;
  std::int32_t row_end = 0;
  double flops = 0.0;
};

/// The block columns of the top, and the updates between them. Owners are not set.
struct TopGraph {
  std::vector<TopColumn> columns;           ///< Ascending.
  std::vector<double> flops;                ///< Work of the factorization of each column, without its updates of others.
  std::vector<std::int64_t> values;         ///< Values of each column.
  std::vector<std::int64_t> update_offset;  ///< columns + 1, into `updates`.
  std::vector<TopUpdate> updates;           ///< By source, targets ascending.

  std::span<const TopUpdate> updates_by(std::size_t column) const {
    return {updates.data() + update_offset[column],
            static_cast<std::size_t>(update_offset[column + 1] - update_offset[column])};
  }
};

/// Lists the block columns of all supernodes without a part, and their updates. Cost O(rows of the top + updates).
TopGraph build_top_graph(const SymbolicFactor& factor, const IdVector<SupernodeId, PartId>& part_of);

/// Sets the owners of graph.columns and adds their work to `shares`, which have the subtrees' shares on entry, with the
/// buffers that owners need at most. Returns the values of the first column that fits on no part within the limits of
/// memory, or 0 if all fit.
std::int64_t assign_top_columns(TopGraph& graph, const PartMapOptions& options, IdVector<PartId, PartShare>& shares);

/// Sets shares[p].seconds: each part works on its subtrees, then in the order of the columns; transfers are not counted.
void simulate_parts(const TopGraph& graph, const PartMapOptions& options, IdVector<PartId, PartShare>& shares);

}  // namespace gpusupernodal
