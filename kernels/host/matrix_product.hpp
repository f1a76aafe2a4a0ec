#pragma once

/// \file
/// Rows of C = A·B on one core, by Gustavson's method: a row of C is a sum of rows of B.

#include <algorithm>
#include <cstdint>

namespace gpusupernodal {

/// A, B and C by rows, made of dense blocks of order `Block`. Offsets count blocks; values are those of the rows of entries.
template <class S>
struct ProductArrays {
  const std::int32_t* a_offsets = nullptr;
  const std::int32_t* a_index = nullptr;
  const S* a_values = nullptr;
  const std::int32_t* b_offsets = nullptr;
  const S* b_values = nullptr;
  const std::int32_t* lengths = nullptr;  ///< For each block of A: how many of B's row count; nullptr: all.
  const std::int64_t* c_offsets = nullptr;
  S* c_values = nullptr;
};

/// Computes a block row of C. place_of(e), called for the blocks of B that the row takes, in order, returns the number of
/// the block of C's row to which block e of B contributes.
template <int Block, class S, class PlaceOf>
void product_row(const ProductArrays<S>& p, std::int32_t row, const PlaceOf& place_of) {
  constexpr std::int64_t area = Block * Block;
  const std::int64_t width = Block * (p.c_offsets[row + 1] - p.c_offsets[row]);
  const std::int64_t a_width = std::int64_t{Block} * (p.a_offsets[row + 1] - p.a_offsets[row]);
  S* const c = p.c_values + area * p.c_offsets[row];
  const S* a = p.a_values + area * p.a_offsets[row];
  std::fill(c, c + Block * width, S(0));
  for (std::int32_t e = p.a_offsets[row]; e < p.a_offsets[row + 1]; ++e, a += Block) {
    const std::int32_t k = p.a_index[e], begin = p.b_offsets[k];
    const std::int32_t count = p.b_offsets[k + 1] - begin, used = p.lengths != nullptr ? p.lengths[e] : count;
    const std::int64_t b_width = std::int64_t{Block} * count;
    const S* b = p.b_values + area * begin;
    for (std::int32_t f = 0; f < used; ++f, b += Block) {
      S* const target = c + std::int64_t{Block} * place_of(begin + f);
      for (int r = 0; r < Block; ++r) {
        for (int t = 0; t < Block; ++t) {
          const S factor = a[r * a_width + t];
          for (int j = 0; j < Block; ++j) target[r * width + j] += factor * b[t * b_width + j];
        }
      }
    }
  }
}

}  // namespace gpusupernodal
