#include "solver/sparse/exact_blocks.hpp"

#include <algorithm>

namespace gpusupernodal {
namespace {

/// Whether a row consists of runs of `block` columns, each of which begins at a multiple of `block`.
bool has_runs(const std::int32_t* columns, std::int32_t count, std::int32_t block) {
  if (count % block != 0) return false;
  for (std::int32_t e = 0; e < count; e += block) {
    if (columns[e] % block != 0) return false;
    for (std::int32_t c = 1; c < block; ++c) {
      if (columns[e + c] != columns[e] + c) return false;
    }
  }
  return true;
}

}  // namespace

bool has_exact_blocks(const RowPattern& pattern, std::int32_t block) {
  if (pattern.rows % block != 0 || pattern.columns % block != 0) return false;
  const auto* const offsets = pattern.offsets.data();
  for (std::int32_t i = 0; i < pattern.rows; i += block) {
    const std::int32_t* const columns = pattern.index.data() + offsets[i];
    const std::int32_t count = offsets[i + 1] - offsets[i];
    if (!has_runs(columns, count, block)) return false;
    for (std::int32_t r = 1; r < block; ++r) {
      if (offsets[i + r + 1] - offsets[i + r] != count) return false;
      if (!std::equal(columns, columns + count, pattern.index.data() + offsets[i + r])) return false;
    }
  }
  return true;
}

}  // namespace gpusupernodal
