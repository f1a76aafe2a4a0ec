#include <limits>

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/launch_size.cuh"
#include "kernels/cuda/vector_kernels.hpp"

namespace gpusupernodal::cuda {
namespace {

template <class T>
constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();

dim3 grid_of(std::int32_t n, int columns) { return {flat_blocks(n), static_cast<unsigned>(columns), 1}; }

template <class T>
__global__ void permute_in_kernel(const T* from, std::int64_t ld_from, const std::int32_t* old_of_new, std::int32_t n, T* to,
                                  std::int64_t ld_to) {
  for (std::int64_t k = flat_index(); k < n; k += flat_step()) {
    const std::int64_t old = old_of_new == nullptr ? k : old_of_new[k];
    to[k + blockIdx.y * ld_to] = from[old + blockIdx.y * ld_from];
  }
}

__device__ bool is_failed(const DeviceStatus* status) {
  return status != nullptr && (status->failed_column != no_column || status->bad_entry != no_entry);
}

template <class T>
__global__ void permute_out_kernel(const T* from, std::int64_t ld_from, const std::int32_t* old_of_new, std::int32_t n,
                                   T* to, std::int64_t ld_to, const DeviceStatus* status) {
  const bool failed = is_failed(status);
  for (std::int64_t k = flat_index(); k < n; k += flat_step()) {
    const std::int64_t old = old_of_new == nullptr ? k : old_of_new[k];
    to[old + blockIdx.y * ld_to] = failed ? not_a_number<T> : from[k + blockIdx.y * ld_from];
  }
}

template <class T>
__global__ void add_kernel(const T* from, std::int64_t ld_from, std::int32_t n, T* to, std::int64_t ld_to) {
  for (std::int64_t i = flat_index(); i < n; i += flat_step()) to[i + blockIdx.y * ld_to] += from[i + blockIdx.y * ld_from];
}

/// Starts the diagonal with the shift, which is there even where A stores no diagonal entry.
__global__ void start_diagonal_kernel(double* diagonal, std::int32_t n, double shift) {
  for (std::int64_t i = flat_index(); i < n; i += flat_step()) diagonal[i] = shift;
}

template <class T>
__device__ double scaled_entry(const EntryList<T>& a, std::int64_t e) {
  return static_cast<double>(a.scale) * static_cast<double>(a.values[a.source[e]]);
}

/// Adds A's diagonal; every diagonal entry occurs once.
template <class T>
__global__ void add_diagonal_kernel(EntryList<T> a, const std::int32_t* old_of_new, double* diagonal) {
  for (std::int64_t e = flat_index(); e < a.count; e += flat_step()) {
    if (a.row[e] == a.column[e]) diagonal[old_of_new[a.row[e]]] += scaled_entry(a, e);
  }
}

/// Starts the sums with b − diagonal · x, and the row sums of |A|, in place of the diagonal, with its magnitude.
template <class T>
__global__ void start_residual_kernel(const T* b, const T* x, std::int32_t n, double* sum, double* row_norm) {
  for (std::int64_t i = flat_index(); i < n; i += flat_step()) {
    sum[i] = static_cast<double>(b[i]) - row_norm[i] * static_cast<double>(x[i]);
    row_norm[i] = fabs(row_norm[i]);
  }
}

template <class T>
__global__ void entries_kernel(EntryList<T> a, const std::int32_t* old_of_new, const T* x, double* sum, double* row_norm) {
  for (std::int64_t e = flat_index(); e < a.count; e += flat_step()) {
    if (a.row[e] == a.column[e]) continue;
    const std::int32_t i = old_of_new[a.row[e]];
    const std::int32_t j = old_of_new[a.column[e]];
    const double value = scaled_entry(a, e);
    atomicAdd(sum + i, -value * static_cast<double>(x[j]));
    atomicAdd(row_norm + i, fabs(value));
    atomicAdd(sum + j, -value * static_cast<double>(x[i]));
    atomicAdd(row_norm + j, fabs(value));
  }
}

/// NaN counts as the largest: its bits without the sign exceed those of infinity.
__device__ void raise(double* norm, double value) {
  atomicMax(reinterpret_cast<unsigned long long*>(norm), static_cast<unsigned long long>(__double_as_longlong(fabs(value))));
}

template <class T>
__global__ void finish_residual_kernel(const T* b, const T* x, std::int32_t n, const double* sum, const double* row_norm,
                                       T* r, double* norms) {
  double largest[4] = {};
  for (std::int64_t i = flat_index(); i < n; i += flat_step()) {
    const double parts[4] = {fabs(sum[i]), row_norm[i], fabs(static_cast<double>(x[i])), fabs(static_cast<double>(b[i]))};
    for (int p = 0; p < 4; ++p) {
      if (!(parts[p] <= largest[p])) largest[p] = parts[p];
    }
    r[i] = static_cast<T>(sum[i]);
  }
  for (int p = 0; p < 4; ++p) {
    for (int step = 16; step > 0; step /= 2) {
      const double other = __shfl_xor_sync(0xffffffffu, largest[p], step);
      if (!(other <= largest[p])) largest[p] = other;
    }
    if (threadIdx.x % 32u == 0) raise(norms + p, largest[p]);
  }
}

}  // namespace

template <class T>
void permute_in(const T* from, std::int64_t ld_from, const std::int32_t* old_of_new, std::int32_t n, int columns, T* to,
                std::int64_t ld_to, cudaStream_t stream) {
  if (n == 0 || columns == 0) return;
  permute_in_kernel<T><<<grid_of(n, columns), flat_threads, 0, stream>>>(from, ld_from, old_of_new, n, to, ld_to);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("permute_in");
}

template <class T>
void permute_out(const T* from, std::int64_t ld_from, const std::int32_t* old_of_new, std::int32_t n, int columns, T* to,
                 std::int64_t ld_to, const DeviceStatus* status, cudaStream_t stream) {
  if (n == 0 || columns == 0) return;
  permute_out_kernel<T><<<grid_of(n, columns), flat_threads, 0, stream>>>(from, ld_from, old_of_new, n, to, ld_to, status);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("permute_out");
}

template <class T>
void add_to(const T* from, std::int64_t ld_from, std::int32_t n, int columns, T* to, std::int64_t ld_to,
            cudaStream_t stream) {
  if (n == 0 || columns == 0) return;
  add_kernel<T><<<grid_of(n, columns), flat_threads, 0, stream>>>(from, ld_from, n, to, ld_to);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("add_to");
}

template <class T>
void residual(const EntryList<T>& a, const std::int32_t* old_of_new, std::int32_t n, const T* b, const T* x, T* r,
              double* work, double* norms, cudaStream_t stream) {
  double* const sum = work;
  double* const row_norm = work + n;
  GPUSUPERNODAL_CUDA_CHECK(cudaMemsetAsync(norms, 0, 4 * sizeof(double), stream));
  if (n == 0) return;
  start_diagonal_kernel<<<flat_blocks(n), flat_threads, 0, stream>>>(row_norm, n, static_cast<double>(a.shift));
  if (a.count > 0) add_diagonal_kernel<T><<<flat_blocks(a.count), flat_threads, 0, stream>>>(a, old_of_new, row_norm);
  start_residual_kernel<T><<<flat_blocks(n), flat_threads, 0, stream>>>(b, x, n, sum, row_norm);
  if (a.count > 0) entries_kernel<T><<<flat_blocks(a.count), flat_threads, 0, stream>>>(a, old_of_new, x, sum, row_norm);
  finish_residual_kernel<T><<<flat_blocks(n), flat_threads, 0, stream>>>(b, x, n, sum, row_norm, r, norms);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("residual");
}

#define INSTANTIATE(T)                                                                                               \
  template void permute_in<T>(const T*, std::int64_t, const std::int32_t*, std::int32_t, int, T*, std::int64_t,      \
                              cudaStream_t);                                                                         \
  template void permute_out<T>(const T*, std::int64_t, const std::int32_t*, std::int32_t, int, T*, std::int64_t,     \
                               const DeviceStatus*, cudaStream_t);                                                   \
  template void add_to<T>(const T*, std::int64_t, std::int32_t, int, T*, std::int64_t, cudaStream_t);                \
  template void residual<T>(const EntryList<T>&, const std::int32_t*, std::int32_t, const T*, const T*, T*, double*, \
                            double*, cudaStream_t)
INSTANTIATE(float);
INSTANTIATE(double);
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
