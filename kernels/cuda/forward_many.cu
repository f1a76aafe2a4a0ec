/// \file
/// L Y = X for `Columns` right-hand sides together. Memory-bound like the solve for one: 8 bytes per entry of L, and
/// rows of vectors.

#include "kernels/cuda/forward_narrow.cuh"
#include "kernels/cuda/scalar_list.hpp"
#include "kernels/cuda/sweeps.hpp"

namespace gpusupernodal::cuda {
namespace {

/// Whether `row` belongs to the task: tiles begin at multiples of four, possibly before the task's first row.
__device__ inline bool is_row_of(const SolveHead& task, int row) { return row >= task.row_begin && row < task.row_end; }

/// Sets sums to minus the values that the rows of a tile from `row` on had before a product. `sources`: sources of
/// their contributions.
template <class T, int Columns>
__device__ void begin_sums(const SolveData<T>& data, const TaskOf<SolveKind::rows>& task, int row,
                           const Sources (&sources)[2], Sums<T, Columns>& sums) {
  const Lane lane;
  const bool own = task.row_begin < task.panel_width;
  if (own || task.column > 0) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int at = row + 8 * h + lane.group;
      RowPart<T, Columns> before;
      const std::int64_t from = own ? std::int64_t{task.first_column} + at : contribution(task, at);
      before.load(own ? data.x : data.u, is_row_of(task, at) ? from : -1);
      before.add_to(h, sums);
    }
  }
  if (task.column == 0) gather(data, sources, sums);
  sums.negate();
}

/// The staged product of rows `row` … `row`+31 with columns first … last−1 of a block, by one warp. Precondition: `row`
/// is a multiple of four.
template <class T, int Columns>
__device__ auto stage_rows(const T* values, const TaskOf<SolveKind::rows>& task, int row, int first, int last) {
  const T* const corner = values + task.offset + task.column * std::int64_t{task.ld};
  return stage_product<Along::outputs, Columns>(
      StagePart<T>{corner + row, task.ld, min(task.row_end - row, solve_outputs), first, last}, AllEntries());
}

/// Multiplies groups of 32 rows (one to four groups), one warp per group; the other warps share the columns.
template <class T, int Columns>
__device__ void run_task(const SolveData<T>& data, const TaskOf<SolveKind::rows>& task, const NextTask& next) {
  const int begin = task.row_begin / 4 * 4;
  const WarpShare own(task.row_end - begin);
  const int row = begin + own.group * solve_outputs;
  const int share = own.steps(task.width);
  auto product = stage_rows<T, Columns>(data.values, task, row, own.part * share, min(task.width, (own.part + 1) * share));
  // Two warps start their sums with the previous values of one of the two tiles each.
  Sources sources[2];
  if (own.part < 2 && task.column == 0) read_sources(data, task, row + 16 * own.part, task.row_end, sources);
  await_inputs(data.sweep, task);
  const T* const rights = data.y + (std::int64_t{task.first_column} + task.column) * Columns;
  const auto right = [=](int k) { return rights + k * Columns; };
  product.begin_right(right);
  next.fetch();
  Sums<T, Columns> sums[2];
  if (own.part == 0) begin_sums(data, task, row, sources, sums[0]);
  if (own.part == 1) begin_sums(data, task, row + 16, sources, sums[1]);
  product.add_near(sums, right);
  store_sums(sums);
  __syncthreads();
  T* const target = task.row_begin < task.panel_width ? data.x + (std::int64_t{task.first_column} + begin) * Columns
                                                      : data.u + contribution(task, begin) * Columns;
  for_each_total<T, Columns>(1 << own.log, [&](int at, int column, T total) {
    if (is_row_of(task, begin + at)) target[at * Columns + column] = -total;
  });
}

/// Reads ahead the sources of the contributions to a block's rows.
template <class T>
__device__ void stage_sources(const SolveData<T>& data, const SolveFront& task, int end, int4* shared_memory) {
  for (int k = static_cast<int>(threadIdx.x); k < end; k += solve_threads) {
    Sources sources;
    sources.read(data, task.first_column + k);
    shared_memory[k] = make_int4(sources.first[0], sources.first[1], sources.first[2], sources.more);
  }
}

