#pragma once

/// \file
/// The structure of L, which is the result of the symbolic analysis of a pattern. Independent of scalar type and backend.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/raw_vector.hpp"
#include "base/thread_team.hpp"
#include "gpusupernodal/options.hpp"
#include "gpusupernodal/report.hpp"
#include "solver/common/ids.hpp"
#include "solver/model/cost_model.hpp"
#include "solver/symbolic/adjacency.hpp"
#include "solver/symbolic/permutation.hpp"

namespace gpusupernodal {

/// Supernodes, children before parents. They are in postorder within each group of SymbolicOptions::last_rows, and the
/// groups follow one another. The subtree rooted at J consists of the supernodes subtree_first[J] … J if subtree_first[J] is
/// valid. It is invalid only if the subtree or one within it spans several groups and other supernodes lie between.
struct SymbolicFactor {
  Permutation permutation;                           ///< Postordered; numbers the rows and columns of L.
  IdVector<SupernodeId, NewIndex> first_column;      ///< supernodes + 1 entries; the last one is n.
  IdVector<SupernodeId, SupernodeId> parent;         ///< Assembly tree; invalid at roots.
  IdVector<SupernodeId, SupernodeId> subtree_first;  ///< First supernode of the subtree rooted here, or invalid.
  IdVector<SupernodeId, std::int64_t> row_offset;    ///< supernodes + 1 entries, into `rows`.
  RawVector<NewIndex> rows;                          ///< Rows below the diagonal block of each supernode, ascending.
  IdVector<NewIndex, SupernodeId> supernode_of;      ///< Supernode of each column.

  std::int64_t nonzeros = 0;  ///< Entries of L without explicit zeros, diagonal included.
  double flops = 0.0;         ///< Σ count(j)² over columns, without explicit zeros.

  std::int32_t order() const { return permutation.order(); }
  std::int32_t supernodes() const { return static_cast<std::int32_t>(parent.size()); }
  std::int32_t width(SupernodeId s) const { return first_column[s + 1] - first_column[s]; }
  std::int32_t rows_below(SupernodeId s) const { return static_cast<std::int32_t>(row_offset[s + 1] - row_offset[s]); }
  std::int32_t front(SupernodeId s) const { return width(s) + rows_below(s); }
  std::span<const NewIndex> rows_of(SupernodeId s) const {
    return {rows.data() + row_offset[s], static_cast<std::size_t>(rows_below(s))};
  }
  IdRange<SupernodeId> supernode_ids() const { return IdRange<SupernodeId>(supernodes()); }
  FrontTree fronts() const { return {parent, first_column, row_offset}; }
};

struct SymbolicOptions {
  Ordering ordering = Ordering::automatic;
  std::span<const std::int64_t> user_permutation;        ///< old_of_new, for Ordering::user.
  std::span<const std::vector<std::int64_t>> last_rows;  ///< Options::last_rows.
  std::uint64_t seed = 0;                                ///< Seed of Ordering::nested_dissection.
  std::int32_t expected_factorizations = 100;            ///< Ordering::automatic weighs its time against these.
  bool for_device = false;                               ///< Whether the factorization may run on a CUDA device.
  int threads = 1;                                       ///< Host threads of the analysis.
  Merging merging = Merging::bounded;
  std::int32_t merge_width = 64;
  bool allow_host = true;                 ///< If for_device: whether the host may be chosen where it is faster.
  const CostModel* cost_model = nullptr;  ///< Prices merges if a device may be chosen; nullptr: no prices.
};

struct SymbolicReport {
  Ordering ordering = Ordering::automatic;  ///< The method that computed the order.
  std::string reason;
  double seconds_ordering = 0.0;
  double seconds_symbolic = 0.0;
  std::vector<AnalysisStep> steps;
};

/// Computes ordering, elimination tree, postorder, column counts, supernodes, merging and row structures of a graph.
/// Calls `progress` before each step with its name; if it returns false, throws Cancelled. Throws InvalidInput if the user
/// permutation is not a permutation or last_rows has invalid or repeated rows. Cost: the ordering, plus O(|A| α + |rows|).
SymbolicFactor analyze_graph(const AdjacencyGraph& graph, const SymbolicOptions& options, SymbolicReport& report,
                             const std::function<bool(const Progress&)>& progress = {});

/// Runs on an existing team and ignores `options.threads`.
SymbolicFactor analyze_graph(const AdjacencyGraph& graph, const SymbolicOptions& options, SymbolicReport& report,
                             ThreadTeam& team, const std::function<bool(const Progress&)>& progress);

}  // namespace gpusupernodal
