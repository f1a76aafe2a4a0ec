#pragma once

/// \file
/// Device code that both directions share for a single right-hand side. A task brings its part of L into shared memory
/// before its vectors are there, and knows that an entry of a vector is there from the entry itself: between two tasks of
/// the longest path lie one trip to memory, a product out of shared memory and a store.

#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/published.cuh"
#include "kernels/cuda/solve_parts.cuh"
#include "kernels/cuda/solve_queue.cuh"
#include "kernels/cuda/sweeps.hpp"

namespace gpusupernodal::cuda {

/// Shared memory of a CTA, before its tile.
template <class T>
struct alignas(shared_alignment) SingleRoom {
  T vector[solve_block];
  T sums[2 * solve_threads];

  __device__ T* tile() { return reinterpret_cast<T*>(this + 1); }
};

template <class T>
__device__ SingleRoom<T>& single_room() {
  static_assert(sizeof(SingleRoom<T>) == single_room_bytes<T>);
  extern __shared__ __align__(shared_alignment) unsigned char memory[];
  return *reinterpret_cast<SingleRoom<T>*>(memory);
}

/// A part of L where a CTA reads it.
template <class T>
struct Tile {
  const T* base;
  std::int64_t ld;
};

/// The smallest power of two ≥ count, 8 … 256, as its logarithm.
__device__ inline int log_lanes(int count) { return min(8, max(3, 32 - __clz(count - 1))); }

/// Starts to copy `count` entries by 16 bytes at once; both ends are aligned to them.
template <class T>
__device__ void copy_aligned(const T* from, int count, T* to, int thread) {
  constexpr int unit = 16 / static_cast<int>(sizeof(T));
  for (int i = thread * unit; i < count; i += solve_threads * unit) copy_async<16>(to + i, from + i, true);
}

/// The part of L that a task reads.
template <class T>
struct Part {
  const T* corner;
  int rows;
  int columns;
};

template <bool Backward, class T>
__device__ Part<T> part_of(const SolveData<T>& data, const SolveTask& task) {
  const T* const panel = data.values + task.offset;
  const std::int64_t ld = task.ld;
  const int rows = task.row_end - task.row_begin;
  if (task.kind == SolveKind::whole) return {panel, task.front, task.panel_width};
  if (task.kind != SolveKind::diagonal) return {panel + task.row_begin + task.column * ld, rows, task.width};
  if (Backward) return {panel + task.row_begin * (ld + 1), rows, task.column + task.width - task.row_begin};
  return {panel + task.column + task.row_begin * ld, task.row_end - task.column, rows};
}

/// Starts to bring a task's part into shared memory by a CTA, or only into the second-level cache where there is no room for
/// it; wait_for_copies and a barrier before it is read. Columns are aligned to four entries, but for fronts of few rows.
template <bool Backward, class T>
__device__ Tile<T> stage(const SolveData<T>& data, const SolveTask& task, SingleRoom<T>& room) {
  constexpr int unit = 16 / static_cast<int>(sizeof(T));
  constexpr int aligned = 4;
  const int thread = static_cast<int>(threadIdx.x);
  const int most = data.tile_bytes / static_cast<int>(sizeof(T));
  const Part<T> part = part_of<Backward>(data, task);
  T* const tile = room.tile();
  if (task.kind == SolveKind::whole && task.ld * part.columns <= most) {
    if (task.ld % aligned == 0 && task.offset % aligned == 0) {
      copy_aligned(part.corner, task.ld * part.columns, tile, thread);
    } else {
      for (int i = thread; i < task.ld * part.columns; i += solve_threads) {
        copy_async<sizeof(T)>(tile + i, part.corner + i, true);
      }
    }
    commit_copies();
    return {tile, task.ld};
  }
  const int before = task.kind == SolveKind::rows || task.kind == SolveKind::columns || task.kind == SolveKind::last_columns
                         ? task.row_begin % aligned
                         : 0;
  const int rows = (part.rows + before + aligned - 1) / aligned * aligned;
  if (rows * part.columns > most || task.kind == SolveKind::whole) {
    prefetch_block(part.corner, task.ld, part.rows, part.columns, thread, solve_threads);
    return {part.corner, task.ld};
  }
  const int lanes = 1 << min(8, 32 - __clz(rows / unit - 1));
  const int row = thread % lanes * unit;
  const std::int64_t step = solve_threads / lanes * static_cast<std::int64_t>(task.ld);
  const T* from = part.corner - before + row + thread / lanes * static_cast<std::int64_t>(task.ld);
  for (int c = thread / lanes; c < part.columns; c += solve_threads / lanes, from += step) {
    if (row < rows) copy_async<16>(tile + row + c * rows, from, true);
  }
  commit_copies();
  return {tile + before, rows};
}

/// A record as a warp holds it: a word a lane.
constexpr int record_words = sizeof(SolveTask) / sizeof(int);
static_assert(record_words <= 32);

__device__ inline int read_word(const SolveTask* tasks, int index, int end) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  return index < end && lane < record_words ? reinterpret_cast<const int*>(tasks + index)[lane] : 0;
}

