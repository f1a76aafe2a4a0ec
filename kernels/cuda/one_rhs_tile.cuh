#pragma once

/// \file
/// One right-hand side: a CTA's shared memory, and how a task's part of L is copied into it.

#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/in_groups.cuh"
#include "kernels/cuda/solve_parts.cuh"
#include "kernels/cuda/sweeps.hpp"
#include "kernels/cuda/team.cuh"

namespace gpusupernodal::cuda {

/// A CTA's shared memory before its tile.
template <class T>
struct alignas(shared_alignment) OneRhsTile {
  T vector[solve_block];
  T sums[one_rhs_sum_entries<T>];

  __device__ T* tile() { return reinterpret_cast<T*>(this + 1); }
};

/// A team's part of the CTA's shared memory.
template <class T, class Team>
struct TeamMemory {
  static constexpr int vector_entries = solve_block / Team::teams;
  T* vector;  ///< vector_entries entries.
  T* sums;    ///< 16 bytes per thread.
  T* tile;
  int tile_entries;  ///< Entries that fit into the tile.

  __device__ TeamMemory(OneRhsTile<T>& shared_memory, int tile_bytes)
      : vector(shared_memory.vector + Team::index() * vector_entries),
        sums(shared_memory.sums + Team::index() * (one_rhs_sum_entries<T> / Team::teams)),
        tile(shared_memory.tile() + Team::index() * (tile_bytes / Team::teams / static_cast<int>(sizeof(T)))),
        tile_entries(tile_bytes / Team::teams / static_cast<int>(sizeof(T))) {}
};

template <class T>
__device__ OneRhsTile<T>& one_rhs_memory() {
  static_assert(sizeof(OneRhsTile<T>) == one_rhs_fixed_bytes<T>);
  extern __shared__ __align__(shared_alignment) unsigned char memory[];
  return *reinterpret_cast<OneRhsTile<T>*>(memory);
}

/// A part of L in shared or in global memory. The two have different types: for a pointer that may be either, the
/// compiler emits generic loads, which are slower.
template <class T, class Stride>
struct Entries {
  const T* base;
  Stride ld;
};
template <class T>
using NearEntries = Entries<T, int>;
template <class T>
using FarEntries = Entries<T, std::int64_t>;

template <class T>
struct Tile {
  bool is_near;
  int first;  ///< Index of its first entry in the tile.
  int stride;
  FarEntries<T> far;

  /// Calls f with the entries, in shared or global memory.
  template <class F>
  __device__ void read(T* tile, F f) const {
    int is_here = is_near;
    asm("" : "+r"(is_here));  // Otherwise all following code is compiled twice.
    if (is_here != 0) {
      f(NearEntries<T>{tile + first, stride});
    } else {
      f(far);
    }
  }
};

/// Counts of lanes are powers of two and stored as logarithms: a division by a variable takes about forty instructions.
inline constexpr int log_threads = Cta::log_threads;

/// Returns the logarithm of the smallest power of two ≥ count, clamped to 8 … 2^log_max.
__device__ inline int log_lanes(int count, int log_max = log_threads) { return min(log_max, max(3, 32 - __clz(count - 1))); }

/// Starts to copy `columns` columns of `rows` ≤ 512 entries, a multiple of four, to contiguous memory.
template <class T>
__device__ void copy_columns(const T* from, std::int64_t ld, int rows, int columns, T* to, int thread) {
  constexpr int unit = 16 / static_cast<int>(sizeof(T));
  const int log_lanes = min(log_threads, 32 - __clz(rows / unit - 1));
  const int row = (thread & ((1 << log_lanes) - 1)) * unit;
  const int log_at_once = log_threads - log_lanes;
  const int first = thread >> log_lanes;
  const T* column = from + row + first * ld;
  T* place = to + row + first * rows;
  const std::int64_t step = ld << log_at_once;
  const int stride = rows << log_at_once;
  constexpr int at_once = unit << log_threads;  // Rows that all threads copy at once.
  in_groups<4>(first, row < rows ? columns : 0, log_at_once, [&](int) {
    copy_async<16>(place, column, true);
    if constexpr (at_once < solve_block) {
      if (row + at_once < rows) copy_async<16>(place + at_once, column + at_once, true);
    }
    column += step;
    place += stride;
  });
}

/// Starts to copy `columns` columns of `rows` entries at `corner` into shared memory, by a CTA; wait_for_copies and a
/// barrier must follow before they are read. `corner` lies `before` rows after a row aligned to four entries. If they
/// do not fit, they are only prefetched into the L2 cache. Precondition: columns are aligned to four entries.
template <class T>
__device__ Tile<T> stage(const SolveData<T>& data, const T* corner, std::int64_t ld, int before, int rows, int columns,
                         OneRhsTile<T>& shared_memory) {
  constexpr int aligned = 4;
  const int thread = static_cast<int>(threadIdx.x);
  const int held = (before + rows + aligned - 1) / aligned * aligned;
  if (held * columns > data.tile_bytes / static_cast<int>(sizeof(T))) {
    prefetch_block(corner, ld, rows, columns, thread, solve_threads);
    return {false, 0, 0, {corner, ld}};
  }
  copy_columns(corner - before, ld, held, columns, shared_memory.tile(), thread);
  commit_copies();
  return {true, before, held, {}};
}

/// Stages the rows of a product with some columns.
template <class T, class Task>
__device__ Tile<T> stage_product(const SolveData<T>& data, const Task& task, OneRhsTile<T>& shared_memory) {
  const T* const corner = data.values + task.offset + task.row_begin + std::int64_t{task.column} * task.ld;
  return stage(data, corner, task.ld, task.row_begin & 3, task.row_end - task.row_begin, task.width, shared_memory);
}

/// Stages a whole front by a team; short columns may be unaligned.
template <class Team, class T>
__device__ Tile<T> stage_front(const SolveData<T>& data, const SolveFront& task, const TeamMemory<T, Team>& shared_memory) {
  constexpr int unit = 16 / static_cast<int>(sizeof(T));
  const T* const panel = data.values + task.offset;
  const int count = task.ld * task.panel_width;
  if (count > shared_memory.tile_entries) {
    prefetch_block(panel, task.ld, task.front, task.panel_width, Team::thread(), Team::threads);
    return {false, 0, 0, {panel, task.ld}};
  }
  if (task.ld % 4 == 0 && task.offset % 4 == 0) {
    for (int i = Team::thread() * unit; i < count; i += Team::threads * unit)
      copy_async<16>(shared_memory.tile + i, panel + i, true);
  } else {
    for (int i = Team::thread(); i < count; i += Team::threads)
      copy_async<sizeof(T)>(shared_memory.tile + i, panel + i, true);
  }
  commit_copies();
  return {true, 0, task.ld, {}};
}

}  // namespace gpusupernodal::cuda
