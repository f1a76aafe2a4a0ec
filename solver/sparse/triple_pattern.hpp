#pragma once

/// \file
/// TriplePattern: a matrix given by triples (row, column, value) in any order, whose duplicates are summed.

#include <cstdint>

#include "base/raw_vector.hpp"
#include "solver/sparse/row_pattern.hpp"

namespace gpusupernodal {

/// A caller's triples without values.
struct TriplePatternView {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t count = 0;
  IndexArray row_indices;
  IndexArray column_indices;
  StoredPart part = StoredPart::full;
};

/// A pattern, and which triples each of its values sums. Without duplicates the pattern's sources are the triples
/// themselves, and `first` and `triple` are empty. Otherwise they are sums: sum s adds the triples triple[first[s]] …
/// triple[first[s+1]−1], in the caller's order.
struct TriplePattern {
  RowPattern pattern;
  RawVector<std::int32_t> first;
  RawVector<std::int32_t> triple;

  bool has_sums() const { return !first.empty(); }
  std::int64_t sums() const { return has_sums() ? static_cast<std::int64_t>(first.size()) - 1 : 0; }
};

/// Checks and sorts triples. Throws InvalidInput that names the triple at fault: indices outside the matrix or the stored
/// part, 2³¹ − 2²⁰ triples or more. Cost O(rows + columns + count).
TriplePattern make_triple_pattern(const TriplePatternView& view);

/// result[s] := the sum s of the caller's values, added in the caller's order. Precondition: has_sums().
template <class T>
void sum_triples(const TriplePattern& triples, const T* values, T* result) {
  for (std::size_t s = 0; s < static_cast<std::size_t>(triples.sums()); ++s) {
    T sum = values[triples.triple[static_cast<std::size_t>(triples.first[s])]];
    for (auto k = static_cast<std::size_t>(triples.first[s]) + 1; k < static_cast<std::size_t>(triples.first[s + 1]); ++k)
      sum += values[triples.triple[k]];
    result[s] = sum;
  }
}

}  // namespace gpusupernodal
