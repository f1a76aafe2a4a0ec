#pragma once

/// \file
/// Entries of L on their way into products with several right-hand sides: copied into shared memory while what they are
/// multiplied by is awaited, so that nothing but vectors is read afterwards.

#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/solve_many.cuh"
#include "kernels/cuda/sweeps.hpp"

namespace gpusupernodal::cuda {

/// Leading dimension of a narrow front's vectors in shared memory.
template <class T, int Columns>
constexpr int front_stride = vector_stride<T>(Columns);

/// Dynamic shared memory begins with vectors of a narrow front, or the sources of a block's rows; the rest is for L.
template <class T, int Columns>
constexpr int room_head = solve_block * 16 > tile_size* front_stride<T, Columns>* static_cast<int>(sizeof(T))
                              ? solve_block * 16
                              : tile_size* front_stride<T, Columns>* static_cast<int>(sizeof(T));
/// What the kernels need of it at least, and what they use at most. More would be taken from the first-level cache, which
/// narrow fronts and the list of tasks need.
template <class T, int Columns>
constexpr int least_room = room_head<T, Columns> + solve_warps* stage_batch* static_cast<int>(sizeof(T));
template <class T, int Columns>
constexpr int most_room = room_head<T, Columns> +
                          stage_most_batches<T>* solve_warps* stage_batch* static_cast<int>(sizeof(T));
static_assert(least_room<double, solve_many> >= solve_warps * warp_width * front_stride<double, solve_many> * 8);
static_assert(least_room<float, solve_many> >= solve_warps * warp_width * front_stride<float, solve_many> * 4);

__device__ inline char* shared_room() {
  extern __shared__ __align__(shared_alignment) char solve_room[];
  return solve_room;
}
__device__ inline int shared_room_bytes() {
  unsigned bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return static_cast<int>(bytes);
}
/// Batches that each warp has room for.
template <class T, int Columns>
__device__ int stage_batches() {
  constexpr int bytes = solve_warps * stage_batch * static_cast<int>(sizeof(T));
  return min(stage_most_batches<T>, (shared_room_bytes() - room_head<T, Columns>) / bytes);
}
/// Where a warp's batches begin, and, when they were multiplied, its sums.
template <class T, int Columns>
__device__ T* stage_of_warp(int warp) {
  return reinterpret_cast<T*>(shared_room() + room_head<T, Columns>) + warp * stage_batches<T, Columns>() * stage_batch;
}

/// Vectors of a narrow front in shared memory.
template <class T, int Columns>
using FrontVectors = T (*)[front_stride<T, Columns>];

/// Waits until at most `pending` ≤ Most of this thread's committed groups are under way.
template <int Most>
__device__ void wait_for_copies_but(int pending) {
  if constexpr (Most > 0) {
    if (pending < Most) return wait_for_copies_but<Most - 1>(pending);
  }
  wait_for_copies<Most>();
}

/// An entry of L; zero where it is not `valid`, and `at` then any address that can be read.
template <class T>
struct Entry {
  const T* at;
  bool valid;
};

/// A warp's product of two 16-row tiles with columns first … last−1 of L. Each lane copies what it multiplies itself, in
/// batches of a few steps, as many ahead as there is room for: no lane waits for another. entry(m, h, k) is the entry of
/// row 16m + 8h + group.
template <class T, int Columns, class EntryA>
class StagedProduct {
 public:
  static constexpr int ahead = stage_steps;

  /// Begins to copy.
  __device__ StagedProduct(int first, int last, EntryA entry)
      : entry_(entry),
        first_(first),
        last_(last),
        to_copy_(first),
        batches_(stage_batches<T, Columns>()),
        places_(stage_of_warp<T, Columns>(static_cast<int>(threadIdx.x / 32u)) + threadIdx.x % 32u) {
    for (int b = 0; b < batches_; ++b) copy(b);
    for (int k = to_copy_ + lane_.quad; k < last_; k += 4) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const Entry<T> from = entry_(e / 2, e % 2, k);
        if (from.valid) asm volatile("prefetch.global.L2 [%0];" ::"l"(from.at));
      }
    }
  }

  /// sums += the product with b: load(k, last, right) sets right[s][n] to b(k + 4s + quad, 8n + group) for s < ahead, or,
  /// from `last` on, to any other entry of b.
  template <class Load>
  __device__ void add_to(Sums<T, Columns> (&sums)[2], Load load) {
    int slot = 0;
#pragma unroll 1
    for (int k = first_; k < last_; k += 4 * ahead) {
      T right[ahead][Columns / 8];
      load(k, last_, right);
#pragma unroll
      for (int from = 0; from < ahead; from += stage_steps) {
        if (k + 4 * from < last_) {
          add_batch(slot, right, from, sums);
          slot = slot + 1 < batches_ ? slot + 1 : 0;
        }
      }
    }
  }

 private:
  __device__ void copy(int slot) {
    if (to_copy_ < last_) {
      T* const to = places_ + slot * stage_batch;
#pragma unroll
      for (int s = 0; s < stage_steps; ++s) {
        const int k = to_copy_ + 4 * s + lane_.quad;
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const Entry<T> from = entry_(e / 2, e % 2, min(k, last_ - 1));
          copy_async<sizeof(T)>(to + (4 * s + e) * 32, from.at, from.valid && k < last_);
        }
      }
      to_copy_ += 4 * stage_steps;
    }
    commit_copies();
  }

  __device__ void add_batch(int slot, const T (&right)[ahead][Columns / 8], int from, Sums<T, Columns> (&sums)[2]) {
    wait_for_copies_but<stage_most_batches<T> - 1>(batches_ - 1);
    const T* const left = places_ + slot * stage_batch;
#pragma unroll
    for (int s = 0; s < stage_steps; ++s) {
      Operand<T> operands[Columns / 8];
#pragma unroll
      for (int n = 0; n < Columns / 8; ++n) operands[n] = operand(right[from + s][n]);
#pragma unroll
      for (int m = 0; m < 2; ++m) {
        const Operand<T> rows[2] = {operand(left[(4 * s + 2 * m) * 32]), operand(left[(4 * s + 2 * m + 1) * 32])};
#pragma unroll
        for (int n = 0; n < Columns / 8; ++n) multiply(sums[m].value[n], rows, operands[n]);
      }
    }
    copy(slot);
  }

  const Lane lane_;
  const EntryA entry_;
  const int first_;
  const int last_;
  int to_copy_;
  const int batches_;
  T* const places_;
};

