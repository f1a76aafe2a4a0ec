#pragma once

/// \file
/// Device code that both directions share for a single right-hand side. A task brings its part of L into shared memory
/// before its vectors are there, and knows that an entry of a vector is there from the entry itself: between two tasks of
/// the longest path lie one trip to memory, a product out of shared memory and a store.

#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/published.cuh"
#include "kernels/cuda/single_queue.cuh"
#include "kernels/cuda/solve_parts.cuh"
#include "kernels/cuda/sweeps.hpp"

namespace gpusupernodal::cuda {

/// Shared memory of a CTA, before its tile.
template <class T>
struct alignas(shared_alignment) SingleRoom {
  T vector[solve_block];
  T sums[single_sums<T>];

  __device__ T* tile() { return reinterpret_cast<T*>(this + 1); }
};

template <class T>
__device__ SingleRoom<T>& single_room() {
  static_assert(sizeof(SingleRoom<T>) == single_room_bytes<T>);
  extern __shared__ __align__(shared_alignment) unsigned char memory[];
  return *reinterpret_cast<SingleRoom<T>*>(memory);
}

/// A part of L where a CTA reads it, in shared memory or where it lies. The two differ in type: of a pointer that may be
/// either the compiler makes loads by generic addresses, which take longer.
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
  int first;  ///< Of its entries in the room's tile.
  int stride;
  FarEntries<T> far;

  /// Calls f with the entries where they are.
  template <class F>
  __device__ void read(SingleRoom<T>& room, F f) const {
    int is_here = is_near;
    asm("" : "+r"(is_here));  // Otherwise all that follows is compiled twice.
    if (is_here != 0) {
      f(NearEntries<T>{room.tile() + first, stride});
    } else {
      f(far);
    }
  }
};

/// Counts of lanes are powers of two, kept as their logarithms: a division by a variable takes some forty instructions.
inline constexpr int log_threads = 8;
static_assert(solve_threads == 1 << log_threads);

/// The smallest power of two ≥ count, 8 … 256, as its logarithm.
__device__ inline int log_lanes(int count) { return min(log_threads, max(3, 32 - __clz(count - 1))); }

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
    return {true, 0, task.ld, {}};
  }
  const int before = task.kind == SolveKind::rows || task.kind == SolveKind::columns || task.kind == SolveKind::last_columns
                         ? task.row_begin % aligned
                         : 0;
  const int rows = (part.rows + before + aligned - 1) / aligned * aligned;
  if (rows * part.columns > most || task.kind == SolveKind::whole) {
    prefetch_block(part.corner, task.ld, part.rows, part.columns, thread, solve_threads);
    return {false, 0, 0, {part.corner, task.ld}};
  }
  const int log_lanes = min(log_threads, 32 - __clz(rows / unit - 1));
  const int row = (thread & ((1 << log_lanes) - 1)) * unit;
  const int first = thread >> log_lanes;
  const int columns_at_once = solve_threads >> log_lanes;
  const std::int64_t step = columns_at_once * static_cast<std::int64_t>(task.ld);
  const T* from = part.corner - before + row + first * static_cast<std::int64_t>(task.ld);
  T* to = tile + row + first * rows;
  const int stride = columns_at_once * rows;
#pragma unroll 4
  for (int c = row < rows ? first : part.columns; c < part.columns; c += columns_at_once) {
    copy_async<16>(to, from, true);
    to += stride;
    from += step;
  }
  commit_copies();
  return {true, before, rows, {}};
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

/// At most solve_block entries of a vector over the threads, as they were when they were looked at: that is asked for before
/// L, whose copies would come first otherwise.
template <class T>
class VectorAhead {
 public:
  __device__ VectorAhead(const T* from, int count) : from_(from), count_(count) {
#pragma unroll
    for (int r = 0; r < rounds; ++r) found_[r] = at(r) < count ? read_now(from + at(r)) : T(0);
  }
  /// to[i] := from[i], i < count, when they are there.
  __device__ void store(T* to) const {
#pragma unroll
    for (int r = 0; r < rounds; ++r) {
      if (at(r) < count_) to[at(r)] = await_set(from_ + at(r), found_[r]);
    }
  }

