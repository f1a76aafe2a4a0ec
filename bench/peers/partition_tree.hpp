#pragma once

/// \file
/// Reconstructs the separator tree of a nested dissection from its permutation, for solvers that need both.

#include <cstdint>
#include <vector>

#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::bench {

/// A complete binary tree of parts with `levels` levels. The vertices of a part at the deepest level are connected to other
/// parts only through the separators above it. `sizes` has 2^levels − 1 entries: the deepest level from left to right, then
/// the level above it, and so on to the root's separator.
struct PartitionTree {
  int levels = 0;
  std::vector<std::int32_t> sizes;
  /// The permutation that orders the parts as in `sizes` and keeps the order within a part. It keeps each column after the
  /// columns of its subtree, so L has the same number of entries.
  std::vector<std::int32_t> old_of_new;
};

/// Cuts the elimination tree of the permuted matrix: moves columns from the top into the separator until no remaining
/// subtree has more than three quarters of the columns, then divides the subtrees into two halves; repeats this for each
/// half. Cost: O(nnz(A) α(n) + n·levels).
PartitionTree find_partition_tree(const io::SymmetricMatrix& a, const std::vector<std::int64_t>& old_of_new, int levels);

}  // namespace gpusupernodal::bench
