#pragma once

/// \file
/// The tree of separators behind a nested dissection that is known only by its permutation, for solvers that want both.

#include <cstdint>
#include <vector>

#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::bench {

/// A complete binary tree of parts with `levels` levels: the vertices of a part at the deepest level are joined to others
/// only through the separators above it. `sizes` has 2^levels − 1 parts: the deepest level from left to right, then the
/// level above it, …, the root's separator last.
struct PartitionTree {
  int levels = 0;
  std::vector<std::int32_t> sizes;
  /// The permutation with the parts of `sizes` one after the other, and within a part as before.
  /// It orders each column after the same columns of its subtree as before, so L has as many entries.
  std::vector<std::int32_t> old_of_new;
};

/// Cuts the elimination tree of the permuted matrix: from the top it takes columns into the separator until what is left
/// falls into two halves, of which neither has more than three quarters. Cost: O(nnz(A) α(n) + n·levels).
PartitionTree find_partition_tree(const io::SymmetricMatrix& a, const std::vector<std::int64_t>& old_of_new, int levels);

}  // namespace gpusupernodal::bench
