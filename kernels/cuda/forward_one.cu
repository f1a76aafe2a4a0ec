/// \file
/// L y = x for one right-hand side. Memory-bound: 8 bytes per entry of L. The inverse of a diagonal block lies
/// transposed above its diagonal, so every step is a product.

#include "kernels/cuda/scalar_list.hpp"
#include "kernels/cuda/sweeps.hpp"
#include "kernels/cuda/warp_fronts.cuh"

namespace gpusupernodal::cuda {
namespace {

/// A small front in a warp: lanes run over the columns, then over the rows below.
template <class T>
struct alignas(16) WarpFront {
  int4 own[one_rhs_warp_lanes];  ///< Sources of the columns.
  int4 below[one_rhs_warp_lanes];
  T right[one_rhs_warp_lanes];

  __device__ void start_copy(const SolveData<T>& data, const SolveFront& task) {
    const int lane = static_cast<int>(threadIdx.x & 31u);
    const std::int64_t column = task.first_column + lane;
    if (lane < task.panel_width) {
      copy_async<16>(own + lane, data.gather + column, true);
      copy_async<sizeof(T)>(right + lane, data.x + column, true);
    }
    if (task.panel_width + lane < task.front) {
      copy_async<16>(below + lane, data.gather + front_row(data, task, task.panel_width + lane), true);
    }
  }

