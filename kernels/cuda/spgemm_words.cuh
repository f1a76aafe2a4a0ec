#pragma once

/// \file
/// WordTable: the columns of a row of C as masks of 32 aligned columns, hashed, in shared memory. A few lanes share one.

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/cuda/spgemm_kernels.hpp"

namespace gpusupernodal::cuda {

/// A group of Lanes neighbouring lanes of a warp, which work on one row. All groups of a warp run through the same steps, so
/// that they stay together: groups that diverge would take turns.
template <int Lanes>
struct LaneGroup {
  static constexpr unsigned warp = 0xFFFFFFFFu;
  static constexpr unsigned all = Lanes == 32 ? warp : (1u << (Lanes % 32)) - 1u;

  int lane = static_cast<int>(threadIdx.x) % Lanes;
  unsigned shift = threadIdx.x % 32 / Lanes * Lanes;

  /// Whether a group of the warp has something to do.
  __device__ static bool any(bool is) { return __any_sync(warp, is); }
  __device__ static void sync() { __syncwarp(); }
  template <class Number>
  __device__ static Number from(Number number, int source) {
    return __shfl_sync(warp, number, source, Lanes);
  }
  __device__ static std::int32_t sum(std::int32_t number) {
    for (int step = Lanes / 2; step > 0; step /= 2) number += __shfl_xor_sync(warp, number, step, Lanes);
    return number;
  }
  /// The lanes of the group for which `is` holds, counted from bit 0.
  __device__ unsigned ballot(bool is) const { return __ballot_sync(warp, is) >> shift & all; }
};

/// Open addressing; at most half full, or full while counting. Insertions commute, so the masks do not depend on the order
/// of lanes.
struct WordTable {
  static constexpr std::int32_t none = -1;

  std::int32_t* keys;    ///< Word (column / 32) of each slot.
  std::uint32_t* masks;  ///< Its columns.
  std::int32_t* bases;   ///< Columns of the row before the word; unused while counting.
  std::int32_t size;     ///< A power of two.

  __device__ void clear(int lane, int lanes) const {
    for (int s = lane; s < size; s += lanes) {
      keys[s] = none;
      masks[s] = 0;
    }
  }

  __device__ std::int32_t first_slot(std::int32_t word) const {
    return static_cast<std::int32_t>((static_cast<std::uint32_t>(word) * 2654435769u) >> 7) & (size - 1);
  }

  /// Adds a column; returns its slot.
  __device__ std::int32_t insert(std::int32_t column) const {
    const std::int32_t word = column >> 5;
    std::int32_t s = first_slot(word);
    while (true) {
      std::int32_t key = *const_cast<volatile std::int32_t*>(keys + s);
      if (key == none) {
        key = atomicCAS(keys + s, none, word);
        if (key == none) key = word;
      }
      if (key == word) break;
      s = (s + 1) & (size - 1);
    }
    const std::uint32_t bit = 1u << (column & 31);
    // Most columns are there already, put by an earlier product.
    if ((*const_cast<volatile std::uint32_t*>(masks + s) & bit) == 0) atomicOr(masks + s, bit);
    return s;
  }

  /// The number of the column in its row; −1 if it is not there.
  __device__ std::int32_t place(std::int32_t column) const {
    const std::int32_t word = column >> 5;
    std::int32_t s = first_slot(word);
    while (keys[s] != word) {
      if (keys[s] == none) return -1;
      s = (s + 1) & (size - 1);
    }
    const std::uint32_t bit = 1u << (column & 31);
    return (masks[s] & bit) != 0 ? bases[s] + __popc(masks[s] & (bit - 1)) : -1;
  }
};

/// Calls visit(column, p) for the columns of the blocks of B that the row begin … end−1 of A meets, p = 0, 1, …, in the
/// order of A's row and then of B's. A lane of the group has one of several in a row. Groups whose row is over wait for the
/// others.
template <int Lanes, class Visit>
__device__ void for_each_product(const ProductOperands& p, std::int32_t row_begin, std::int32_t row_end,
                                 const LaneGroup<Lanes>& group, const Visit& visit) {
  constexpr int together = 4;
  std::int64_t before = group.lane;
  for (std::int32_t first = row_begin; group.any(first < row_end); first += Lanes) {
    const std::int32_t e = first + group.lane;
    std::int32_t begin = 0, count = 0;
    if (e < row_end) {
      const std::int32_t k = p.a.index[e];
      begin = p.b.offsets[k];
      count = p.lengths != nullptr ? p.lengths[e] : p.b.offsets[k + 1] - begin;
    }
    // Lanes beyond the row have the count 0. The columns of four rows are loaded before they are used.
    for (int t = 0; t < Lanes && group.any(first + t < row_end); t += together) {
      std::int32_t from[together], length[together], column[together];
#pragma unroll
      for (int u = 0; u < together; ++u) {
        from[u] = group.from(begin, t + u);
        length[u] = group.from(count, t + u);
        column[u] = group.lane < length[u] ? p.b.index[from[u] + group.lane] : -1;
      }
#pragma unroll
      for (int u = 0; u < together; ++u) {
        if (column[u] >= 0) visit(column[u], before);
        for (std::int32_t q = Lanes; group.lane + q < length[u]; q += Lanes)
          visit(p.b.index[from[u] + group.lane + q], before + q);
        before += length[u];
        group.sync();
      }
    }
  }
}

}  // namespace gpusupernodal::cuda
