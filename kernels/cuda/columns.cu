#include <algorithm>

#include "gpusupernodal/build_config.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/columns.cuh"
#include "kernels/cuda/launch_size.cuh"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/lu_pivots.cuh"

namespace gpusupernodal::cuda {
namespace {

constexpr unsigned all_lanes = 0xffffffffu;

/// The threads that share a task: a warp or a CTA.
struct WarpTeam {
  static __device__ int lane() { return static_cast<int>(threadIdx.x % 32u); }
  static __device__ int lanes() { return 32; }
  static __device__ void sync() { __syncwarp(); }
};
struct CtaTeam {
  static __device__ int lane() { return static_cast<int>(threadIdx.x); }
  static __device__ int lanes() { return static_cast<int>(blockDim.x); }
  static __device__ void sync() { __syncthreads(); }
};

/// Position of (row, column) right of entry `from` of the row: the pattern holds it, because it holds all fill.
template <class T>
__device__ std::int64_t find(const ColumnFactor<T>& f, std::int32_t row, std::int32_t column, std::int64_t from,
                             std::int64_t end) {
  if (in_tail(f, row) && in_tail(f, column)) return tail_position(f, row, column);
  while (end - from > 1) {
    const std::int64_t middle = (from + end) / 2;
    if (f.columns[middle] <= column) {
      from = middle;
    } else {
      end = middle;
    }
  }
  return from;
}

/// The multiplier of a source: its entry of the row, divided by the pivot.
template <class T>
__device__ T multiplier(const ColumnFactor<T>& f, const ColumnSource& source, std::int64_t row_begin, T smallest) {
  const T pivot = f.values[f.row_offset[source.column] + f.lower[source.column]];
  return f.values[row_begin + source.offset] / accepted_pivot(pivot, smallest);
}

/// The row of a task, and what is subtracted from it.
template <class Team, class T>
class RowTask {
 public:
  __device__ RowTask(const ColumnFactor<T>& f, const ColumnTask& task, const ColumnSource* sources, T smallest)
      : f_(f),
        row_(task.row),
        count_(task.count),
        sources_(sources + task.first),
        begin_(f.row_offset[task.row]),
        end_(begin_ + f.lower[task.row] + f.upper[task.row]),
        smallest_(smallest) {}

  /// First the multipliers, then the updates. What is needed of 32 sources is loaded at once, a lane each, and the first
  /// entries of a row of U while those of the row before are subtracted.
  __device__ void run() const {
    for (std::int32_t s = Team::lane(); s < count_; s += Team::lanes())
      f_.values[begin_ + sources_[s].offset] = multiplier(f_, sources_[s], begin_, smallest_);
    Team::sync();
    const auto lane = static_cast<std::int32_t>(threadIdx.x % 32u);
    for (std::int32_t first = 0; first < count_; first += 32) {
      const ColumnSource mine = sources_[min(first + lane, count_ - 1)];
      const std::int64_t my_diagonal = f_.row_offset[mine.column] + f_.lower[mine.column];
      const std::int64_t my_end = my_diagonal + f_.upper[mine.column];
      const T my_factor = f_.values[begin_ + mine.offset];
      const std::int32_t batch = min(32, count_ - first);
      Entry entry = load(__shfl_sync(all_lanes, my_diagonal, 0), __shfl_sync(all_lanes, my_end, 0));
      for (std::int32_t s = 0; s < batch; ++s) {
        const std::int32_t following = min(s + 1, batch - 1);
        const Entry next = load(__shfl_sync(all_lanes, my_diagonal, following), __shfl_sync(all_lanes, my_end, following));
        subtract(entry, __shfl_sync(all_lanes, my_end, s), __shfl_sync(all_lanes, my_factor, s),
                 begin_ + __shfl_sync(all_lanes, mine.offset, s));
        Team::sync();
        entry = next;
      }
    }
  }

  /// For sources that depend on one another: each multiplier waits for the updates before.
  __device__ void run_one_by_one() const {
    for (std::int32_t s = 0; s < count_; ++s) {
      const ColumnSource source = sources_[s];
      const T factor = multiplier(f_, source, begin_, smallest_);
      Team::sync();
      if (Team::lane() == 0) f_.values[begin_ + source.offset] = factor;
      const std::int64_t diagonal = f_.row_offset[source.column] + f_.lower[source.column];
      const std::int64_t end = diagonal + f_.upper[source.column];
      subtract(load(diagonal, end), end, factor, begin_ + source.offset);
      Team::sync();
    }
  }

