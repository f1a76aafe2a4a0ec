#pragma once

/// \file
/// The undirected graph of A: both directions of every off-diagonal entry, no diagonal.

#include <cstdint>
#include <span>
#include <vector>

#include "base/raw_vector.hpp"
#include "base/thread_team.hpp"
#include "gpusupernodal/views.hpp"
#include "solver/common/ids.hpp"

namespace gpusupernodal {

/// neighbours of i are neighbours[offsets[i] … offsets[i+1]), ascending.
struct AdjacencyGraph {
  std::int32_t order = 0;
  LargeVector<std::int64_t> offsets;  ///< order + 1
  RawVector<OldIndex> neighbours;

  std::span<const OldIndex> of(OldIndex i) const {
    return {neighbours.data() + offsets[static_cast<std::size_t>(i.value)],
            static_cast<std::size_t>(offsets[static_cast<std::size_t>(i.value) + 1] -
                                     offsets[static_cast<std::size_t>(i.value)])};
  }
};

/// A compressed pattern without its values' type: what of a MatrixView the analysis reads (host memory).
struct PatternView {
  std::int64_t n = 0;
  IndexArray offsets;
  IndexArray indices;
  StoredPart part = StoredPart::lower;
  Compression compression = Compression::columns;

  std::int64_t entries() const { return n > 0 ? offsets[n] : 0; }
};

/// Checks a pattern: 0 ≤ n < 2³¹, offsets start at 0 and do not decrease, indices in range, no entry outside the part
/// that the view says is stored, no duplicates. Throws InvalidInput with the caller's row and column. Cost O(n + nnz).
void validate_pattern(const PatternView& pattern);

/// The same on several threads; what comes first in the order of the entries is what is thrown.
void validate_pattern(const PatternView& pattern, ThreadTeam& team);

/// The graph of the half of `pattern` that is read (of a full matrix the lower one). Precondition: validated.
/// Cost O(n + nnz) time and memory on sorted input, on other input that of sorting each list. A thread takes 4 n bytes.
AdjacencyGraph build_adjacency(const PatternView& pattern, ThreadTeam& team);

/// The same on one thread.
AdjacencyGraph build_adjacency(const PatternView& pattern);

}  // namespace gpusupernodal