__device__ inline SolveTask task_of(int word) {
  int record[record_words];
#pragma unroll
  for (int w = 0; w < record_words; ++w) record[w] = __shfl_sync(all_lanes, word, w);
  SolveTask task;
  memcpy(&task, record, sizeof(task));
  return task;
}

/// The first contributions to a row, as they were when they were looked at.
template <class T>
struct Contributions {
  T first[Sources::ahead];

  __device__ void look(const SolveData<T>& data, const Sources& from) {
#pragma unroll
    for (int i = 0; i < Sources::ahead; ++i) first[i] = from.first[i] >= 0 ? read_now(data.u + from.first[i]) : T(0);
  }
};

/// Contributions to each lane's row beyond the first ones: a list of more than a few is added by the whole warp.
template <class T>
__device__ T gather_more(const SolveData<T>& data, const Sources& from) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  T sum = T(0);
  const int count = from.more >= 0 ? data.gather_more[from.more] : 0;
  const bool is_long = count > few_sources;
  if (!is_long) {
#pragma unroll 4
    for (int e = 1; e <= count; ++e) sum += await_entry(data.u + data.gather_more[from.more + e]);
  }
  __syncwarp();
  for (unsigned left = __ballot_sync(all_lanes, is_long); left != 0; left &= left - 1) {
    const int owner = __ffs(static_cast<int>(left)) - 1;
    const int begin = __shfl_sync(all_lanes, from.more, owner);
    const int all = __shfl_sync(all_lanes, count, owner);
    T part = T(0);
#pragma unroll 4
    for (int e = 1 + lane; e <= all; e += 32) part += await_entry(data.u + data.gather_more[begin + e]);
    __syncwarp();
    const T total = warp_sum(part);
    if (lane == owner) sum += total;
  }
  return sum;
}

/// The contributions to each lane's row, when they are there; `seen`: as they were a moment ago. All lanes of the warp must
/// call it. The order of additions depends on the lists alone.
template <class T>
__device__ T gather(const SolveData<T>& data, const Sources& from, const Contributions<T>& seen) {
  T sum = T(0);
#pragma unroll
  for (int i = 0; i < Sources::ahead; ++i) {
    if (from.first[i] >= 0) sum += await_set(data.u + from.first[i], seen.first[i]);
  }
  __syncwarp();
  return __any_sync(all_lanes, from.more >= 0) ? sum + gather_more(data, from) : sum;
}

template <class T>
__device__ T gather(const SolveData<T>& data, const Sources& from) {
  Contributions<T> seen;
  seen.look(data, from);
  return gather(data, from, seen);
}

/// to[i] := from[i], i < count ≤ solve_block, when they are there.
template <class T>
__device__ void await_vector(const T* from, int count, T* to) {
  constexpr int rounds = solve_block / solve_threads;
  T found[rounds];
#pragma unroll
  for (int r = 0; r < rounds; ++r) {
    const int i = r * solve_threads + static_cast<int>(threadIdx.x);
    found[r] = i < count ? read_now(from + i) : T(0);
  }
#pragma unroll
  for (int r = 0; r < rounds; ++r) {
    const int i = r * solve_threads + static_cast<int>(threadIdx.x);
    if (i < count) to[i] = await_set(from + i, found[r]);
  }
}

/// Rows over threads in groups of 2^log_rows lanes, columns over the groups: what each thread has.
struct Split {
  int row;
  int part;
  int parts;

  /// `thread`: 0 … solve_threads−1.
  __device__ Split(int log_rows, int thread)
      : row(thread & ((1 << log_rows) - 1)), part(thread >> log_rows), parts(solve_threads >> log_rows) {}
};

/// Σ P(row, k)·v(k) over k = first + part, first + part + parts, … < last.
template <class T>
__device__ T part_of_product(const T* row, std::int64_t ld, int first, int last, const Split& split, const T* v) {
  T sum = T(0);
#pragma unroll 8
  for (int k = first + split.part; k < last; k += split.parts) sum += row[k * ld] * v[k];
  return sum;
}

/// The sum over all parts of a row, in the threads of part 0. A barrier lies in it; one is needed before `sums` is used
/// again.
template <class T>
__device__ T sum_of_parts(T sum, const Split& split, int thread, T (&sums)[2 * solve_threads]) {
  sums[thread] = sum;
  __syncthreads();
  if (split.part != 0) return T(0);
  T total = T(0);
#pragma unroll 4
  for (int p = 0; p < split.parts; ++p) total += sums[split.row + p * (solve_threads / split.parts)];
  return total;
}

/// Two neighbouring rows, which one load brings.
template <class T>
struct alignas(2 * sizeof(T)) RowPair {
  T x, y;
};

