#pragma once

/// \file
/// Oracle of the symbolic analysis: plain elimination, column by column, with explicit sets.

#include <cstdint>
#include <vector>

#include "solver/symbolic/adjacency.hpp"
#include "solver/symbolic/permutation.hpp"

namespace gpusupernodal::test {

/// Structure of L for an elimination order, without any postordering.
struct ReferenceSymbolic {
  std::vector<std::vector<std::int32_t>> columns;  ///< Rows of each column, ascending, diagonal first.
  std::vector<std::int32_t> parent;                ///< Row of the first entry below the diagonal, −1 at roots.
  std::int64_t nonzeros = 0;
  double flops = 0.0;
};

/// struct(j) = {j} ∪ A(j:n, j) ∪ ⋃ struct(c) \ {c} over the children c of j. Cost: O(nnz(L) log n), for small matrices.
ReferenceSymbolic reference_symbolic(const AdjacencyGraph& graph, const Permutation& permutation);

/// Counts only, without the structure, by walking every row subtree. Cost: O(nnz(L)) time, O(n) memory.
struct ReferenceCounts {
  std::int64_t nonzeros = 0;
  double flops = 0.0;
};
ReferenceCounts reference_counts(const AdjacencyGraph& graph, const Permutation& permutation);

}  // namespace gpusupernodal::test
