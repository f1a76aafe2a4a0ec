#pragma once

/// \file
/// BlockPattern: the dense b × b blocks that cover a pattern.

#include <cstdint>

#include "base/raw_vector.hpp"
#include "solver/sparse/row_pattern.hpp"

namespace gpusupernodal {

/// Blocks by block rows, ascending. For b = 1 they are the entries.
struct BlockPattern {
  std::int32_t block = 1;
  std::int32_t rows = 0;     ///< Block rows.
  std::int32_t columns = 0;  ///< Block columns.
  RawVector<std::int32_t> offsets;
  RawVector<std::int32_t> index;

  std::int64_t blocks() const { return offsets.empty() ? 0 : offsets.back(); }
};

/// Precondition: b divides the numbers of rows and of columns. Cost O(entries).
BlockPattern make_block_pattern(const RowPattern& pattern, std::int32_t block);

/// Blocks that the first block rows, at most 20,000 evenly spread ones, need for each entry: 1/b² where all blocks are full.
double sampled_blocks_per_entry(const RowPattern& pattern, std::int32_t block);

}  // namespace gpusupernodal
