#pragma once

/// \file
/// Lists with which A·D·Aᵀ is a product of A and B = D·Aᵀ whose upper half is left out.

#include <cstdint>
#include <vector>

#include "base/raw_vector.hpp"
#include "solver/sparse/row_pattern.hpp"

namespace gpusupernodal {

struct NormalLists {
  /// For entry (i, k) of A: the entries of row k of Aᵀ up to column i.
  RawVector<std::int32_t> lengths;
  /// The entry of A that an entry of Aᵀ is.
  RawVector<std::int32_t> places;
};

/// Precondition: at = transposed(a). Cost O(entries).
inline NormalLists normal_lists(const RowPattern& a, const RowPattern& at) {
  NormalLists lists;
  lists.lengths.resize(a.index.size());
  lists.places.resize(a.index.size());
  std::vector<std::int32_t> next(at.offsets.begin(), at.offsets.end() - 1);
  for (std::size_t e = 0; e < a.index.size(); ++e) {
    const auto k = static_cast<std::size_t>(a.index[e]);
    const std::int32_t t = next[k]++;
    lists.lengths[e] = t - at.offsets[k] + 1;
    lists.places[static_cast<std::size_t>(t)] = static_cast<std::int32_t>(e);
  }
  return lists;
}

}  // namespace gpusupernodal
