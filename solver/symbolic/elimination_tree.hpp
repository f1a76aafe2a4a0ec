#pragma once

/// \file
/// The elimination tree of a permuted graph, and the counts of L's columns.

#include <cstdint>

#include "base/thread_team.hpp"
#include "solver/symbolic/adjacency.hpp"
#include "solver/symbolic/permutation.hpp"

namespace gpusupernodal {

/// 1 at the positions whose row of A has the same neighbours as the one before, themselves included. In the tree such a row
/// follows the one before as its parent, with no other child, and adds no leaf to any row subtree: it need not be looked at.
using Repetitions = IdVector<NewIndex, std::uint8_t>;

/// Compares each row with the one before. Cost O(|A|), spread over the team.
Repetitions find_repetitions(const AdjacencyGraph& graph, const Permutation& permutation, ThreadTeam& team);

/// Parent of each column: the row of the first entry below the diagonal of L's column; invalid at roots [Liu90].
/// Cost O(|A| log n) by path compression, in practice linear in the rows that are no repetitions; spread over the team where
/// the order has parts that no edge joins (independent_intervals.hpp).
IdVector<NewIndex, NewIndex> elimination_tree(const AdjacencyGraph& graph, const Permutation& permutation,
                                              const Repetitions& repetitions, ThreadTeam& team);

/// The permutation that eliminates row k of L at `position[k]` instead.
Permutation move_columns(const Permutation& permutation, const IdVector<NewIndex, NewIndex>& position, ThreadTeam& team);

/// Entries of each column of L, the diagonal included [GNP94]: entry (i, j) of A adds to the counts only where j is a leaf
/// of the i-th row subtree, and paths shared by two leaves are taken off at their least common ancestor.
/// Precondition: `parent` is the elimination tree and postordered. Cost O(|A| α(n)) in the rows that are no repetitions,
/// spread over the team but for what lies above its subtrees.
IdVector<NewIndex, std::int32_t> column_counts(const AdjacencyGraph& graph, const Permutation& permutation,
                                               const IdVector<NewIndex, NewIndex>& parent, const Repetitions& repetitions,
                                               ThreadTeam& team);

/// A postordered elimination tree with its counts.
struct ColumnTree {
  Permutation permutation;
  IdVector<NewIndex, NewIndex> parent;
  IdVector<NewIndex, std::int32_t> count;

  std::int64_t nonzeros() const;  ///< Σ count
  double flops() const;           ///< Σ count²
  std::int64_t height() const;    ///< Columns on the longest path. Cost O(n).
};

/// Tree, postorder and counts for an elimination order; the postorder changes the order, not the fill.
ColumnTree build_column_tree(const AdjacencyGraph& graph, const Permutation& permutation, ThreadTeam& team);

/// The same on one thread.
ColumnTree build_column_tree(const AdjacencyGraph& graph, const Permutation& permutation);

}  // namespace gpusupernodal