 private:
  /// An entry of U.
  struct Entry {
    std::int64_t at = 0;
    std::int32_t column = 0;
    T value = T(0);
  };

  /// This lane's first entry of a row of U right of its diagonal, if there is one.
  __device__ Entry load(std::int64_t diagonal, std::int64_t end) const {
    Entry entry;
    entry.at = diagonal + 1 + Team::lane();
    if (entry.at < end) {
      entry.column = f_.columns[entry.at];
      entry.value = f_.values[entry.at];
    }
    return entry;
  }

  /// Subtracts a multiple of a row of U; `from` is the position of the multiplier.
  __device__ void subtract(Entry entry, std::int64_t end, T factor, std::int64_t from) const {
    while (entry.at < end) {
      f_.values[find(f_, row_, entry.column, from, end_)] -= factor * entry.value;
      entry.at += Team::lanes();
      if (entry.at < end) {
        entry.column = f_.columns[entry.at];
        entry.value = f_.values[entry.at];
      }
    }
  }

  const ColumnFactor<T>& f_;
  std::int32_t row_;
  std::int32_t count_;
  const ColumnSource* sources_;
  std::int64_t begin_;
  std::int64_t end_;
  T smallest_;
};

template <class Team, class T>
__device__ void run_task(const ColumnFactor<T>& f, const ColumnTask& task, const ColumnSource* sources, bool one_by_one,
                         T smallest) {
  const RowTask<Team, T> row(f, task, sources, smallest);
  if (one_by_one) return row.run_one_by_one();
  row.run();
}

/// The first CTAs take a task each, the others one for each warp.
template <class T>
__global__ void __launch_bounds__(column_threads) level_kernel(ColumnFactor<T> f, ColumnTasks tasks, ColumnLaunch launch) {
  const T smallest = smallest_pivot<T>(f.status, f.perturbation);
  const int block = static_cast<int>(blockIdx.x);
  if (block < launch.long_count) {
    const ColumnTask task = tasks.tasks[launch.first + launch.short_count + block];
    run_task<CtaTeam>(f, task, tasks.sources, tasks.one_by_one, smallest);
    return;
  }
  const int number = (block - launch.long_count) * (column_threads / 32) + static_cast<int>(threadIdx.x / 32u);
  if (number >= launch.short_count) return;
  run_task<WarpTeam>(f, tasks.tasks[launch.first + number], tasks.sources, tasks.one_by_one, smallest);
}

/// One CTA; what a level has written is seen by the next, because all of its threads are on one multiprocessor.
template <class T>
__global__ void __launch_bounds__(merged_threads) merged_kernel(ColumnFactor<T> f, ColumnTasks tasks, ColumnLaunch launch) {
  const T smallest = smallest_pivot<T>(f.status, f.perturbation);
  for (std::int32_t level = launch.levels_begin; level < launch.levels_end; ++level) {
    const std::int64_t end = tasks.level_tasks[level + 1];
    for (std::int64_t t = tasks.level_tasks[level] + threadIdx.x / 32u; t < end; t += merged_threads / 32)
      run_task<WarpTeam>(f, tasks.tasks[t], tasks.sources, tasks.one_by_one, smallest);
    __syncthreads();
  }
}

template <class T>
__global__ void find_failed_kernel(ColumnFactor<T> f) {
  if (flat_index() == 0 && f.status->bad_entry != no_entry)
    f.status->bad_value = static_cast<double>(static_cast<const T*>(f.status->values)[f.status->bad_entry]);
  for (std::int64_t k = flat_index(); k < f.n; k += flat_step()) {
    if (!isfinite(f.values[diagonal_position(f, static_cast<std::int32_t>(k))]))
      atomicMin(&f.status->failed_column, static_cast<std::int32_t>(k));
  }
}

__device__ double warp_max(double value) {
  for (int step = 16; step > 0; step /= 2) value = fmax(value, __shfl_xor_sync(all_lanes, value, step));
  return value;
}

/// Largest magnitude of column k of L, whose diagonal is 1.
template <class T>
__device__ double largest_in_l(const ColumnFactor<T>& f, std::int32_t k, int lane) {
  double largest = 1.0;
  if (in_tail(f, k)) {
    for (std::int32_t i = k + 1 + lane; i < f.tail_end; i += 32)
      largest = fmax(largest, fabs(static_cast<double>(f.values[tail_position(f, i, k)])));
  } else {
    const std::int64_t first = f.column_offset[k] + f.before[k] + f.above[k] + 1;
    for (std::int64_t e = first + lane; e < f.column_offset[k + 1]; e += 32)
      largest = fmax(largest, fabs(static_cast<double>(f.values[f.position[e]])));
  }
  return warp_max(largest);
}

/// Largest magnitude of row k of U right of its diagonal.
template <class T>
__device__ double largest_in_u(const ColumnFactor<T>& f, std::int32_t k, int lane) {
  const std::int64_t diagonal = diagonal_position(f, k);
  const std::int32_t count = in_tail(f, k) ? f.tail_end - k : f.upper[k];
  double largest = 0.0;
  for (std::int32_t u = 1 + lane; u < count; u += 32)
    largest = fmax(largest, fabs(static_cast<double>(f.values[diagonal + u])));
  return warp_max(largest);
}

/// One warp for each column of L and row of U.
template <class T>
__global__ void inspect_kernel(ColumnFactor<T> f) {
  const T allowed = smallest_pivot<T>(f.status, f.perturbation);
  const std::int32_t failed = f.status->failed_column;
  const int lane = static_cast<int>(threadIdx.x % 32u);
  double smallest = std::numeric_limits<double>::infinity(), largest = 0.0, growth = 0.0;
  unsigned long long key = no_pivot_key;
  for (std::int64_t j = flat_index() / 32; j < f.n; j += flat_step() / 32) {
    const auto k = static_cast<std::int32_t>(j);
    const std::int64_t diagonal = diagonal_position(f, k);
    const T found = f.values[diagonal];
    const T used = accepted_pivot(found, allowed);
    const double pivot = fabs(static_cast<double>(found));
    const double of_u = fmax(largest_in_u(f, k, lane), fabs(static_cast<double>(used)));
    growth = fmax(growth, largest_in_l(f, k, lane) * of_u);
    __syncwarp();  // All lanes have read the pivot.
    if (lane == 0) {
      LuPivotReport{f.status, 0}.note(found, used, k);
      if (k == failed) f.status->failed_pivot = static_cast<double>(found);
      if (found != used) f.values[diagonal] = used;
    }
    if (k >= failed) continue;
    smallest = fmin(smallest, pivot);
    largest = fmax(largest, pivot);
    key = min(key, pivot_key(pivot, k));
  }
  if (lane != 0) return;
  atomicMin(reinterpret_cast<unsigned long long*>(&f.status->smallest_pivot), magnitude_bits(smallest));
  atomicMax(reinterpret_cast<unsigned long long*>(&f.status->largest_pivot), magnitude_bits(largest));
  atomicMax(reinterpret_cast<unsigned long long*>(&f.status->largest_in_lu), magnitude_bits(growth));
  atomicMin(reinterpret_cast<unsigned long long*>(&f.status->smallest_pivot_key), key);
}

constexpr unsigned inspecting_blocks = 1024;

}  // namespace

template <class T>
void run_columns(const ColumnFactor<T>& factor, const ColumnTasks& tasks, const ColumnLaunch& launch, cudaStream_t stream) {
  if (launch.is_merged()) {
    merged_kernel<T><<<1, merged_threads, 0, stream>>>(factor, tasks, launch);
  } else {
    constexpr int warps = column_threads / 32;
    const auto blocks = static_cast<unsigned>(launch.long_count + (launch.short_count + warps - 1) / warps);
    level_kernel<T><<<blocks, column_threads, 0, stream>>>(factor, tasks, launch);
  }
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("run_columns");
}

template <class T>
void inspect_columns(const ColumnFactor<T>& factor, cudaStream_t stream) {
  if (factor.n == 0) return;
  find_failed_kernel<T><<<flat_blocks(factor.n), flat_threads, 0, stream>>>(factor);
  const unsigned blocks = std::min(flat_blocks(std::int64_t{32} * factor.n), inspecting_blocks);
  inspect_kernel<T><<<blocks, flat_threads, 0, stream>>>(factor);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("inspect_columns");
}

template <class T>
void prepare_tail();
template <class T>
void prepare_column_solves();

template <class T>
void prepare_columns() {
  load_kernels(level_kernel<T>, merged_kernel<T>, find_failed_kernel<T>, inspect_kernel<T>);
  prepare_tail<T>();
  prepare_column_solves<T>();
}

#define INSTANTIATE(T)                                                                                         \
  template void run_columns<T>(const ColumnFactor<T>&, const ColumnTasks&, const ColumnLaunch&, cudaStream_t); \
  template void inspect_columns<T>(const ColumnFactor<T>&, cudaStream_t);                                      \
  template void prepare_columns<T>();
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
