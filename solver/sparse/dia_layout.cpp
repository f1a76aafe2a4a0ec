#include <algorithm>
#include <limits>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "kernels/common/sparse_arrays.hpp"
#include "solver/common/fail.hpp"
#include "solver/sparse/layouts.hpp"

namespace gpusupernodal {

RawVector<std::int32_t> diagonals_of(const RowPattern& pattern, std::int64_t most) {
  // Distances run from −(rows − 1) to columns − 1.
  std::vector<bool> seen(static_cast<std::size_t>(pattern.rows) + static_cast<std::size_t>(pattern.columns), false);
  RawVector<std::int32_t> distances;
  for (std::int32_t i = 0; i < pattern.rows; ++i) {
    const auto end = static_cast<std::size_t>(pattern.offsets[static_cast<std::size_t>(i) + 1]);
    for (auto e = static_cast<std::size_t>(pattern.offsets[static_cast<std::size_t>(i)]); e < end; ++e) {
      const std::int32_t distance = pattern.index[e] - i;
      const auto place = static_cast<std::size_t>(std::int64_t{distance} + pattern.rows);
      if (seen[place] || (pattern.symmetric && distance < 0)) continue;
      seen[place] = true;
      distances.push_back(distance);
      if (static_cast<std::int64_t>(distances.size()) > most) return {};
    }
  }
  std::sort(distances.begin(), distances.end());
  return distances;
}

SparseLayout make_dia_layout(const RowPattern& pattern, const RawVector<std::int32_t>& diagonals) {
  SparseLayout layout = empty_layout(pattern, Format::dia);
  const std::int64_t stride = diagonal_stride(pattern.rows);
  layout.width = static_cast<std::int32_t>(diagonals.size());
  layout.symmetric = pattern.symmetric;
  layout.index = diagonals;
  layout.stored_values = stride * layout.width;
  if (layout.stored_values > std::numeric_limits<std::int32_t>::max()) {
    fail<InvalidInput>("the format {} would store {} values for {} entries, but at most {} are supported",
                       name_of(Format::dia), layout.stored_values, layout.entries, std::numeric_limits<std::int32_t>::max());
  }
  layout.source.assign(static_cast<std::size_t>(layout.stored_values), -1);
  for (std::int32_t i = 0; i < pattern.rows; ++i) {
    std::size_t d = 0;  // Columns and diagonals ascend together.
    for (std::int32_t e = pattern.offsets[static_cast<std::size_t>(i)]; e < pattern.offsets[static_cast<std::size_t>(i) + 1];
         ++e) {
      const std::int32_t distance = pattern.index[static_cast<std::size_t>(e)] - i;
      if (pattern.symmetric && distance < 0) continue;
      while (diagonals[d] != distance) ++d;
      layout.source[d * static_cast<std::size_t>(stride) + static_cast<std::size_t>(i)] = pattern.source_of(e);
    }
  }
  return layout;
}

}  // namespace gpusupernodal
