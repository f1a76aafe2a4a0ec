/// \file
/// Lᵀ x = y for one right-hand side. A front waits for its parent, and then all rows below it are solved: it reads the
/// solution itself.

#include <type_traits>

#include "kernels/cuda/scalar_list.hpp"
#include "kernels/cuda/sweeps.hpp"
#include "kernels/cuda/warp_fronts.cuh"

namespace gpusupernodal::cuda {
namespace {

/// A small front in a warp: lanes run over the rows below, then over the columns.
template <class T>
struct alignas(16) WarpFront {
  std::int32_t from[one_rhs_warp_lanes];  ///< Positions of the first rows below.
  T right[one_rhs_warp_lanes];

  __device__ void start_copy(const SolveData<T>& data, const SolveFront& task) {
    const int lane = static_cast<int>(threadIdx.x & 31u);
    if (task.panel_width + lane < task.front) copy_async<4>(from + lane, data.rows + task.rows + lane, true);
    if (lane < task.panel_width) copy_async<sizeof(T)>(right + lane, data.y + task.first_column + lane, true);
  }

  __device__ void finish(const SolveData<T>& data, const SolveFront& task, const T* entries) {
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
      constexpr int group = 8;  // Columns whose sums are computed together.
      for (int begin = 0; begin < width; begin += group) {
        T product[group];
#pragma unroll
        for (int c = 0; c < group; ++c) product[c] = data(entries[row + min(begin + c, width - 1) * ld]) * x;
        const T total = shuffle(warp_sums(product), lane % group * (32 / group));
        if (lane / group * group == begin) v -= total;
      }
    }
    const T inverse = reciprocal(mine ? entries[lane * (ld + 1)] : T(0));
    right[lane] = v;
    __syncwarp();
    T x = inverse * v;
#pragma unroll 8
    for (int j = 1; j < width; ++j) add_product(x, lane < j ? entries[lane + j * ld] : T(0), right[j]);
    if (mine) publish(data.solution + task.first_column + lane, x);
  }
};

/// Computes sum[c] += P(rows, column first + c)ᵀ · x over `count` rows, lanes over rows and `Outputs` columns per warp;
/// sums over lanes are left to the caller. `end`: end of the columns.
template <class T, class Stride, int Outputs>
__device__ void add_column_products(const Mirror<T>& mirror, const Entries<T, Stride>& tile, int row_begin, int count,
                                    int first, int end, const T* x, T (&sum)[Outputs]) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  in_groups<Outputs == 2 ? 4 : 2>(lane, count, 5, [&](int i) {
#pragma unroll
    for (int c = 0; c < Outputs; ++c)
      add_product(sum[c], mirror(tile.base[row_begin + i + min(first + c, end - 1) * tile.ld]), x[i]);
  });
}

/// add_column_products for all rows of a part in shared memory, one pack of rows per lane. The part and x begin
/// `before` rows after the first row of a pack.
template <class T, int Outputs>
__device__ void add_pack_products(const Mirror<T>& mirror, const NearEntries<T>& tile, int before, int count, int first,
                                  int end, const T* x, T (&sum)[Outputs]) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const int head = min(count, -before & (pack<T> - 1));
  const int packs = (count - head) >> log_pack<T>;
  in_groups<4>(lane, packs, 5, [&](int p) {
    const int i = head + p * pack<T>;
    const Pack<T> with = Pack<T>::load(x + i);
#pragma unroll
    for (int c = 0; c < Outputs; ++c) {
      const Pack<T> entries = Pack<T>::load(tile.base + i + min(first + c, end - 1) * tile.ld);
#pragma unroll
      for (int r = 0; r < pack<T>; ++r) add_product(sum[c], mirror(entries.row[r]), with.row[r]);
    }
  });
  const int tail = packs * pack<T>;
  const int i = lane < head ? lane : lane + tail;
  if (i < count && lane < count - tail) {
#pragma unroll
    for (int c = 0; c < Outputs; ++c) add_product(sum[c], mirror(tile.base[i + min(first + c, end - 1) * tile.ld]), x[i]);
  }
}

