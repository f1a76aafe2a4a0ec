/// \file
/// Solves of LU by columns: one launch, in which steps wait for the entries that they need.

#include "gpusupernodal/build_config.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/columns.cuh"
#include "kernels/cuda/launch_size.cuh"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/published.cuh"

namespace gpusupernodal::cuda {
namespace {

constexpr unsigned all_lanes = 0xffffffffu;

template <class T>
__device__ T warp_sum(T value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(all_lanes, value, step);
  return value;
}

/// The steps of one right-hand side. `Transposed`: with columns of U and L in the place of rows of L and U.
template <class T, bool Transposed>
struct Solve {
  const ColumnFactor<T>& f;
  const ColumnVectors<T>& v;
  int column;
  int lane;

  __device__ std::int64_t place(std::int32_t k) const { return static_cast<std::int64_t>(k) * v.stride + column; }
  __device__ T value(std::int64_t e) const { return f.values[Transposed ? f.position[e] : e]; }
  __device__ std::int32_t other(std::int64_t e) const { return Transposed ? f.rows[e] : f.columns[e]; }

  /// Part of this lane of Σ value·source over entries begin … end−1.
  __device__ T product(std::int64_t begin, std::int64_t end, const T* source) const {
    T sum = T(0);
    for (std::int64_t e = begin + lane; e < end; e += 32) {
      const T factor = value(e);  // Loaded before the wait.
      sum += factor * await_entry(source + place(other(e)));
    }
    return sum;
  }

  /// Row k of L, or column k of U.
  __device__ void first_step(std::int32_t k) const {
    const T right = v.x[place(k)];
    const T pivot = Transposed ? f.values[diagonal_position(f, k)] : T(1);
    T sum;
    if (Transposed) {
      const std::int64_t begin = f.column_offset[k], middle = begin + f.before[k];
      sum = product(begin, middle, v.z) + product(middle, middle + f.above[k], v.y);
    } else {
      const std::int64_t begin = f.row_offset[k], middle = begin + f.lower[k];
      sum = product(begin, middle, v.y) + product(middle + f.upper[k], f.row_offset[k + 1], v.z);
    }
    sum = warp_sum(sum);
    if (lane != 0) return;
    const T rest = right - sum;
    if (in_tail(f, k)) {
      publish(v.tail + place(k - f.tail_begin), rest);
    } else {
      publish(v.y + place(k), Transposed ? rest / pivot : rest);
    }
  }

  /// Row k of U, or column k of L.
  __device__ void second_step(std::int32_t k) const {
    const std::int64_t diagonal = f.row_offset[k] + f.lower[k];
    const std::int64_t below = f.column_offset[k] + f.before[k] + f.above[k] + 1;
    const T pivot = Transposed ? T(1) : f.values[diagonal];
    const T right = await_entry(v.y + place(k));
    const T sum = warp_sum(Transposed ? product(below, f.column_offset[k + 1], v.z)
                                      : product(diagonal + 1, diagonal + f.upper[k], v.z));
    if (lane != 0) return;
    const T rest = right - sum;
    publish(v.z + place(k), Transposed ? rest : rest / pivot);
  }

  /// Entry (row, column) of the tail, or of its transpose.
  __device__ T tail_entry(std::int32_t row, std::int32_t other_row) const {
    return f.values[Transposed ? tail_position(f, other_row, row) : tail_position(f, row, other_row)];
  }

  /// Rest of this lane's row after the rows first … first+31 have been subtracted, whose solution is in `source`.
  __device__ T subtract_block(T rest, std::int32_t row, std::int32_t first, const T* source) const {
    const std::int32_t last = min(first + tail_block, f.tail_end);
    const std::int32_t mine = min(first + lane, last - 1);
    const T entry = await_entry(source + place(mine));
    for (std::int32_t k = first; k < last; ++k) rest -= tail_entry(row, k) * __shfl_sync(all_lanes, entry, k - first);
    return rest;
  }