  __device__ void finish(const SolveData<T>& data, const SolveFront& task, const T* entries) {
    const int lane = static_cast<int>(threadIdx.x & 31u);
    const int width = task.panel_width;
    const int front = task.front;
    const int ld = task.ld;
    const bool mine = lane < width;
    Sources from_own, from_below;
    if (mine) from_own = Sources(own[lane]);
    if (width + lane < front) from_below = Sources(below[lane]);
    Contributions<T> to_own, to_below;
    to_own.peek(data, from_own);
    to_below.peek(data, from_below);
    const T inverse = reciprocal(mine ? entries[lane * (ld + 1)] : T(0));
    const T t = (mine ? right[lane] : T(0)) + gather(data, from_own, to_own);
    right[lane] = t;
    __syncwarp();
    T z = inverse * t;
    const T* const own_row = entries + (mine ? lane : 0) * ld;
#pragma unroll 8
    for (int k = 0; k < width - 1; ++k) add_product(z, k < lane ? data(own_row[k]) : T(0), right[k]);
    if (mine) data.y[task.first_column + lane] = z;
    __syncwarp();
    right[lane] = z;
    __syncwarp();
    T sum = gather(data, from_below, to_below);
    for (int row = width; row < front; row += 32) {
      const bool inside = row + lane < front;
      const int at = inside ? row + lane : front - 1;
      if (row > width) {
        from_below = Sources();
        if (inside) from_below.read(data, front_row(data, task, at));
        sum = gather(data, from_below);
      }
#pragma unroll 8
      for (int k = 0; k < width; ++k) subtract_product(sum, entries[at + k * ld], right[k]);
      if (inside) publish(data.u + contribution(task, at), sum);
    }
  }
};

/// Computes z(j) of `Outputs` rows j = first + {0, 1, …} of the inverse, which are columns above the diagonal, by one
/// warp with lanes over k. Returns the result of warp_sums.
template <int Outputs, class T, class Stride>
__device__ T inverse_rows(const Mirror<T>& mirror, const Entries<T, Stride>& tile, int column, int end, const T* t,
                          int first) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const int longest = min(end, first + Outputs) - 1;
  const int mine = min(first + lane, end - 1);  // The output whose diagonal entry this lane loads.
  const T root = lane < Outputs ? tile.base[mine + (mine - column) * tile.ld] : T(0);
  T sum[Outputs] = {};
  in_groups<Outputs == 2 ? 4 : 2>(lane, longest, 5, [&](int k) {
#pragma unroll
    for (int o = 0; o < Outputs; ++o) {
      const int j = min(first + o, end - 1);
      const T entry = k < j ? mirror(tile.base[k + (j - column) * tile.ld]) : T(0);
      add_product(sum[o], entry, t[k]);
    }
  });
  const T inverse = reciprocal(root);
#pragma unroll
  for (int o = 0; o < Outputs; ++o) {
    if (lane == o) add_product(sum[o], inverse, t[mine]);
  }
  return warp_sums(sum);
}

/// Solves a narrow front: the first threads begin with its own columns, the others with the rows below.
template <class Team, class T>
__device__ void solve_whole(const SolveData<T>& data, const SolveFront& task, OneRhsTile<T>& cta_tile,
                            const NextTask& next) {
  constexpr int outputs = 4;
  static_assert(Team::threads >= tile_size && TeamMemory<T, Team>::vector_entries >= 2 * tile_size);
  const TeamMemory<T, Team> shared_memory(cta_tile, data.tile_bytes);
  const int thread = Team::thread();
  const int width = task.panel_width;
  const int below = task.front - width;
  const int ordered = (thread + Team::threads - tile_size) % Team::threads;
  const Split split(log_lanes(below > 0 ? below : Team::threads, Team::log_threads), ordered, Team::log_threads);
  Sources own, rows;
  own.read(data, thread < width ? task.first_column + thread : -1);
  if (split.part == 0 && split.row < below) rows.read(data, front_row(data, task, width + split.row));
  const T right = thread < width ? load_l2(data.x + task.first_column + thread) : T(0);
  const Tile<T> tile = stage_front(data, task, shared_memory);
  Contributions<T> to_own, to_rows;
  to_own.peek(data, own);
  to_rows.peek(data, rows);
  if (Team::warp() < tile_size / 32) {
    const T t = right + gather(data, own, to_own);
    if (thread < width) shared_memory.vector[thread] = t;
  }
  T before = gather(data, rows, to_rows);
  wait_for_copies<0>();
  const int claimed = next.claim_after<Team>();
  T* const z = shared_memory.vector + tile_size;
#pragma unroll 1
  for (int first = Team::warp() * outputs; first < width; first += Team::warps * outputs) {
    T sum = T(0);
    tile.read(shared_memory.tile, [&](const auto& entries) {
      sum = inverse_rows<outputs>(data, entries, 0, width, shared_memory.vector, first);
    });
    const int column = first + value_of_lane<outputs>();
    if (is_first_of_value<outputs>() && column < width) {
      z[column] = sum;
      data.y[task.first_column + column] = sum;
    }
  }
  Team::sync();
  for (int begin = 0; begin < below; begin += Team::threads) {
    const int row = begin + split.row;
    const bool inside = row < below;
    if (begin > 0) {
      rows = Sources();
      if (inside) rows.read(data, front_row(data, task, width + row));
      before = gather(data, rows);
      Team::sync();
    }
    T part = T(0);
    if (inside) {
      tile.read(shared_memory.tile, [&](const auto& entries) {
        part = part_of_product(entries.base + width + row, entries.ld, 0, width, split, z);
      });
    }
    const T total = sum_of_parts<Team>(part, split, ordered, shared_memory.sums);
    if (split.part == 0 && inside) publish(data.u + contribution(task, width + row), before - total);
  }
  next.read(claimed);
}

/// Snapshot of a block's vector, read before L; for a front's first block, the right-hand side plus the children's
/// contributions.
template <class T>
class BlockAhead {
 public:
  __device__ BlockAhead(const SolveData<T>& data, std::int64_t column, int count, bool is_first) {
#pragma unroll
    for (int r = 0; r < rounds; ++r) {
      const bool inside = at(r) < count;
      sources_[r].read(data, inside && is_first ? column + at(r) : -1);
      found_[r] = inside ? read_now((is_first ? data.x : data.t) + column + at(r)) : T(0);
    }
  }
  /// Sets to[k] := entry k, waiting for each; pass the constructor's arguments.
  __device__ void store(const SolveData<T>& data, std::int64_t column, int count, bool is_first, T* to) const {
#pragma unroll
    for (int r = 0; r < rounds; ++r) {
      if (r * solve_threads >= count) break;
      T found = found_[r];
      if (is_first) {
        found += gather(data, sources_[r]);
      } else if (at(r) < count) {
        found = await_set(data.t + column + at(r), found);
      }
      if (at(r) < count) to[at(r)] = found;
    }
  }

 private:
  static constexpr int rounds = solve_block / solve_threads;
  __device__ static int at(int r) { return r * solve_threads + static_cast<int>(threadIdx.x); }