/// Adds the children's contributions to entries k + 4s + quad of a first block's vectors.
template <class T, int Columns, int Ahead>
__device__ void add_gathered(const SolveData<T>& data, const int4* sources, int k, int last,
                             T (&right)[Ahead][Columns / 8]) {
  const Lane lane;
  int more = -1;
#pragma unroll
  for (int i = 0; i < Sources::ahead; ++i) {
    T ahead[Ahead][Columns / 8] = {};
#pragma unroll
    for (int s = 0; s < Ahead; ++s) {
      const Sources from(sources[min(k + 4 * s + lane.quad, last - 1)]);
      more = max(more, from.more);
      const T* const source = data.u + std::int64_t{from.first[i]} * Columns + lane.group;
#pragma unroll
      for (int n = 0; n < Columns / 8; ++n) {
        if (from.first[i] >= 0) ahead[s][n] = load_l2(source + 8 * n);
      }
    }
#pragma unroll
    for (int s = 0; s < Ahead; ++s) {
#pragma unroll
      for (int n = 0; n < Columns / 8; ++n) right[s][n] += ahead[s][n];
    }
  }
  if (!__any_sync(all_lanes, more >= 0)) return;
  std::int32_t list[Ahead], count[Ahead];
  int longest = 0;
#pragma unroll
  for (int s = 0; s < Ahead; ++s) {
    list[s] = sources[min(k + 4 * s + lane.quad, last - 1)].w;
    count[s] = list[s] >= 0 ? data.gather_more[list[s]] : 0;
  }
#pragma unroll
  for (int s = 0; s < Ahead; ++s) longest = max(longest, count[s]);
  for (int e = 1; e <= longest; ++e) {
    T further[Ahead][Columns / 8] = {};
#pragma unroll
    for (int s = 0; s < Ahead; ++s) {
      if (e > count[s]) continue;
      const T* const source = data.u + std::int64_t{data.gather_more[list[s] + e]} * Columns + lane.group;
#pragma unroll
      for (int n = 0; n < Columns / 8; ++n) further[s][n] = load_l2(source + 8 * n);
    }
#pragma unroll
    for (int s = 0; s < Ahead; ++s) {
#pragma unroll
      for (int n = 0; n < Columns / 8; ++n) right[s][n] += further[s][n];
    }
  }
}

/// Computes 32 rows of a block's inverse times its vector, with the columns distributed over the warps.
template <class T, int Columns>
__device__ void run_task(const SolveData<T>& data, const TaskOf<SolveKind::diagonal>& task, const NextTask& next) {
  __shared__ __align__(shared_alignment) T own[solve_outputs][Columns];  // Those rows of the vectors.
  const std::int64_t ld = task.ld;
  const int end = task.row_end - task.column;
  const int begin = task.row_begin - task.column;
  const T* const corner = data.values + task.offset + task.column * (ld + 1);
  const int share = share_of(end, log_warps);
  const int part = static_cast<int>(threadIdx.x / 32u) * share;
  auto product = stage_product<Along::steps, Columns>(
      StagePart<T>{corner + begin * ld, ld, end - begin, part, min(end, part + share), data}, EntriesBefore{begin});
  int4* const sources = reinterpret_cast<int4*>(shared_memory_base());
  if (task.column == 0) stage_sources(data, task, end, sources);
  const OwnRows<T, Columns> rows(corner, ld, begin, end);
  await_inputs(data.sweep, task);
  next.fetch();
  const Lane lane;
  const T* const rights = data.x + (std::int64_t{task.first_column} + task.column) * Columns + lane.group;
  Sums<T, Columns> sums[2];
  product.add_to(sums, [&](int k, int last, auto& right) {
    for_each_ahead<Columns>(k, last, right, [&](int n, int at) { return load_l2(rights + at * Columns + 8 * n); });
    if (task.column == 0) add_gathered<T, Columns>(data, sources, k, last, right);
    keep_own<Columns>(k, last, right, begin, own);
  });
  store_sums(sums);
  __syncthreads();
  T* const solved = data.y + (std::int64_t{task.first_column} + task.row_begin) * Columns;
  for_each_total<T, Columns>(1, [&](int at, int column, T total) {
    if (begin + at < end) solved[at * Columns + column] = total + rows.factor(at) * own[at][column];
  });
}

/// A front per warp.
template <class T, int Columns>
__device__ void run_task(const SolveData<T>& data, const TaskOf<SolveKind::warps>& group, const NextTask& next) {
  next.fetch();
  run_warps(data.sweep, group, [&](const TaskOf<SolveKind::whole_by_warp>& task, const auto&) {
    constexpr int of_vectors = warp_width * front_stride<T, Columns> * static_cast<int>(sizeof(T));
    const int bytes = shared_memory_bytes() / solve_warps / 16 * 16;
    char* const memory = shared_memory_base() + static_cast<int>(threadIdx.x / 32u) * bytes;
    forward_narrow<T, Columns>(OneWarp(), data, task, reinterpret_cast<FrontVectors<T, Columns>>(memory),
                               reinterpret_cast<T*>(memory + of_vectors), bytes - of_vectors, [] {});
  });
}

template <class T, int Columns>
__device__ void run_task(const SolveData<T>& data, const TaskOf<SolveKind::whole>& task, const NextTask& next) {
  char* const memory = shared_memory_base();
  forward_narrow<T, Columns>(Cta(), data, task, reinterpret_cast<FrontVectors<T, Columns>>(memory),
                             reinterpret_cast<T*>(memory + memory_head<T, Columns>),
                             shared_memory_bytes() - memory_head<T, Columns>, [&] { next.fetch(); });
}

template <class T, int Columns>
__global__ void __launch_bounds__(solve_threads, many_rhs_ctas<T>) forward_kernel(SolveData<T> data) {
  run_sweep<WaitFor::counters, ForwardKinds>(
      data.sweep, [&](const auto& task, const NextTask& next) { run_task<T, Columns>(data, task, next); });
}

}  // namespace

template <class T, int Columns>
SweepKernel<T> forward_many() {
  return forward_kernel<T, Columns>;
}

#define INSTANTIATE(T)                                  \
  template SweepKernel<T> forward_many<T, solve_few>(); \
  template SweepKernel<T> forward_many<T, solve_many>()
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