  /// Solves with a block of the tail's lower triangle, its rows from first to last; a lane has one row.
  __device__ void lower_block(std::int32_t block) const {
    const std::int32_t first = f.tail_begin + block * tail_block;
    const std::int32_t last = min(first + tail_block, f.tail_end);
    const std::int32_t row = min(first + lane, last - 1);
    T rest = await_entry(v.tail + place(row - f.tail_begin));
    for (std::int32_t k = f.tail_begin; k < first; k += tail_block) rest = subtract_block(rest, row, k, v.y);
    for (std::int32_t k = first; k < last; ++k) {
      if (Transposed && row == k) rest /= f.values[tail_position(f, k, k)];
      const T entry = __shfl_sync(all_lanes, rest, k - first);
      if (row > k) rest -= tail_entry(row, k) * entry;
    }
    if (first + lane < last) publish(v.y + place(row), rest);
  }

  /// Solves with a block of the tail's upper triangle, its rows from last to first; a lane has one row.
  __device__ void upper_block(std::int32_t block) const {
    const std::int32_t first = f.tail_begin + block * tail_block;
    const std::int32_t last = min(first + tail_block, f.tail_end);
    const std::int32_t row = min(first + lane, last - 1);
    T rest = await_entry(v.y + place(row));
    const std::int32_t end = first + (f.tail_end - first - 1) / tail_block * tail_block;
    for (std::int32_t k = end; k > first; k -= tail_block) rest = subtract_block(rest, row, k, v.z);
    for (std::int32_t k = last - 1; k >= first; --k) {
      if (!Transposed && row == k) rest /= f.values[tail_position(f, k, k)];
      const T entry = __shfl_sync(all_lanes, rest, k - first);
      if (row < k) rest -= tail_entry(row, k) * entry;
    }
    if (first + lane < last) publish(v.z + place(row), rest);
  }

  __device__ void run(std::int32_t node) const {
    if (node < f.n) return first_step(node);
    if (node < 2 * f.n) return second_step(node - f.n);
    const std::int32_t blocks = (f.tail_end - f.tail_begin + tail_block - 1) / tail_block;
    const std::int32_t block = node - 2 * f.n;
    if (block < blocks) return lower_block(block);
    upper_block(block - blocks);
  }
};

/// CTAs number themselves in the order in which they begin.
template <class T, bool Transposed>
__global__ void __launch_bounds__(column_solve_threads)
    solve_kernel(ColumnFactor<T> f, const std::int32_t* nodes, std::int64_t count, ColumnVectors<T> v) {
  constexpr int warps = column_solve_threads / 32;
  __shared__ int ticket;
  const int column = static_cast<int>(blockIdx.y);
  if (threadIdx.x == 0) ticket = atomicAdd(v.claims + column, 1);
  __syncthreads();
  const std::int64_t at = static_cast<std::int64_t>(ticket) * warps + threadIdx.x / 32u;
  if (at >= count) return;
  const Solve<T, Transposed> solve{f, v, column, static_cast<int>(threadIdx.x % 32u)};
  solve.run(nodes[at]);
}

template <class T>
__global__ void mark_unset_kernel(T* entries, std::int64_t count) {
  for (std::int64_t i = flat_index(); i < count; i += flat_step()) unset(entries + i);
}

}  // namespace

template <class T>
void solve_columns(const ColumnFactor<T>& factor, const std::int32_t* nodes, std::int64_t count, bool transposed,
                   const ColumnVectors<T>& vectors, cudaStream_t stream) {
  constexpr int warps = column_solve_threads / 32;
  const dim3 grid(static_cast<unsigned>((count + warps - 1) / warps), static_cast<unsigned>(vectors.columns));
  const auto kernel = transposed ? solve_kernel<T, true> : solve_kernel<T, false>;
  kernel<<<grid, column_solve_threads, 0, stream>>>(factor, nodes, count, vectors);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("solve_columns");
}

template <class T>
void mark_unset(T* entries, std::int64_t count, cudaStream_t stream) {
  if (count == 0) return;
  mark_unset_kernel<T><<<flat_blocks(count), flat_threads, 0, stream>>>(entries, count);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("mark_unset");
}

template <class T>
void prepare_column_solves() {
  load_kernels(solve_kernel<T, false>, solve_kernel<T, true>, mark_unset_kernel<T>);
}

#define INSTANTIATE(T)                                                                                                     \
  template void solve_columns<T>(const ColumnFactor<T>&, const std::int32_t*, std::int64_t, bool, const ColumnVectors<T>&, \
                                 cudaStream_t);                                                                            \
  template void mark_unset<T>(T*, std::int64_t, cudaStream_t);                                                             \
  template void prepare_column_solves<T>();
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
