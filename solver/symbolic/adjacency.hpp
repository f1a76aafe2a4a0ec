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

/// Compressed adjacency lists: the neighbours of vertex i are neighbours[offsets[i] … offsets[i+1]−1], ascending.
struct AdjacencyGraph {
  std::int32_t order = 0;
  LargeVector<std::int64_t> offsets;  ///< order + 1 entries.
  RawVector<OldIndex> neighbours;

  std::span<const OldIndex> of(OldIndex i) const {
    return {neighbours.data() + offsets[static_cast<std::size_t>(i.value)],
            static_cast<std::size_t>(offsets[static_cast<std::size_t>(i.value) + 1] -
                                     offsets[static_cast<std::size_t>(i.value)])};
  }
};

/// The part of a MatrixView that the analysis reads: the compressed pattern in host memory, without values.
struct PatternView {
  std::int64_t n = 0;
  IndexArray offsets;
  IndexArray indices;
  StoredPart part = StoredPart::lower;
  Compression compression = Compression::columns;

  std::int64_t entries() const { return n > 0 ? offsets[n] : 0; }
};

/// Checks a pattern: 0 ≤ n < 2³¹, offsets start at 0 and do not decrease, indices are in range, no entry lies outside the
/// stored part, no entry occurs twice. Throws InvalidInput with the caller's row and column. Cost O(n + nnz).
void validate_pattern(const PatternView& pattern);

/// Checks a pattern on the team's threads. Reports the defect that comes first in storage order, for any number of threads.
void validate_pattern(const PatternView& pattern, ThreadTeam& team);

/// Builds the graph of A from the stored triangle of `pattern`, or from the lower triangle of a full matrix.
/// Precondition: validate_pattern accepts `pattern`. Cost: O(n + nnz) time and memory, plus sorting of the lists whose
/// entries are not ascending; 4 n bytes of workspace per thread.
AdjacencyGraph build_adjacency(const PatternView& pattern, ThreadTeam& team);

/// Builds the graph on one thread.
AdjacencyGraph build_adjacency(const PatternView& pattern);

}  // namespace gpusupernodal
