#include <limits>

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/launch_size.cuh"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/published.cuh"
#include "kernels/cuda/scalar_list.hpp"
#include "kernels/cuda/solve_queue.cuh"
#include "kernels/cuda/vector_kernels.hpp"

namespace gpusupernodal::cuda {
namespace {

template <class T>
constexpr T not_a_number = ScalarTraits<T>::not_a_number();

dim3 grid_of(std::int32_t n, int columns) { return {flat_blocks(n), static_cast<unsigned>(columns), 1}; }

/// Rows that a CTA transposes per round.
constexpr int ordered_rows = 32;

/// Zeroes the counters of a solve.
__device__ void reset_counters(const SolveCounters& counters) {
  for (std::int64_t i = flat_index(); i < counters.count; i += flat_step()) counters.first[i] = 0;
}

/// One right-hand side, one thread per row.
template <class T, bool Scaled>
__global__ void permute_in_kernel(const T* from, RowOrder<T> order, std::int32_t n, T* to, SolveCounters counters,
                                  UnsetEntries<T> entries) {
  let_next_launch_begin();
  reset_counters(counters);
#pragma unroll
  for (int e = 0; e < UnsetEntries<T>::max_parts; ++e) {
    for (std::int64_t k = flat_index(); k < entries.count[e]; k += flat_step()) unset(entries.first[e] + k);
  }
  for (std::int64_t k = flat_index(); k < n; k += flat_step()) {
    const T value = from[order.old_of_new == nullptr ? k : order.old_of_new[k]];
    to[k] = Scaled ? value * order.scale[k] : value;
  }
}

/// `Columns` right-hand sides, of which `columns` exist: reads with threads along the rows, writes with threads along a
/// row.
template <class T, int Columns, bool Scaled>
__global__ void permute_in_rows_kernel(const T* from, std::int64_t ld_from, int columns, RowOrder<T> order, std::int32_t n,
                                       T* to, SolveCounters counters) {
  __shared__ __align__(shared_alignment) T ordered[ordered_rows][Columns + 1];
  let_next_launch_begin();
  reset_counters(counters);
  for (std::int64_t begin = std::int64_t{blockIdx.x} * ordered_rows; begin < n;
       begin += std::int64_t{gridDim.x} * ordered_rows) {
    for (int index = static_cast<int>(threadIdx.x); index < ordered_rows * Columns; index += flat_threads) {
      const std::int64_t k = begin + index % ordered_rows;
      const int q = index / ordered_rows;
      const bool exists = k < n && q < columns;
      T value = exists ? from[(order.old_of_new == nullptr ? k : order.old_of_new[k]) + q * ld_from] : T(0);
      if (Scaled && exists) value *= order.scale[k];
      ordered[index % ordered_rows][q] = value;
    }
    __syncthreads();
    for (int index = static_cast<int>(threadIdx.x); index < ordered_rows * Columns; index += flat_threads) {
      if (begin + index / Columns < n) to[begin * Columns + index] = ordered[index / Columns][index % Columns];
    }
    __syncthreads();
  }
}

__device__ bool is_failed(const DeviceStatus* status) {
  return status != nullptr && (status->failed_column != no_column || status->bad_entry != no_entry);
}

template <class T, bool Scaled>
__global__ void permute_out_kernel(const T* from, RowOrder<T> order, std::int32_t n, T* to, const DeviceStatus* status) {
  await_launch_before();
  const bool failed = is_failed(status);
  for (std::int64_t k = flat_index(); k < n; k += flat_step()) {
    const T value = Scaled ? from[k] * order.scale[k] : from[k];
    to[order.old_of_new == nullptr ? k : order.old_of_new[k]] = failed ? not_a_number<T> : value;
  }
}

template <class T, int Columns, bool Scaled>
__global__ void permute_out_rows_kernel(const T* from, RowOrder<T> order, std::int32_t n, int columns, T* to,
                                        std::int64_t ld_to, const DeviceStatus* status) {
  __shared__ __align__(shared_alignment) T ordered[ordered_rows][Columns + 1];
  await_launch_before();
  const bool failed = is_failed(status);
  for (std::int64_t begin = std::int64_t{blockIdx.x} * ordered_rows; begin < n;
       begin += std::int64_t{gridDim.x} * ordered_rows) {
    for (int index = static_cast<int>(threadIdx.x); index < ordered_rows * Columns; index += flat_threads) {
      if (begin + index / Columns < n) ordered[index / Columns][index % Columns] = from[begin * Columns + index];
    }
    __syncthreads();
    for (int index = static_cast<int>(threadIdx.x); index < ordered_rows * columns; index += flat_threads) {
      const std::int64_t k = begin + index % ordered_rows;
      const int q = index / ordered_rows;
      if (k >= n) continue;
      T value = ordered[index % ordered_rows][q];
      if (Scaled) value *= order.scale[k];
      to[(order.old_of_new == nullptr ? k : order.old_of_new[k]) + q * ld_to] = failed ? not_a_number<T> : value;
    }
    __syncthreads();
  }
}

unsigned ordered_blocks(std::int32_t n) {
  return static_cast<unsigned>(std::clamp((n + ordered_rows - 1) / ordered_rows, 1, 16384));
}

template <class T>
__global__ void add_kernel(T alpha, const T* from, std::int64_t ld_from, std::int32_t n, T* to, std::int64_t ld_to) {
  for (std::int64_t i = flat_index(); i < n; i += flat_step()) {
    to[i + blockIdx.y * ld_to] += alpha * from[i + blockIdx.y * ld_from];
  }
}

#ifdef GPUSUPERNODAL_COMPLEX_KERNELS
template <class T>
__global__ void conjugate_kernel(T* entries, std::int64_t count) {
  for (std::int64_t e = flat_index(); e < count; e += flat_step()) entries[e].im = -entries[e].im;
}
#endif

}  // namespace

namespace {

template <class T, bool Scaled>
void launch_permute_in(const T* from, std::int64_t ld_from, const RowOrder<T>& order, std::int32_t n, int columns, T* to,
                       int padded, const SolveCounters& counters, const UnsetEntries<T>& entries, cudaStream_t stream) {
  if (padded == 1) {
    permute_in_kernel<T, Scaled><<<flat_blocks(n), flat_threads, 0, stream>>>(from, order, n, to, counters, entries);
  } else {
    const auto kernel =
        padded == solve_few ? permute_in_rows_kernel<T, solve_few, Scaled> : permute_in_rows_kernel<T, solve_many, Scaled>;
    kernel<<<ordered_blocks(n), flat_threads, 0, stream>>>(from, ld_from, columns, order, n, to, counters);
  }
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("permute_in");
}

template <class T, bool Scaled>
void launch_permute_out(const T* from, int padded, const RowOrder<T>& order, std::int32_t n, int columns, T* to,
                        std::int64_t ld_to, const DeviceStatus* status, bool early, cudaStream_t stream) {
  if (padded == 1) {
    launch_early(permute_out_kernel<T, Scaled>, dim3(flat_blocks(n)), flat_threads, 0, early, stream, from, order, n, to,
                 status);
  } else {
    const auto kernel =
        padded == solve_few ? permute_out_rows_kernel<T, solve_few, Scaled> : permute_out_rows_kernel<T, solve_many, Scaled>;
    launch_early(kernel, dim3(ordered_blocks(n)), flat_threads, 0, early, stream, from, order, n, columns, to, ld_to,
                 status);
  }
}

}  // namespace

template <class T>
void permute_in(const T* from, std::int64_t ld_from, const RowOrder<T>& order, std::int32_t n, int columns, T* to,
                int padded, const SolveCounters& counters, const UnsetEntries<T>& entries, cudaStream_t stream) {
  if (n == 0 || columns == 0) return;
  const auto launch = order.scale == nullptr ? launch_permute_in<T, false> : launch_permute_in<T, true>;
  launch(from, ld_from, order, n, columns, to, padded, counters, entries, stream);
}

template <class T>
void permute_out(const T* from, int padded, const RowOrder<T>& order, std::int32_t n, int columns, T* to, std::int64_t ld_to,
                 const DeviceStatus* status, bool early, cudaStream_t stream) {
  if (n == 0 || columns == 0) return;
  const auto launch = order.scale == nullptr ? launch_permute_out<T, false> : launch_permute_out<T, true>;
  launch(from, padded, order, n, columns, to, ld_to, status, early, stream);
}

template <class T>
void add_to(T alpha, const T* from, std::int64_t ld_from, std::int32_t n, int columns, T* to, std::int64_t ld_to,
            cudaStream_t stream) {
  if (n == 0 || columns == 0) return;
  add_kernel<T><<<grid_of(n, columns), flat_threads, 0, stream>>>(alpha, from, ld_from, n, to, ld_to);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("add_to");
}

template <class T>
void prepare_vector_kernels() {
  load_kernels(permute_in_kernel<T, false>, permute_in_rows_kernel<T, solve_few, false>,
               permute_in_rows_kernel<T, solve_many, false>, permute_out_kernel<T, false>,
               permute_out_rows_kernel<T, solve_few, false>, permute_out_rows_kernel<T, solve_many, false>);
#ifdef GPUSUPERNODAL_COMPLEX_KERNELS
  load_kernels(conjugate_kernel<T>);
#endif
}

template <class T>
void prepare_lu_vectors() {
  load_kernels(permute_in_kernel<T, true>, permute_in_rows_kernel<T, solve_few, true>,
               permute_in_rows_kernel<T, solve_many, true>, permute_out_kernel<T, true>,
               permute_out_rows_kernel<T, solve_few, true>, permute_out_rows_kernel<T, solve_many, true>);
}

template <class T>
void prepare_refinement() {
  load_kernels(add_kernel<T>);
  prepare_residual<T>();
}

#ifdef GPUSUPERNODAL_COMPLEX_KERNELS
template <class T>
void conjugate(T* entries, std::int64_t count, cudaStream_t stream) {
  if (count == 0) return;
  conjugate_kernel<T><<<flat_blocks(count), flat_threads, 0, stream>>>(entries, count);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("conjugate");
}
template void conjugate<Complex<float>>(Complex<float>*, std::int64_t, cudaStream_t);
template void conjugate<Complex<double>>(Complex<double>*, std::int64_t, cudaStream_t);
#endif

#define INSTANTIATE(T)                                                                                                      \
  template void permute_in<T>(const T*, std::int64_t, const RowOrder<T>&, std::int32_t, int, T*, int, const SolveCounters&, \
                              const UnsetEntries<T>&, cudaStream_t);                                                        \
  template void permute_out<T>(const T*, int, const RowOrder<T>&, std::int32_t, int, T*, std::int64_t, const DeviceStatus*, \
                               bool, cudaStream_t);                                                                         \
  template void prepare_lu_vectors<T>();                                                                                    \
  template void add_to<T>(T, const T*, std::int64_t, std::int32_t, int, T*, std::int64_t, cudaStream_t);                    \
  template void prepare_vector_kernels<T>();                                                                                \
  template void prepare_refinement<T>()
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