/// `count` rows of the solution from row `begin` of the front on, at most two per thread. Their positions are read
/// before L.
template <class T, class Team = Cta>
class SolvedAhead {
 public:
  __device__ SolvedAhead(const SolveData<T>& data, const SolveFront& task, int begin, int count) {
#pragma unroll
    for (int r = 0; r < rounds; ++r) from_[r] = at(r) < count ? solved_row(data, task, begin + at(r)) : -1;
  }
  __device__ void peek(const SolveData<T>& data) {
#pragma unroll
    for (int r = 0; r < rounds; ++r) found_[r] = from_[r] >= 0 ? read_now(data.solution + from_[r]) : T(0);
  }
  /// Waits for the entries and stores them. Precondition: peek() was called.
  __device__ void store(const SolveData<T>& data, T* x) const {
#pragma unroll
    for (int r = 0; r < rounds; ++r) {
      if (from_[r] >= 0) x[at(r)] = await_set(data.solution + from_[r], found_[r]);
    }
  }

 private:
  static constexpr int rounds = solve_block / solve_threads;
  __device__ static int at(int r) { return r * Team::threads + Team::thread(); }

  std::int32_t from_[rounds];
  T found_[rounds];
};

/// Publishes x(row) = Σ_{j ≥ row} inverse(j, row) v(j) for rows first … end−1 of a block of `width` columns. `tile` has
/// entry (row − first, j − left); v lies in shared memory and begins at index 0.
template <class Team = Cta, class T, class Stride>
__device__ void finish_rows(const SolveData<T>& data, std::int64_t column, const Entries<T, Stride>& tile, int left,
                            int first, int end, int width, const T* v, T* sums) {
  const Split split(log_lanes(end - first, Team::log_threads), Team::thread(), Team::log_threads);
  const int row = first + split.row;
  const bool inside = row < end;
  T sum = T(0);
  in_groups<8>(first + split.part, width, split.log_parts, [&](int j) {
    const T entry = inside && j > row ? tile.base[split.row + (j - left) * tile.ld] : T(0);
    add_product(sum, entry, v[j]);
  });
  if (split.part == 0 && inside) add_product(sum, reciprocal(tile.base[split.row + (row - left) * tile.ld]), v[row]);
  const T total = sum_of_parts<Team>(sum, split, Team::thread(), sums);
  if (split.part == 0 && inside) publish(data.solution + column + row, total);
}

template <class Team, class T>
__device__ void solve_whole(const SolveData<T>& data, const SolveFront& task, OneRhsTile<T>& cta_tile,
                            const NextTask& next) {
  constexpr int outputs = 4;
  constexpr int chunk = TeamMemory<T, Team>::vector_entries;
  const TeamMemory<T, Team> shared_memory(cta_tile, data.tile_bytes);
  const int thread = Team::thread();
  const int width = task.panel_width;
  SolvedAhead<T, Team> solved(data, task, width, min(chunk, task.front - width));
  const T right = thread < width ? load_l2(data.y + task.first_column + thread) : T(0);
  const Tile<T> tile = stage_front(data, task, shared_memory);
  T* const left = shared_memory.sums;
  if (thread < width) left[thread] = right;
  int claimed = 0;
  for (int begin = width; begin < task.front || begin == width; begin += chunk) {
    const int count = max(0, min(chunk, task.front - begin));
    if (begin > width) {
      Team::sync();
      solved = SolvedAhead<T, Team>(data, task, begin, count);
    }
    solved.peek(data);
    solved.store(data, shared_memory.vector);
    if (begin == width) {
      wait_for_copies<0>();
      claimed = next.claim_after<Team>();
    } else {
      Team::sync();
    }
#pragma unroll 1
    for (int first = Team::warp() * outputs; first < width; first += Team::warps * outputs) {
      T sum[outputs] = {};
      tile.read(shared_memory.tile, [&](const auto& entries) {
        add_column_products(data, entries, begin, count, first, width, shared_memory.vector, sum);
      });
      const T total = warp_sums(sum);
      const int column = first + value_of_lane<outputs>();
      if (is_first_of_value<outputs>() && column < width) left[column] -= total;
    }
  }
  Team::sync();
  if (thread < width) shared_memory.vector[thread] = left[thread];
  Team::sync();
  tile.read(shared_memory.tile, [&](const auto& entries) {
    finish_rows<Team>(data, task.first_column, entries, 0, 0, width, width, shared_memory.vector, shared_memory.sums);
  });
  next.read(claimed);
}

/// Returns what remains of a task's right-hand sides `right` after the block's other chunks, in the threads of its
/// columns.
template <class T>
__device__ T rest_of_columns(const SolveData<T>& data, const TaskOf<SolveKind::last_columns>& task, T right,
                             T (&sums)[one_rhs_sum_entries<T>]) {
  const Split split(log_lanes(task.width), static_cast<int>(threadIdx.x));
  const int stride = min(solve_block, task.panel_width - task.column / solve_block * solve_block);
  T sum = T(0);
  if (split.row < task.width) {
    for (int chunk = split.part; chunk < task.others; chunk += split.parts) {
      sum += await_entry(data.partials + task.partial + chunk * stride + split.row);
    }
  }
  if (task.others > 1) {
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (split.part == 0) {
#pragma unroll 4
      for (int p = 1; p < min(task.others, split.parts); ++p) sum += sums[split.row + (p << split.log_rows)];
    }
  }
  return right - sum;
}