/// Σ P(row, k)·v(k) over k < width for 2^log_rows rows (16 … 128) from `base` on, which is aligned to a pair: threads over
/// pairs of rows and over k. Thread `row` has the sum of row `row`. A barrier lies in it; one is needed before `sums` is
/// used again.
template <class T>
__device__ T row_products(const T* base, std::int64_t ld, int width, int log_rows, const T* v,
                          T (&sums)[2 * solve_threads]) {
  const int thread = static_cast<int>(threadIdx.x);
  const int rows = 1 << log_rows;
  const int lanes = rows / 2;
  const int pair = thread & (lanes - 1);
  const int parts = solve_threads / lanes;
  const int at = min(2 * pair, static_cast<int>(ld) - 2);  // Rows beyond those that are there are nobody's.
  RowPair<T> sum{T(0), T(0)};
#pragma unroll 8
  for (int k = thread / lanes; k < width; k += parts) {
    const RowPair<T> entry = *reinterpret_cast<const RowPair<T>*>(base + at + k * ld);
    sum.x += entry.x * v[k];
    sum.y += entry.y * v[k];
  }
  for (int step = lanes; step < 32; step *= 2) {
    sum.x += __shfl_xor_sync(all_lanes, sum.x, step);
    sum.y += __shfl_xor_sync(all_lanes, sum.y, step);
  }
  const int left = lanes < 32 ? solve_warps : parts;
  const int part = lanes < 32 ? thread / 32 : thread / lanes;
  if (thread % 32 < lanes) *reinterpret_cast<RowPair<T>*>(&sums[part * rows + 2 * pair]) = sum;
  __syncthreads();
  if (thread >= rows) return T(0);
  T total = T(0);
#pragma unroll 4
  for (int p = 0; p < left; ++p) total += sums[p * rows + thread];
  return total;
}

/// Whether a task's rows get further products from later blocks of the front, but not from the next one's diagonal block.
__device__ inline bool leaves_partial(const SolveTask& task) {
  const int end = task.column + task.width;
  return task.kind == SolveKind::rows && end < task.panel_width &&
         task.row_begin >= min(end + solve_block, task.panel_width);
}

/// Rows and columns of a front whose indices and vectors a warp has in shared memory.
inline constexpr int single_warp_lanes = 32;

/// The tasks of a CTA's warps: each takes every solve_warps-th. While one is under way, the next one's part of L and what
/// names its vectors are on their way, and the record of the one after that. `Front`: a struct of shared memory with room
/// for its panel behind it; bring(data, task, panel) starts to fill both, finish(data, task, panel) does the task. Large
/// fronts take the room of two, or are read where they are if there is no room.
template <class Front, class T>
__device__ void run_fronts(const SolveData<T>& data, const SolveTask& group, SingleRoom<T>& room) {
  constexpr int slot = tile_bytes / (2 * solve_warps);
  static_assert(sizeof(Front) + single_warp_entries * sizeof(T) <= slot &&
                sizeof(Front) + single_large_entries * sizeof(T) <= 2 * slot);
  const bool roomy = data.tile_bytes == tile_bytes;
  const bool large = group.chunks != 0;
  const int slots = roomy && !large ? 2 : 1;
  const bool staged = roomy || !large;
  int index = static_cast<int>(threadIdx.x / 32u);
  unsigned char* const own = reinterpret_cast<unsigned char*>(room.tile()) + index * (roomy ? 2 : 1) * slot;
  const SolveTask* const tasks = data.sweep.warp_tasks + group.column;
  const auto front_at = [&](int side) { return reinterpret_cast<Front*>(own + (slots == 2 ? side * slot : 0)); };
  const auto panel_at = [&](int side) { return reinterpret_cast<T*>(front_at(side) + 1); };
  const auto bring = [&](const SolveTask& task, int side) {
    front_at(side)->bring(data, task);
    if (!staged) return;
    for (int i = static_cast<int>(threadIdx.x & 31u); i < task.ld * task.panel_width; i += 32) {
      copy_async<sizeof(T)>(panel_at(side) + i, data.values + task.offset + i, true);
    }
  };
  if (index >= group.width) return;
  int word = read_word(tasks, index + solve_warps, group.width);
  SolveTask task = task_of(read_word(tasks, index, group.width));
  bring(task, 0);
  commit_copies();
  for (int side = 0;; side ^= 1) {
    index += solve_warps;
    const bool more = index < group.width;
    const SolveTask next = task_of(word);
    if (more && slots == 2) bring(next, side ^ 1);
    commit_copies();
    word = read_word(tasks, index + solve_warps, group.width);
    if (slots == 2) {
      wait_for_copies<1>();
    } else {
      wait_for_copies<0>();
    }
    __syncwarp();
    front_at(side)->finish(data, task, staged ? panel_at(side) : data.values + task.offset);
    __syncwarp();
    if (!more) return;
    if (slots == 1) bring(next, 0);
    task = next;
  }
}

}  // namespace gpusupernodal::cuda
