/// \file
/// Lᵀ x = y for one right-hand side. A front waits for its parent, whose rows are then all solved: what it reads is the
/// solution itself.

#include <type_traits>

#include "kernels/cuda/sweeps.hpp"
#include "kernels/cuda/warp_fronts.cuh"

namespace gpusupernodal::cuda {
namespace {

/// A small front in a warp: lanes over the rows below, then a lane a column.
template <class T>
struct alignas(16) WarpFront {
  std::int32_t from[single_warp_lanes];  ///< Of the first rows below.
  T right[single_warp_lanes];

  __device__ void bring(const SolveData<T>& data, const SolveTask& task) {
    const int lane = static_cast<int>(threadIdx.x & 31u);
    if (task.panel_width + lane < task.front) copy_async<4>(from + lane, data.rows + task.rows + lane, true);
    if (lane < task.panel_width) copy_async<sizeof(T)>(right + lane, data.y + task.first_column + lane, true);
  }

  __device__ void finish(const SolveData<T>& data, const SolveTask& task, const T* entries) const {
    const int lane = static_cast<int>(threadIdx.x & 31u);
    const int width = task.panel_width;
    const int front = task.front;
    const int ld = task.ld;
    const bool mine = lane < width;
    T v = mine ? right[lane] : T(0);
    for (int first = width; first < front; first += 32) {
      const bool inside = first + lane < front;
      const int row = min(first + lane, front - 1);
      T x = T(0);
      if (inside) x = await_entry(data.solution + (first == width ? from[lane] : solved_row(data, task, row)));
      __syncwarp();
#pragma unroll 8
      for (int k = 0; k < width; ++k) {
        const T total = warp_sum(entries[row + k * ld] * x);
        if (lane == k) v -= total;
      }
    }
    const T inverse = reciprocal(mine ? entries[lane * (ld + 1)] : T(0));
    T x = T(0);
#pragma unroll 8
    for (int j = 0; j < width; ++j) {
      const T entry = lane < j ? entries[lane + j * ld] : T(0);
      x += (lane == j ? inverse : entry) * __shfl_sync(all_lanes, v, j);
    }
    if (mine) publish(data.solution + task.first_column + lane, x);
  }
};

/// sum[c] += P(rows, column first + c)ᵀ · x over `count` rows: lanes over rows, `Outputs` columns a warp. Not summed over
/// lanes. `end`: of the columns.
template <class T, class Stride, int Outputs>
__device__ void add_column_products(const Entries<T, Stride>& tile, int row_begin, int count, int first, int end, const T* x,
                                    T (&sum)[Outputs]) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
#pragma unroll(Outputs == 2 ? 4 : 1)
  for (int i = lane; i < count; i += 32) {
#pragma unroll
    for (int c = 0; c < Outputs; ++c) sum[c] += tile.base[row_begin + i + min(first + c, end - 1) * tile.ld] * x[i];
  }
}

/// The same for all rows of a part in shared memory, a pack of rows a lane: the part begins `before` rows behind a pack's
/// first, and x too.
template <class T, int Outputs>
__device__ void add_pack_products(const NearEntries<T>& tile, int before, int count, int first, int end, const T* x,
                                  T (&sum)[Outputs]) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const int head = min(count, -before & (pack<T> - 1));
  const int packs = (count - head) >> log_pack<T>;
#pragma unroll 4
  for (int p = lane; p < packs; p += 32) {
    const int i = head + p * pack<T>;
    const Pack<T> with = Pack<T>::load(x + i);
#pragma unroll
    for (int c = 0; c < Outputs; ++c) {
      const Pack<T> entries = Pack<T>::load(tile.base + i + min(first + c, end - 1) * tile.ld);
#pragma unroll
      for (int r = 0; r < pack<T>; ++r) sum[c] += entries.row[r] * with.row[r];
    }
  }
  const int tail = packs * pack<T>;
  const int i = lane < head ? lane : lane + tail;
  if (i < count && lane < count - tail) {
#pragma unroll
    for (int c = 0; c < Outputs; ++c) sum[c] += tile.base[i + min(first + c, end - 1) * tile.ld] * x[i];
  }
}