/// Multiplies at most 64 columns by at most solve_block rows, two columns per warp and round.
template <SolveKind kind, class T>
__device__ void run_task(const SolveData<T>& data, const TaskOf<kind>& task, OneRhsTile<T>& shared_memory,
                         const NextTask& next) {
  constexpr bool is_last = kind == SolveKind::last_columns;
  static_assert(is_last || kind == SolveKind::partial_columns);
  constexpr int outputs = one_rhs_outputs / solve_warps;
  const int thread = static_cast<int>(threadIdx.x);
  const int count = task.row_end - task.row_begin;
  SolvedAhead<T> solved(data, task, task.row_begin, count);
  const T right = is_last && thread < task.width ? load_l2(data.y + task.first_column + task.column + thread) : T(0);
  const Tile<T> tile = stage_product(data, task, shared_memory);
  solved.peek(data);
  T rest = T(0);
  if constexpr (is_last) rest = rest_of_columns(data, task, right, shared_memory.sums);
  T* const x = shared_memory.vector + tile.first % pack<T>;
  solved.store(data, x);
  wait_for_copies<0>();
  const int claimed = next.claim_after<Cta>();
  for (int first = thread / 32 * outputs; first < task.width; first += one_rhs_outputs) {
    T sum[outputs] = {};
    tile.read(shared_memory.tile(), [&](const auto& entries) {
      if constexpr (std::is_same_v<decltype(entries), const NearEntries<T>&>) {
        add_pack_products(data, entries, tile.first, count, first, task.width, x, sum);
      } else {
        add_column_products(data, entries, 0, count, first, task.width, x, sum);
      }
    });
    const T total = warp_sums(sum);
    const int column = first + value_of_lane<outputs>();
    if (!is_first_of_value<outputs>() || column >= task.width) continue;
    if constexpr (is_last) {
      shared_memory.sums[column] = total;
    } else {
      publish(data.partials + task.partial + column, total);
    }
  }
  if (!is_last) return next.read(claimed);
  __syncthreads();
  if (thread < task.width) publish(data.t + task.first_column + task.column + thread, rest - shared_memory.sums[thread]);
  next.read(claimed);
}

template <class T>
__device__ void run_task(const SolveData<T>& data, const TaskOf<SolveKind::diagonal>& task, OneRhsTile<T>& shared_memory,
                         const NextTask& next) {
  const int thread = static_cast<int>(threadIdx.x);
  const int first = task.row_begin - task.column;
  const int end = task.row_end - task.column;
  const std::int64_t column = std::int64_t{task.first_column} + task.column;
  const VectorAhead<T> vector(data.t + column + first, task.after_products != 0 ? task.width - first : 0);
  const Tile<T> tile = stage(data, data.values + task.offset + task.row_begin * (std::int64_t{task.ld} + 1), task.ld, 0,
                             end - first, task.width - first, shared_memory);
  if (task.after_products != 0) {
    vector.store(shared_memory.vector + first);
  } else {
    for (int j = first + thread; j < task.width; j += solve_threads) shared_memory.vector[j] = load_l2(data.y + column + j);
  }
  wait_for_copies<0>();
  const int claimed = next.claim_after<Cta>();
  tile.read(shared_memory.tile(), [&](const auto& entries) {
    finish_rows(data, column, entries, first, first, end, task.width, shared_memory.vector, shared_memory.sums);
  });
  next.read(claimed);
}

template <class T>
__global__ void __launch_bounds__(solve_threads, one_rhs_ctas<T>) backward_kernel(SolveData<T> data) {
  OneRhsTile<T>& shared_memory = one_rhs_memory<T>();
  run_one_rhs_sweep<OneRhsBackwardKinds, WarpFront<T>>(
      data,
      [&](auto team, const SolveFront& front, const NextTask& next) {
        solve_whole<decltype(team)>(data, front, shared_memory, next);
      },
      [&](const auto& task, const NextTask& next) { run_task(data, task, shared_memory, next); });
}

}  // namespace

template <class T>
SweepKernel<T> backward_one() {
  return backward_kernel<T>;
}

#define INSTANTIATE(T) template SweepKernel<T> backward_one<T>()
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
