#pragma once

/// \file
/// Device code shared by both directions of a solve for several right-hand sides, in addition to staged products.

#include "kernels/cuda/staged_product.cuh"

namespace gpusupernodal::cuda {

/// Sets own[i][…] := row begin + i of b, for the rows that are in `right`.
template <int Columns, class T, int Ahead>
__device__ void keep_own(int k, int last, const T (&right)[Ahead][Columns / 8], int begin,
                         T (&own)[solve_outputs][Columns]) {
  if (k >= begin + solve_outputs || k + 4 * Ahead <= begin) return;
  const Lane lane;
#pragma unroll
  for (int s = 0; s < Ahead; ++s) {
    const int at = k + 4 * s + lane.quad;
    if (at < begin || at >= min(last, begin + solve_outputs)) continue;
#pragma unroll
    for (int n = 0; n < Columns / 8; ++n) own[at - begin][8 * n + lane.group] = right[s][n];
  }
}

/// This thread's entries of the rows of a block that a task solves, distributed as in for_each_total, and the diagonal
/// entries of L for them.
template <class T, int Columns>
class OwnRows {
 public:
  /// Reads the diagonal for rows first … last−1 of the block whose first entry is `corner`.
  __device__ OwnRows(const T* corner, std::int64_t ld, int first, int last) : first_(first), last_(last) {
#pragma unroll
    for (int i = 0; i < each; ++i) root_[i] = corner[row(i) * (ld + 1)];
  }
  /// Loads the entries; `vectors` points to the block's first row.
  __device__ void load(const T* vectors) {
#pragma unroll
    for (int i = 0; i < each; ++i) value_[i] = load_l2(vectors + row(i) * Columns + threadIdx.x % Columns);
  }
  __device__ T factor(int at) const { return reciprocal(is_first(at) ? root_[0] : root_[each - 1]); }
  __device__ T scaled(int at) const { return factor(at) * (is_first(at) ? value_[0] : value_[each - 1]); }

 private:
  static constexpr int each = solve_outputs * Columns / solve_threads;
  static_assert(each <= 2);
  __device__ static bool is_first(int at) { return at * Columns < solve_threads; }
  __device__ int row(int i) const {
    return min(first_ + (static_cast<int>(threadIdx.x) + i * solve_threads) / Columns, last_ - 1);
  }

  const int first_;
  const int last_;
  T root_[each];
  T value_[each];
};

/// Computes sums[m] += A · B over k = first … last−1, where A is in shared or cached memory and load(k, last, right),
/// as in StagedProduct::add_to, loads entries of B several steps at once. a(m, h, k) is the entry of row 16m + 8h +
/// group.
template <int Ahead, class T, int Columns, int Tiles, class EntryA, class Load>
__device__ void add_loaded(int first, int last, EntryA a, Load load, Sums<T, Columns> (&sums)[Tiles]) {
  const Lane lane;
#pragma unroll 1
  for (int begin = first; begin < last; begin += 4 * Ahead) {
    T right[Ahead][Columns / 8];
    load(begin, last, right);
#pragma unroll
    for (int s = 0; s < Ahead; ++s) {
      if (begin + 4 * s >= last) continue;
      const int k = begin + 4 * s + lane.quad;
#pragma unroll
      for (int m = 0; m < Tiles; ++m) {
        Operand<T> rows[2];
#pragma unroll
        for (int h = 0; h < 2; ++h) rows[h] = operand(k < last ? a(m, h, k) : T(0));
#pragma unroll
        for (int n = 0; n < Columns / 8; ++n) multiply(sums[m].value[n], rows, operand(right[s][n]));
      }
    }
  }
}

/// Prefetches `count` elements into the L2 cache, by one warp.
template <class Element>
__device__ void prefetch_range(const Element* begin, int count, int lane) {
  constexpr int line = 128 / static_cast<int>(sizeof(Element));
  for (int at = lane * line; at < count; at += 32 * line) asm volatile("prefetch.global.L2 [%0];" ::"l"(begin + at));
}

/// Width of the block that contains a column.
__device__ inline int block_width(int panel_width, int column) {
  return min(solve_block, panel_width - column / solve_block * solve_block);
}

/// A whole front's panel, in shared memory if it fits, otherwise in global memory. In shared memory the leading
/// dimension lets fragments of rows and of columns touch all banks.
template <class T>
struct Panel {
  const T* base;
  std::int64_t ld;
  bool is_near = false;

  /// Starts to copy; wait_for_copies and team.sync() must follow before it is read.
  template <class Team>
  __device__ Panel(const Team& team, const SolveData<T>& data, const SolveFront& front, T* shared_memory, int bytes)
      : base(data.values + front.offset), ld(front.ld) {
    const int dense = (front.front + 3) / 8 * 8 + 4;
    if (dense * front.panel_width * static_cast<int>(sizeof(T)) > bytes) {
      prefetch_block(base, ld, front.front, front.panel_width, team.thread(), 32 * Team::warps);
      return;
    }
    if (front.ld % 4 == 0 && front.offset % 4 == 0) {
      constexpr int unit = 16 / static_cast<int>(sizeof(T));
      const int lanes = front.front > 16 * unit ? 32 : (front.front > 8 * unit ? 16 : 8);  // Lanes per column.
      const int at_once = 32 * Team::warps / lanes;
      for (int k = team.thread() / lanes; k < front.panel_width; k += at_once) {
        for (int row = team.thread() % lanes * unit; row < front.front; row += lanes * unit) {
          copy_async<16>(shared_memory + row + k * dense, base + row + k * ld, true);
        }
      }
    } else if (front.front >= 24) {
      for (int k = team.warp(); k < front.panel_width; k += Team::warps) {
        for (int row = team.thread() % 32; row < front.front; row += 32)
          copy(shared_memory + row + k * dense, base + row + k * ld);
      }
    } else {
      for (int index = team.thread(); index < front.front * front.panel_width; index += 32 * Team::warps) {
        const int k = index / front.front;
        const int row = index - k * front.front;
        copy(shared_memory + row + k * dense, base + row + k * ld);
      }
    }
    commit_copies();
    base = shared_memory;
    ld = dense;
    is_near = true;
  }

 private:
  __device__ static void copy(T* to, const T* from) { copy_async<sizeof(T)>(to, from, true); }
};

}  // namespace gpusupernodal::cuda
