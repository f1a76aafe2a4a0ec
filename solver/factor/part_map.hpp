#pragma once

/// \file
/// PartMap: which of several parts (processes or devices) works on which supernodes of a factorization.

#include <cstdint>
#include <vector>

#include "kernels/common/scalar_type.hpp"
#include "solver/model/cost_figures.hpp"
#include "solver/symbolic/symbolic_factor.hpp"

namespace gpusupernodal {

using PartId = Id<struct PartTag>;  ///< A process or device among several that factorize together.

/// A subtree of the assembly tree: supernodes first … last, of which `last` is the root. One part works on all of it.
struct PartSubtree {
  SupernodeId first;
  SupernodeId last;
  PartId part;
};

/// Columns first … first+width−1 of a supernode of the top: one block column of its panel (PanelLayout).
struct TopColumn {
  SupernodeId supernode;
  std::int32_t first = 0;
  std::int32_t width = 0;
  PartId owner;
};

/// What a part has to do and to hold.
struct PartShare {
  std::int64_t subtrees = 0;
  std::int64_t top_columns = 0;  ///< Block columns of the top.
  double flops = 0.0;            ///< Explicit zeros included. An update in the top belongs to the owner of its target.
  std::int64_t values = 0;       ///< Values of the factor.
  std::int64_t contribution_values = 0;  ///< Values of its contribution block.
  std::int64_t buffer_values = 0;        ///< Values of the largest message that it receives in a factorization.
  double subtree_seconds = 0.0;          ///< Estimated time of its subtrees.
  double seconds = 0.0;                  ///< Estimated time at which its last task ends.

  /// What it holds in a factorization, without entries of A. PartMapOptions::memory_limits are limits of this.
  std::int64_t values_in_all() const { return values + contribution_values + buffer_values; }
};

/// Every supernode is in one subtree or in the top. If a supernode is in the top, so are its ancestors. The subtrees of part
/// p precede those of part p + 1.
struct PartMap {
  std::vector<PartSubtree> subtrees;      ///< Ascending.
  IdVector<SupernodeId, PartId> part_of;  ///< Invalid for supernodes of the top.
  std::vector<TopColumn> top;             ///< Ascending. An owner has whole block columns.
  IdVector<PartId, PartShare> shares;     ///< One element a part.
  double top_flops = 0.0;                 ///< Flops of the top: its columns and the updates within it.
  double seconds = 0.0;                   ///< Not counting transfers.
  double seconds_of_one = 0.0;            ///< Estimated time of one part alone, at speed 1.

  int parts() const { return static_cast<int>(shares.size()); }
  bool in_top(SupernodeId s) const { return !part_of[s].valid(); }
};

struct PartMapOptions {
  int parts = 1;                            ///< At least 1.
  std::vector<double> speeds;               ///< Relative, positive, one for each part; empty: all are equal.
  std::vector<std::int64_t> memory_limits;  ///< Most bytes on each part (values_in_all); empty: no limits.
  ScalarType scalar = ScalarType::real_double;
  HostFigures figures;  ///< Prices; a part is one thread of the host.
  /// Whether work on the top begins when all parts have done their subtrees; otherwise each part begins when it has done its
  /// own.
  bool top_waits = false;
  double seconds_per_top_value = 0.0;   ///< With top_waits: pause before the top, for each value of it.
  double seconds_per_top_column = 0.0;  ///< For each column of a block column, in addition to its work.
};

/// Divides the work. Beginning with the roots of the assembly tree, the subtree that takes longest is replaced by its
/// children, and its root joins the top, until the estimated time is within 2 % of the least possible one or splitting no
/// longer shortens it; then the best division seen is taken. Subtrees are assigned as intervals with work in proportion to
/// the speeds; if this breaks the limits of memory, with values in proportion to the limits. Each block column of the top
/// goes to the part that would finish it first and has memory for it. Throws InvalidInput if the options have wrong lengths
/// or numbers, or if the limits are too small. Cost of each of at most about 100 divisions: O(supernodes + rows of the top
/// and of the roots of subtrees + pairs of block columns of which one updates the other).
PartMap build_part_map(const SymbolicFactor& factor, const PartMapOptions& options);

}  // namespace gpusupernodal