 private:
  static constexpr int rounds = solve_block / solve_threads;
  __device__ static int at(int r) { return r * solve_threads + static_cast<int>(threadIdx.x); }

  const T* from_;
  int count_;
  T found_[rounds];
};

/// Rows over threads in groups of 2^log_rows lanes, columns over the groups: what each thread has.
struct Split {
  int log_rows;
  int row;
  int part;
  int parts;

  /// `thread`: 0 … solve_threads−1.
  __device__ Split(int log, int thread)
      : log_rows(log), row(thread & ((1 << log) - 1)), part(thread >> log), parts(solve_threads >> log) {}
};

/// Σ P(row, k)·v(k) over k = first + part, first + part + parts, … < last.
template <class T, class Stride>
__device__ T part_of_product(const T* row, Stride ld, int first, int last, const Split& split, const T* v) {
  T sum = T(0);
#pragma unroll 8
  for (int k = first + split.part; k < last; k += split.parts) sum += row[k * ld] * v[k];
  return sum;
}

/// The sum over all parts of a row, in the threads of part 0. A barrier lies in it; one is needed before `sums` is used
/// again.
template <class T>
__device__ T sum_of_parts(T sum, const Split& split, int thread, T (&sums)[single_sums<T>]) {
  sums[thread] = sum;
  __syncthreads();
  if (split.part != 0) return T(0);
  T total = T(0);
#pragma unroll 4
  for (int p = 0; p < split.parts; ++p) total += sums[split.row + (p << split.log_rows)];
  return total;
}

/// Neighbouring rows that one load brings.
template <class T>
inline constexpr int pack = 16 / static_cast<int>(sizeof(T));
template <class T>
inline constexpr int log_pack = sizeof(T) == 8 ? 1 : 2;
template <class T>
struct alignas(16) Pack {
  T row[pack<T>];

  __device__ static Pack load(const T* from) {
    Pack loaded;
    reinterpret_cast<float4&>(loaded) = *reinterpret_cast<const float4*>(from);
    return loaded;
  }
};

/// Σ P(row, k)·v(k) over k < width for 2^log_rows rows (16 … 128) from `base` on, which is aligned to a pack: threads over
/// packs of rows and over k. Thread `row` has the sum of row `row`. A barrier lies in it; one is needed before `sums` is
/// used again.
template <class T, class Stride>
__device__ T row_products(const T* base, Stride ld, int width, int log_rows, const T* v, T (&sums)[single_sums<T>]) {
  const int thread = static_cast<int>(threadIdx.x);
  const int rows = 1 << log_rows;
  const int log_lanes = log_rows - log_pack<T>;
  const int lanes = 1 << log_lanes;
  const int first = (thread & (lanes - 1)) * pack<T>;
  const int parts = solve_threads >> log_lanes;
  const T* const at = base + min(first, static_cast<int>(ld) - pack<T>);  // Rows beyond those that are there are nobody's.
  Pack<T> sum = {};
#pragma unroll 8
  for (int k = thread >> log_lanes; k < width; k += parts) {
    const Pack<T> entries = Pack<T>::load(at + k * ld);
#pragma unroll
    for (int r = 0; r < pack<T>; ++r) sum.row[r] += entries.row[r] * v[k];
  }
  for (int step = lanes; step < 32; step *= 2) {
#pragma unroll
    for (int r = 0; r < pack<T>; ++r) sum.row[r] += __shfl_xor_sync(all_lanes, sum.row[r], step);
  }
  const int left = lanes < 32 ? solve_warps : parts;
  const int part = thread >> (lanes < 32 ? 5 : log_lanes);
  if (thread % 32 < lanes) *reinterpret_cast<Pack<T>*>(&sums[part * rows + first]) = sum;
  __syncthreads();
  if (thread >= rows) return T(0);
  T total = T(0);
#pragma unroll 4
  for (int p = 0; p < left; ++p) total += sums[p * rows + thread];
  return total;
}

}  // namespace gpusupernodal::cuda