/// `count` ≤ solve_block rows of the solution from row `begin` of the front on. Where they lie is asked for before L.
template <class T>
class SolvedAhead {
 public:
  __device__ SolvedAhead(const SolveData<T>& data, const SolveTask& task, int begin, int count) {
#pragma unroll
    for (int r = 0; r < rounds; ++r) from_[r] = at(r) < count ? solved_row(data, task, begin + at(r)) : -1;
  }
  __device__ void look(const SolveData<T>& data) {
#pragma unroll
    for (int r = 0; r < rounds; ++r) found_[r] = from_[r] >= 0 ? read_now(data.solution + from_[r]) : T(0);
  }
  /// After look().
  __device__ void store(const SolveData<T>& data, T* x) const {
#pragma unroll
    for (int r = 0; r < rounds; ++r) {
      if (from_[r] >= 0) x[at(r)] = await_set(data.solution + from_[r], found_[r]);
    }
  }

 private:
  static constexpr int rounds = solve_block / solve_threads;
  __device__ static int at(int r) { return r * solve_threads + static_cast<int>(threadIdx.x); }

  std::int32_t from_[rounds];
  T found_[rounds];
};

/// Publishes x(row) = Σ_{j ≥ row} inverse(j, row) v(j) for rows first … end−1 of a block of `width` columns. `tile`: entry
/// (row − first, j − left). v in shared memory from 0 on.
template <class T, class Stride>
__device__ void finish_rows(const SolveData<T>& data, std::int64_t column, const Entries<T, Stride>& tile, int left,
                            int first, int end, int width, const T* v, T (&sums)[single_sums<T>]) {
  const int thread = static_cast<int>(threadIdx.x);
  const Split split(log_lanes(end - first), thread);
  const int row = first + split.row;
  const bool inside = row < end;
  T sum = T(0);
#pragma unroll 8
  for (int j = first + split.part; j < width; j += split.parts) {
    const T entry = inside && j > row ? tile.base[split.row + (j - left) * tile.ld] : T(0);
    sum += entry * v[j];
  }
  if (split.part == 0 && inside) sum += reciprocal(tile.base[split.row + (row - left) * tile.ld]) * v[row];
  const T total = sum_of_parts(sum, split, thread, sums);
  if (split.part == 0 && inside) publish(data.solution + column + row, total);
}

template <class T>
__device__ int whole(const SolveData<T>& data, const SolveTask& task, SingleRoom<T>& room) {
  constexpr int outputs = tile_size / solve_warps;
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  const int first = thread / 32 * outputs;
  const int width = task.panel_width;
  SolvedAhead<T> solved(data, task, width, min(solve_block, task.front - width));
  const T y = lane < outputs && first + lane < width ? __ldcg(data.y + task.first_column + first + lane) : T(0);
  const Tile<T> tile = stage<true>(data, task, room);
  int claimed = 0;
  T sum[outputs] = {};
  for (int begin = width; begin < task.front || begin == width; begin += solve_block) {
    const int count = max(0, min(solve_block, task.front - begin));
    if (begin > width) {
      __syncthreads();
      solved = SolvedAhead<T>(data, task, begin, count);
    }
    solved.look(data);
    solved.store(data, room.vector);
    if (begin == width) {
      wait_for_copies<0>();
      claimed = take_next(data.sweep);
    } else {
      __syncthreads();
    }
    if (first < width) {
      tile.read(room,
                [&](const auto& entries) { add_column_products(entries, begin, count, first, width, room.vector, sum); });
    }
  }
  __syncthreads();
#pragma unroll
  for (int c = 0; c < outputs; ++c) {
    const T total = warp_sum(sum[c]);
    if (lane == c && first + c < width) room.vector[first + c] = y - total;
  }
  __syncthreads();
  tile.read(room, [&](const auto& entries) {
    finish_rows(data, task.first_column, entries, 0, 0, width, width, room.vector, room.sums);
  });
  return claimed;
}