  Sources sources_[rounds];
  T found_[rounds];
};

/// Computes a few rows of a diagonal block's inverse times its vector.
template <class T>
__device__ void run_task(const SolveData<T>& data, const TaskOf<SolveKind::diagonal>& task, OneRhsTile<T>& shared_memory,
                         const NextTask& next) {
  constexpr int outputs = one_rhs_outputs / solve_warps;
  const int thread = static_cast<int>(threadIdx.x);
  const int begin = task.row_begin - task.column;
  const int end = task.row_end - task.column;
  const std::int64_t column = std::int64_t{task.first_column} + task.column;
  const bool is_first = task.column == 0;
  const BlockAhead<T> block(data, column, end, is_first);
  const Tile<T> tile = stage(data, data.values + task.offset + task.column + std::int64_t{task.row_begin} * task.ld, task.ld,
                             0, end, end - begin, shared_memory);
  block.store(data, column, end, is_first, shared_memory.vector);
  wait_for_copies<0>();
  const int claimed = next.claim_after<Cta>();
  for (int first = begin + thread / 32 * outputs; first < end; first += one_rhs_outputs) {
    T sum = T(0);
    tile.read(shared_memory.tile(), [&](const auto& entries) {
      sum = inverse_rows<outputs>(data, entries, begin, end, shared_memory.vector, first);
    });
    const int row = first + value_of_lane<outputs>();
    if (is_first_of_value<outputs>() && row < end) publish(data.y + column + row, sum);
  }
  next.read(claimed);
}

/// Returns where block task.column / solve_block of a wide front leaves what remains of a row for the next block.
template <class T>
__device__ T* left_of(const SolveData<T>& data, const TaskOf<SolveKind::rows>& task, int row) {
  return data.sums + task.left + row - solve_block;
}
/// Returns where the preceding block left it.
template <class T>
__device__ const T* left_before(const SolveData<T>& data, const TaskOf<SolveKind::rows>& task, int row) {
  return left_of(data, task, row) - (task.front - solve_block);
}

/// Stores what remains of a row below a block for the task that continues with it.
template <class T>
__device__ void store_rows(const SolveData<T>& data, const TaskOf<SolveKind::rows>& task, int row, T value) {
  const int end = task.column + task.width;
  T* to = left_of(data, task, row);
  if (end == task.panel_width) {
    to = data.u + contribution(task, row);
  } else if (row < min(end + solve_block, task.panel_width)) {
    to = data.t + task.first_column + row;
  }
  publish(to, value);
}

/// Multiplies rows, one thread per row, from the preceding multiple of four rows on.
template <class T>
__device__ void run_task(const SolveData<T>& data, const TaskOf<SolveKind::rows>& task, OneRhsTile<T>& shared_memory,
                         const NextTask& next) {
  const int thread = static_cast<int>(threadIdx.x);
  const int first = task.row_begin / 4 * 4;
  const int row = first + thread;
  const int log_rows = max(4, log_lanes(task.row_end - first));
  const bool mine = row >= task.row_begin && row < task.row_end;
  const bool own = row < task.panel_width;
  const bool has_rows = thread / 32 <= (1 << log_rows) / 32;  // Whether this warp has rows.
  const bool is_first = task.column == 0;
  Sources sources;
  if (mine && is_first) sources.read(data, front_row(data, task, row));
  T before = T(0);
  if (mine && is_first && own) before = load_l2(data.x + task.first_column + row);
  if (mine && !is_first) before = read_now(left_before(data, task, row));
  const VectorAhead<T> vector(data.y + task.first_column + task.column, task.width);
  const Tile<T> tile = stage_product(data, task, shared_memory);
  if (is_first && has_rows) before += gather(data, sources);
  if (mine && !is_first) before = await_set(left_before(data, task, row), before);
  vector.store(shared_memory.vector);
  wait_for_copies<0>();
  const int claimed = next.claim_after<Cta>();
  T total = T(0);
  tile.read(shared_memory.tile(), [&](const auto& entries) {
    total = row_products(entries.base + first - task.row_begin, entries.ld, task.width, log_rows, shared_memory.vector,
                         shared_memory.sums);
  });
  next.read(claimed);
  if (mine) store_rows(data, task, row, before - total);
}

template <class T>
__global__ void __launch_bounds__(solve_threads, one_rhs_ctas<T>) forward_kernel(SolveData<T> data) {
  OneRhsTile<T>& shared_memory = one_rhs_memory<T>();
  run_one_rhs_sweep<OneRhsForwardKinds, WarpFront<T>>(
      data,
      [&](auto team, const SolveFront& front, const NextTask& next) {
        solve_whole<decltype(team)>(data, front, shared_memory, next);
      },
      [&](const auto& task, const NextTask& next) { run_task(data, task, shared_memory, next); });
}

}  // namespace

template <class T>
SweepKernel<T> forward_one() {
  return forward_kernel<T>;
}

#define INSTANTIATE(T) template SweepKernel<T> forward_one<T>()
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
