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

/// A lane's place in fragments.
struct Lane {
  int group = static_cast<int>(threadIdx.x & 31u) / 4;
  int quad = static_cast<int>(threadIdx.x & 3u);
};

/// A 16-row tile of sums for all right-hand sides: sum[n][2h+c] belongs to row 8h + group, right-hand side 8n + 2·quad + c.
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

/// The CTA, or a warp by itself, as those who work on a front.
template <int Warps>
struct NarrowTeam {
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
  __device__ void await(const SolveSweep& sweep, const SolveTask& task) const {
    if constexpr (Warps == 1) {
      await_inputs_by_warp(sweep, task);
    } else {
      await_inputs(sweep, task);
    }
  }
};

/// sums += A · B over k = first … last−1: a(h, k) is the entry of row 8h + group, b(n, k) that of column 8n + group; each is
/// asked for k < last only. Entries of A for several steps are loaded together, also where there are fewer steps.
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

/// Leaves a warp's sums to be added to those of others.
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

/// Numbers of warps are powers of two, kept as their logarithms: a division by a variable takes some forty instructions.
inline constexpr int log_warps = 3;
static_assert(solve_warps == 1 << log_warps);

/// The part of `count` ≥ 0 steps that is a warp's, of 2^log of them, a multiple of four.
__device__ inline int share_of(int count, int log) { return (((count + (1 << log) - 1) >> log) + 3) & ~3; }

/// The warps of a task over groups of solve_outputs rows or columns, 2^log of them, one to four, and over parts of the
/// steps.
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
