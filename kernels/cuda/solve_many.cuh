#pragma once

/// \file
/// Device code shared by both directions, for several right-hand sides. L is read once for all of them, and its entries
/// are tensor-core operands as they lie in memory. Vectors are row-major, so a row is one or two cache lines.

#include "kernels/cuda/fragments.cuh"
#include "kernels/cuda/solve_parts.cuh"
#include "kernels/cuda/solve_queue.cuh"

namespace gpusupernodal::cuda {

template <class T>
struct PairOf;
template <>
struct PairOf<float> {
  using Type = float2;
};
template <>
struct PairOf<double> {
  using Type = double2;
};
template <class R>
struct alignas(16) ComplexPair {
  Complex<R> x, y;
};
template <class R>
struct PairOf<Complex<R>> {
  using Type = ComplexPair<R>;
};
template <class T>
using Pair = typename PairOf<T>::Type;
template <class R>
__device__ ComplexPair<R> load_l2(const ComplexPair<R>* from) {
  return {load_l2(&from->x), load_l2(&from->y)};
}

/// A lane's position in fragments.
struct Lane {
  int group = static_cast<int>(threadIdx.x & 31u) / 4;
  int quad = static_cast<int>(threadIdx.x & 3u);
};

/// Sums of a 16-row tile for all right-hand sides: value[n][2h+c] belongs to row 8h + group, right-hand side 8n +
/// 2·quad + c.
template <class T, int Columns>
struct Sums {
  T value[Columns / 8][4] = {};

  __device__ void negate() {
#pragma unroll
    for (int n = 0; n < Columns / 8; ++n) {
#pragma unroll
      for (int e = 0; e < 4; ++e) value[n][e] = -value[n][e];
    }
  }
};

/// Maximum number of 16-row tiles of a narrow front's own columns per warp.
template <class Team>
inline constexpr int narrow_tiles = Team::warps == 1 ? warp_width / 16 : 1;

/// Computes sums += A · B over k = first … last−1. a(h, k) is the entry of row 8h + group, b(n, k) that of column 8n +
/// group; both are called for k < last only. Entries of A for several steps are loaded together, even if fewer steps
/// remain.
template <class T, int Columns, class EntryA, class EntryB>
__device__ void add_products(int first, int last, EntryA a, EntryB b, Sums<T, Columns>& sums) {
  constexpr int steps = 4;
  const Lane lane;
#pragma unroll 1
  for (int begin = first; begin < last; begin += 8 * steps) {
    T left[2 * steps][2];
#pragma unroll
    for (int s = 0; s < 2 * steps; ++s) {
      if (s == steps && begin + 4 * steps >= last) break;
      const int k = min(begin + 4 * s + lane.quad, last - 1);
#pragma unroll
      for (int h = 0; h < 2; ++h) left[s][h] = a(h, k);
    }
#pragma unroll
    for (int s = 0; s < 2 * steps; ++s) {
      if (begin + 4 * s >= last) break;
      const int k = begin + 4 * s + lane.quad;
      const Operand<T> rows[2] = {operand(left[s][0]), operand(left[s][1])};
#pragma unroll
      for (int n = 0; n < Columns / 8; ++n) {
        multiply(sums.value[n], rows, operand(k < last ? b(n, k) : T(0)));
      }
    }
  }
}

/// Calls f(h, n, pair) for this lane's pairs of a tile: row 8h + group, right-hand sides 8n + 2·quad and 8n + 2·quad +
/// 1.
template <class T, int Columns, class F>
__device__ void for_each_pair(const Sums<T, Columns>& sums, F f) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
#pragma unroll
    for (int n = 0; n < Columns / 8; ++n) f(h, n, Pair<T>{sums.value[n][2 * h], sums.value[n][2 * h + 1]});
  }
}

/// Returns the address of this lane's pair of row `row`.
template <int Columns, class T>
__device__ Pair<T>* pair_at(T* vectors, std::int64_t row, int n) {
  const Lane lane;
  return reinterpret_cast<Pair<T>*>(vectors + row * Columns + 8 * n + 2 * lane.quad);
}

/// This lane's part of a row of vectors; zeros if `row` is negative.
template <class T, int Columns>
struct RowPart {
  Pair<T> pairs[Columns / 8];

  __device__ void load(T* vectors, std::int64_t row) {
#pragma unroll
    for (int n = 0; n < Columns / 8; ++n)
      pairs[n] = row >= 0 ? load_l2(pair_at<Columns>(vectors, row, n)) : Pair<T>{T(0), T(0)};
  }
  /// Adds this to the sums of row 8h + group.
  __device__ void add_to(int h, Sums<T, Columns>& sums) const {
#pragma unroll
    for (int n = 0; n < Columns / 8; ++n) {
      sums.value[n][2 * h] += pairs[n].x;
      sums.value[n][2 * h + 1] += pairs[n].y;
    }
  }
};

/// Computes sums += contributions to a tile's rows, in an order that depends on the lists only. All first contributions
/// are loaded before any is added.
template <class T, int Columns>
__device__ void gather(const SolveData<T>& data, const Sources (&from)[2], Sums<T, Columns>& sums) {
  if (!__any_sync(all_lanes, from[0].first[0] >= 0 || from[1].first[0] >= 0)) return;
  RowPart<T, Columns> ahead[2][Sources::ahead];
#pragma unroll
  for (int h = 0; h < 2; ++h) {
#pragma unroll
    for (int i = 0; i < Sources::ahead; ++i) ahead[h][i].load(data.u, from[h].first[i]);
  }
#pragma unroll
  for (int h = 0; h < 2; ++h) {
#pragma unroll
    for (int i = 0; i < Sources::ahead; ++i) ahead[h][i].add_to(h, sums);
    const int count = from[h].more >= 0 ? data.gather_more[from[h].more] : 0;
#pragma unroll 4
    for (int e = 1; e <= count; ++e) {
      RowPart<T, Columns> part;
      part.load(data.u, data.gather_more[from[h].more + e]);
      part.add_to(h, sums);
    }
  }
}

/// Stores a warp's sums, to be added to those of other warps.
template <class T, int Columns, int Tiles>
__device__ void store_sums(const Sums<T, Columns> (&sums)[Tiles], T (&shared_memory)[16 * Tiles][Columns]) {
  const Lane lane;
#pragma unroll
  for (int m = 0; m < Tiles; ++m) {
    for_each_pair(sums[m], [&](int h, int n, const Pair<T>& pair) {
      *reinterpret_cast<Pair<T>*>(&shared_memory[16 * m + 8 * h + lane.group][8 * n + 2 * lane.quad]) = pair;
    });
  }
}

/// Counts of warps are powers of two and stored as logarithms: a division by a variable takes about forty instructions.
inline constexpr int log_warps = 3;
static_assert(solve_warps == 1 << log_warps);

/// Returns a warp's share of `count` ≥ 0 steps among 2^log warps, rounded up to a multiple of four.
__device__ inline int share_of(int count, int log) { return (((count + (1 << log) - 1) >> log) + 3) & ~3; }

/// Distributes a task's warps over groups of solve_outputs rows or columns (2^log groups, one to four) and over parts
/// of the steps.
struct WarpShare {
  int log;
  int group;
  int part;

  __device__ explicit WarpShare(int outputs) : log(outputs <= solve_outputs ? 0 : (outputs <= 2 * solve_outputs ? 1 : 2)) {
    const int warp = static_cast<int>(threadIdx.x / 32u);
    group = warp & ((1 << log) - 1);
    part = warp >> log;
  }
  __device__ int steps(int count) const { return share_of(count, log_warps - log); }
};

}  // namespace gpusupernodal::cuda
