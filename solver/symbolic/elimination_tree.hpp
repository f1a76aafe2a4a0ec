#pragma once

/// \file
/// The elimination tree and the column counts of a permuted graph.

#include <cstdint>

#include "base/thread_team.hpp"
#include "solver/symbolic/adjacency.hpp"
#include "solver/symbolic/permutation.hpp"

namespace gpusupernodal {

/// 1 at position k if rows k−1 and k of the permuted A are neighbours and have the same other neighbours. Then k is the
/// parent of k−1, has no other child, and adds no leaf to any row subtree: the tree and the counts need not visit row k.
using Repetitions = IdVector<NewIndex, std::uint8_t>;

/// Compares each row with the preceding one. Cost O(|A|), spread over the team.
Repetitions find_repetitions(const AdjacencyGraph& graph, const Permutation& permutation, ThreadTeam& team);

/// Parent of each column: the row of the first entry below the diagonal of L's column; invalid at roots [Liu90].
/// Cost O(|A| log n) by path compression, in practice linear in the entries of the rows that are not repetitions. Intervals
/// of the order that no edge connects are spread over the team (independent_intervals.hpp).
IdVector<NewIndex, NewIndex> elimination_tree(const AdjacencyGraph& graph, const Permutation& permutation,
                                              const Repetitions& repetitions, ThreadTeam& team);

/// The permutation that moves row k of L to `position[k]`.
Permutation move_columns(const Permutation& permutation, const IdVector<NewIndex, NewIndex>& position, ThreadTeam& team);

/// Entries of each column of L, diagonal included [GNP94]: entry (i, j) of A contributes only if j is a leaf of the i-th row
/// subtree; the path that two leaves share is subtracted at their least common ancestor.
/// Precondition: `parent` is the postordered elimination tree. Cost O(|A| α(n)) in the rows that are not repetitions;
/// disjoint subtrees are spread over the team, the columns above them run on one thread.
IdVector<NewIndex, std::int32_t> column_counts(const AdjacencyGraph& graph, const Permutation& permutation,
                                               const IdVector<NewIndex, NewIndex>& parent, const Repetitions& repetitions,
                                               ThreadTeam& team);

/// A postordered elimination tree with its column counts.
struct ColumnTree {
  Permutation permutation;
  IdVector<NewIndex, NewIndex> parent;
  IdVector<NewIndex, std::int32_t> count;

  std::int64_t nonzeros() const;  ///< Σ count
  double flops() const;           ///< Σ count²
  std::int64_t height() const;    ///< Columns on the longest path. Cost O(n).
};

/// Tree, postorder and column counts for an elimination order. The postorder permutes the order but keeps the fill.
ColumnTree build_column_tree(const AdjacencyGraph& graph, const Permutation& permutation, ThreadTeam& team);

/// Runs on one thread.
ColumnTree build_column_tree(const AdjacencyGraph& graph, const Permutation& permutation);

}  // namespace gpusupernodal
