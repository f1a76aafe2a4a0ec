#pragma once

/// \file
/// Shorthands of the symbolic tests: graphs from matrices and from lists of edges.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "io/symmetric_matrix.hpp"
#include "solver/symbolic/adjacency.hpp"
#include "solver/symbolic/symbolic_factor.hpp"

namespace gpusupernodal::test {

inline PatternView pattern_of(const io::SymmetricMatrix& a) {
  PatternView pattern;
  pattern.n = a.n;
  pattern.offsets = a.offsets.data();
  pattern.indices = a.indices.data();
  return pattern;
}

inline AdjacencyGraph graph_of(const io::SymmetricMatrix& a) { return build_adjacency(pattern_of(a)); }

/// A pattern that owns its arrays: column j has the rows lists[j], which need not be valid.
struct OwnedPattern {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> indices;
  StoredPart part = StoredPart::lower;
  Compression compression = Compression::columns;

  explicit OwnedPattern(const std::vector<std::vector<std::int64_t>>& lists) {
    for (const auto& list : lists) {
      indices.insert(indices.end(), list.begin(), list.end());
      offsets.push_back(static_cast<std::int64_t>(indices.size()));
    }
  }
  PatternView view() const {
    PatternView pattern;
    pattern.n = static_cast<std::int64_t>(offsets.size()) - 1;
    pattern.offsets = offsets.data();
    pattern.indices = indices.data();
    pattern.part = part;
    pattern.compression = compression;
    return pattern;
  }
};

inline const std::vector<Merging>& all_mergings() {
  static const std::vector<Merging> mergings{Merging::none, Merging::narrow, Merging::bounded};
  return mergings;
}

inline const std::vector<Ordering>& all_orderings() {
  static const std::vector<Ordering> orderings{Ordering::automatic, Ordering::nested_dissection, Ordering::metis,
                                               Ordering::amd, Ordering::natural};
  return orderings;
}

inline SymbolicFactor analyze(const AdjacencyGraph& graph, Ordering ordering, Merging merging) {
  SymbolicOptions options;
  options.ordering = ordering;
  options.merging = merging;
  SymbolicReport report;
  return analyze_graph(graph, options, report);
}

/// Analyzes with the elimination order of an earlier analysis, so that a slow ordering is computed only once.
inline SymbolicFactor analyze_in_order(const AdjacencyGraph& graph, const Permutation& order, Merging merging) {
  std::vector<std::int64_t> permutation;
  for (OldIndex i : order.old_of_new) permutation.push_back(i.value);
  SymbolicOptions options;
  options.ordering = Ordering::user;
  options.user_permutation = permutation;
  options.merging = merging;
  SymbolicReport report;
  return analyze_graph(graph, options, report);
}

}  // namespace gpusupernodal::test