/// What the block's other chunks leave of 16 columns' right-hand sides `right`, in the first threads.
template <class T>
__device__ T rest_of_columns(const SolveData<T>& data, const SolveTask& task, T right, T (&sums)[single_sums<T>]) {
  const int thread = static_cast<int>(threadIdx.x);
  const int c = thread % single_outputs;
  const int stride = min(solve_block, task.panel_width - task.column / solve_block * solve_block);
  T sum = T(0);
  if (c < task.width) {
    for (int chunk = thread / single_outputs; chunk < task.chunks; chunk += solve_threads / single_outputs) {
      sum += await_entry(data.partials + task.partial + chunk * stride + c);
    }
  }
  if (task.chunks > 1) {
    sums[thread] = sum;
    __syncthreads();
    if (thread < single_outputs) {
#pragma unroll 4
      for (int p = 1; p < min(task.chunks, solve_threads / single_outputs); ++p) sum += sums[thread + p * single_outputs];
    }
  }
  return right - sum;
}

/// A few columns times at most solve_block rows.
template <class T>
__device__ int columns(const SolveData<T>& data, const SolveTask& task, SingleRoom<T>& room) {
  constexpr int outputs = single_outputs / solve_warps;
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  const int first = thread / 32 * outputs;
  const int count = task.row_end - task.row_begin;
  const bool is_last = task.kind == SolveKind::last_columns;
  SolvedAhead<T> solved(data, task, task.row_begin, count);
  const T right = is_last && thread < task.width ? __ldcg(data.y + task.first_column + task.column + thread) : T(0);
  const Tile<T> tile = stage<true>(data, task, room);
  solved.look(data);
  const T rest = is_last ? rest_of_columns(data, task, right, room.sums) : T(0);
  T* const x = room.vector + tile.first % pack<T>;
  solved.store(data, x);
  wait_for_copies<0>();
  const int claimed = take_next(data.sweep);
  T sum[outputs] = {};
  if (first < task.width) {
    tile.read(room, [&](const auto& entries) {
      if constexpr (std::is_same_v<decltype(entries), const NearEntries<T>&>) {
        add_pack_products(entries, tile.first, count, first, task.width, x, sum);
      } else {
        add_column_products(entries, 0, count, first, task.width, x, sum);
      }
    });
  }
#pragma unroll
  for (int c = 0; c < outputs; ++c) sum[c] = warp_sum(sum[c]);
  if (!is_last) {
#pragma unroll
    for (int c = 0; c < outputs; ++c) {
      if (lane == c && first + c < task.width) publish(data.partials + task.partial + first + c, sum[c]);
    }
    return claimed;
  }
#pragma unroll
  for (int c = 0; c < outputs; ++c) {
    if (lane == c) room.sums[first + c] = sum[c];
  }
  __syncthreads();
  if (thread < task.width) publish(data.t + task.first_column + task.column + thread, rest - room.sums[thread]);
  return claimed;
}

template <class T>
__device__ int diagonal(const SolveData<T>& data, const SolveTask& task, SingleRoom<T>& room) {
  const int thread = static_cast<int>(threadIdx.x);
  const int first = task.row_begin - task.column;
  const int end = task.row_end - task.column;
  const std::int64_t column = std::int64_t{task.first_column} + task.column;
  const VectorAhead<T> vector(data.t + column + first, task.chunks > 0 ? task.width - first : 0);
  const Tile<T> tile = stage<true>(data, task, room);
  if (task.chunks > 0) {
    vector.store(room.vector + first);
  } else {
    for (int j = first + thread; j < task.width; j += solve_threads) room.vector[j] = __ldcg(data.y + column + j);
  }
  wait_for_copies<0>();
  const int claimed = take_next(data.sweep);
  tile.read(room, [&](const auto& entries) {
    finish_rows(data, column, entries, first, first, end, task.width, room.vector, room.sums);
  });
  return claimed;
}

template <class T>
__global__ void __launch_bounds__(solve_threads, single_ctas<T>) backward_kernel(SolveData<T> data) {
  SingleRoom<T>& room = single_room<T>();
  run_single(
      data.sweep, [&](const SolveTask& group) { run_fronts<WarpFront<T>>(data, group, room); },
      [&](const SolveTask& task) {
        switch (task.kind) {
          case SolveKind::whole:
            return whole(data, task, room);
          case SolveKind::diagonal:
            return diagonal(data, task, room);
          default:
            return columns(data, task, room);
        }
      });
}

}  // namespace

template <class T>
SweepKernel<T> backward_one() {
  return backward_kernel<T>;
}

template SweepKernel<float> backward_one<float>();
template SweepKernel<double> backward_one<double>();

}  // namespace gpusupernodal::cuda