/// right[s][n] := b(n, k + 4s + quad), or b(n, last−1) from `last` on.
template <int Columns, class T, int Ahead, class EntryB>
__device__ void for_each_ahead(int k, int last, T (&right)[Ahead][Columns / 8], EntryB b) {
  const Lane lane;
#pragma unroll
  for (int s = 0; s < Ahead; ++s) {
    const int at = min(k + 4 * s + lane.quad, last - 1);
#pragma unroll
    for (int n = 0; n < Columns / 8; ++n) right[s][n] = b(n, at);
  }
}

/// own[i][…] := row begin + i of b, of those in `right`.
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

/// sums[m] += A · B over k = first … last−1 where A is near: entries of B, by load(k, last, right) as above, are loaded
/// several steps together. a(m, h, k) is the entry of row 16m + 8h + group.
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

template <class T, int Columns, class EntryA>
__device__ StagedProduct<T, Columns, EntryA> stage_product(int first, int last, EntryA entry) {
  return StagedProduct<T, Columns, EntryA>(first, last, entry);
}

/// What each warp leaves of two tiles lies where its batches were; those of other warps can be read after a barrier.
template <class T, int Columns>
__device__ void leave_sums(const Sums<T, Columns> (&sums)[2]) {
  __syncwarp();
  T* const room = stage_of_warp<T, Columns>(static_cast<int>(threadIdx.x / 32u));
  store_sums(sums, *reinterpret_cast<T(*)[solve_outputs][Columns]>(room));
}

/// Calls f(row, column, sum) for the entries of `groups` times solve_outputs rows, a few a thread: warp w has left a part of
/// the rows of group w % groups.
template <class T, int Columns, class F>
__device__ void for_each_total(int groups, F f) {
  constexpr int each = solve_outputs * Columns;
  const T* const room = stage_of_warp<T, Columns>(0);
  const int stride = stage_batches<T, Columns>() * stage_batch;
#pragma unroll 2
  for (int index = static_cast<int>(threadIdx.x); index < groups * each; index += solve_threads) {
    T total = T(0);
    for (int w = index / each; w < solve_warps; w += groups) total += room[w * stride + index % each];
    f(index / Columns, index % Columns, total);
  }
}

/// Brings `count` elements into the second-level cache, by a warp.
template <class Element>
__device__ void prefetch_range(const Element* begin, int count, int lane) {
  constexpr int line = 128 / static_cast<int>(sizeof(Element));
  for (int at = lane * line; at < count; at += 32 * line) asm volatile("prefetch.global.L2 [%0];" ::"l"(begin + at));
}

/// Of the block that a task's columns belong to.
__device__ inline int block_width(const SolveTask& task) {
  return min(solve_block, task.panel_width - task.column / solve_block * solve_block);
}

/// A whole front's panel where it is multiplied: in shared memory, columns so far from each other that fragments of rows and
/// of columns touch all banks, or, where there is no room, where it lies.
template <class T>
struct Panel {
  const T* base;
  std::int64_t ld;

  /// Begins to copy; wait_for_copies and team.sync() before it is read.
  template <class Team>
  __device__ Panel(const Team& team, const SolveData<T>& data, const SolveTask& task, T* room, int bytes)
      : base(data.values + task.offset), ld(task.ld) {
    const int dense = (task.front + 3) / 8 * 8 + 4;
    if (dense * task.width * static_cast<int>(sizeof(T)) > bytes) {
      prefetch_block(base, ld, task.front, task.width, team.thread, 32 * Team::warps);
      return;
    }
    if (task.front >= 24) {
      for (int k = team.warp; k < task.width; k += Team::warps) {
        for (int row = team.thread % 32; row < task.front; row += 32) copy(room + row + k * dense, base + row + k * ld);
      }
    } else {
      for (int index = team.thread; index < task.front * task.width; index += 32 * Team::warps) {
        const int k = index / task.front;
        const int row = index - k * task.front;
        copy(room + row + k * dense, base + row + k * ld);
      }
    }
    commit_copies();
    base = room;
    ld = dense;
  }

 private:
  __device__ static void copy(T* to, const T* from) { copy_async<sizeof(T)>(to, from, true); }
};

}  // namespace gpusupernodal::cuda
