#pragma once

/// \file
/// Device code that both directions share for several right-hand sides: L is read once for all of them, its entries as they
/// lie in memory are the operands of the tensor cores. Vectors are row-major, so that a row of them is one or two lines.

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
template <class T>
using Pair = typename PairOf<T>::Type;

/// Leading dimension of vectors in shared memory: a fragment of B touches every bank once in a pass.
template <class T>
constexpr int vector_stride(int columns) {
  return sizeof(T) == 8 ? columns + 4 : (columns == 8 ? 8 : 24);
}

/// A lane's place in fragments.
struct Lane {
  int group = static_cast<int>(threadIdx.x & 31u) / 4;
  int quad = static_cast<int>(threadIdx.x & 3u);
};

/// A 16-row tile of sums for all right-hand sides: sum[n][2h+c] belongs to row 8h + group, right-hand side 8n + 2·quad + c.
template <class T, int Columns>
struct Sums {
  T value[Columns / 8][4] = {};
};

/// The CTA, or a warp by itself, as those who work on a front.
template <int Warps>
struct Team {
  static constexpr int warps = Warps;
  /// 16-row tiles of a narrow front's own columns that a warp takes at most.
  static constexpr int tiles = Warps == 1 ? warp_width / 16 : 1;
  int warp = Warps == 1 ? 0 : static_cast<int>(threadIdx.x / 32u);
  int thread = Warps == 1 ? static_cast<int>(threadIdx.x & 31u) : static_cast<int>(threadIdx.x);

  __device__ void sync() const {
    if constexpr (Warps == 1) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }
  __device__ int await(const SolveSweep& sweep, const SolveTask& task) const {
    if constexpr (Warps == 1) {
      await_inputs_by_warp(sweep, task);
      return 0;
    } else {
      return await_inputs(sweep, task);
    }
  }
};

/// sums[m] += A · B over k = first … last−1: a(m, h, k) is the entry of row 16m + 8h + group, b(n, k) that of column
/// 8n + group; each is asked for k < last only.
template <int Unroll, class T, int Columns, int Tiles, class EntryA, class EntryB>
__device__ void add_products(int first, int last, EntryA a, EntryB b, Sums<T, Columns> (&sums)[Tiles]) {
  const Lane lane;
#pragma unroll Unroll
  for (int step = first; step < last; step += 4) {
    const bool inside = step + lane.quad < last;
    const int k = inside ? step + lane.quad : last - 1;
    T left[Tiles][2];
    Operand<T> right[Columns / 8];
#pragma unroll
    for (int m = 0; m < Tiles; ++m) {
#pragma unroll
      for (int h = 0; h < 2; ++h) left[m][h] = a(m, h, k);
    }
#pragma unroll
    for (int n = 0; n < Columns / 8; ++n) right[n] = operand(inside ? b(n, k) : T(0));
#pragma unroll
    for (int m = 0; m < Tiles; ++m) {
      const Operand<T> rows[2] = {operand(left[m][0]), operand(left[m][1])};
#pragma unroll
      for (int n = 0; n < Columns / 8; ++n) multiply(sums[m].value[n], rows, right[n]);
    }
  }
}

/// Calls f(h, n, pair) for this lane's pairs of a tile: row 8h + group, right-hand sides 8n + 2·quad and the next.
template <class T, int Columns, class F>
__device__ void for_each_pair(const Sums<T, Columns>& sums, F f) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
#pragma unroll
    for (int n = 0; n < Columns / 8; ++n) f(h, n, Pair<T>{sums.value[n][2 * h], sums.value[n][2 * h + 1]});
  }
}

/// Where this lane's pair of row `row` begins.
template <int Columns, class T>
__device__ Pair<T>* pair_at(T* vectors, std::int64_t row, int n) {
  const Lane lane;
  return reinterpret_cast<Pair<T>*>(vectors + row * Columns + 8 * n + 2 * lane.quad);
}

/// This lane's part of a row of vectors, or zeros where `row` is negative.
template <class T, int Columns>
struct RowPart {
  Pair<T> pairs[Columns / 8];

  __device__ void load(T* vectors, std::int64_t row) {
#pragma unroll
    for (int n = 0; n < Columns / 8; ++n)
      pairs[n] = row >= 0 ? __ldcg(pair_at<Columns>(vectors, row, n)) : Pair<T>{T(0), T(0)};
  }
  /// sums of row 8h + group += this.
  __device__ void add_to(int h, Sums<T, Columns>& sums) const {
#pragma unroll
    for (int n = 0; n < Columns / 8; ++n) {
      sums.value[n][2 * h] += pairs[n].x;
      sums.value[n][2 * h + 1] += pairs[n].y;
    }
  }
};

/// sums += the contributions to a tile's rows. The order depends on the lists alone. All first ones are loaded before any is
/// added.
template <class T, int Columns>
__device__ void gather(const SolveData<T>& data, const Sources (&from)[2], Sums<T, Columns>& sums) {
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

/// One right-hand side of a row: the contributions to it.
template <int Columns, class T>
__device__ T gather_one(const SolveData<T>& data, const Sources& from, int column) {
  T ahead[Sources::ahead] = {};
#pragma unroll
  for (int i = 0; i < Sources::ahead; ++i) {
    if (from.first[i] >= 0) ahead[i] = __ldcg(data.u + std::int64_t{from.first[i]} * Columns + column);
  }
  T sum = T(0);
#pragma unroll
  for (int i = 0; i < Sources::ahead; ++i) sum += ahead[i];
  const int count = from.more >= 0 ? data.gather_more[from.more] : 0;
#pragma unroll 8
  for (int e = 1; e <= count; ++e) {
    sum += __ldcg(data.u + std::int64_t{data.gather_more[from.more + e]} * Columns + column);
  }
  return sum;
}

/// What the warps of a CTA leave of `Rows` rows, to be added.
template <class T, int Columns, int Rows>
using WarpSums = T[solve_warps][Rows][Columns];

template <class T, int Columns, int Tiles>
__device__ void store_sums(const Sums<T, Columns> (&sums)[Tiles], T (&room)[16 * Tiles][Columns]) {
  const Lane lane;
#pragma unroll
  for (int m = 0; m < Tiles; ++m) {
    for_each_pair(sums[m], [&](int h, int n, const Pair<T>& pair) {
      *reinterpret_cast<Pair<T>*>(&room[16 * m + 8 * h + lane.group][8 * n + 2 * lane.quad]) = pair;
    });
  }
}

/// Calls f(row, column, sum) for the entries of `groups` times solve_outputs rows, a few a thread: warp w has a part of the
/// rows of group w % groups.
template <class T, int Columns, class F>
__device__ void for_each_total(const WarpSums<T, Columns, solve_outputs>& room, int groups, F f) {
  constexpr int each = solve_outputs * Columns;
#pragma unroll 2
  for (int index = static_cast<int>(threadIdx.x); index < groups * each; index += solve_threads) {
    const int at = index % each;
    T total = T(0);
    for (int w = index / each; w < solve_warps; w += groups) total += room[w][at / Columns][at % Columns];
    f(index / Columns, index % Columns, total);
  }
}

/// The part of `count` steps that is a warp's, a multiple of four.
__device__ inline int share_of(int count, int warps) { return ((count + warps - 1) / warps + 3) / 4 * 4; }

}  // namespace gpusupernodal::cuda
