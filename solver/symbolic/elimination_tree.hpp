#pragma once

/// \file
/// The elimination tree of a permuted graph, and the counts of L's columns.

#include <cstdint>

#include "solver/symbolic/adjacency.hpp"
#include "solver/symbolic/permutation.hpp"

namespace gpusupernodal {

/// Parent of each column: the row of the first entry below the diagonal of L's column; invalid at roots [Liu90].
/// Cost O(|A| log n) by path compression, in practice linear.
IdVector<NewIndex, NewIndex> elimination_tree(const AdjacencyGraph& graph, const Permutation& permutation);

/// The permutation that eliminates row k of L at `position[k]` instead.
Permutation move_columns(const Permutation& permutation, const IdVector<NewIndex, NewIndex>& position);

/// Entries of each column of L, the diagonal included [GNP94]: entry (i, j) of A adds to the counts only where j is a leaf
/// of the i-th row subtree, and paths shared by two leaves are taken off at their least common ancestor.
/// Precondition: `parent` is the elimination tree and postordered. Cost O(|A| α(n)).
IdVector<NewIndex, std::int32_t> column_counts(const AdjacencyGraph& graph, const Permutation& permutation,
                                               const IdVector<NewIndex, NewIndex>& parent);

/// A postordered elimination tree with its counts.
struct ColumnTree {
  Permutation permutation;
  IdVector<NewIndex, NewIndex> parent;
  IdVector<NewIndex, std::int32_t> count;

  std::int64_t nonzeros() const;  ///< Σ count
  double flops() const;           ///< Σ count²
};

/// Tree, postorder and counts for an elimination order; the postorder changes the order, not the fill.
ColumnTree build_column_tree(const AdjacencyGraph& graph, const Permutation& permutation);

}  // namespace gpusupernodal
