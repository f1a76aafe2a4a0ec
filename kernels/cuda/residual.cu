#include "kernels/cuda/check.hpp"
#include "kernels/cuda/launch_size.cuh"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/norms.cuh"
#include "kernels/cuda/scalar_list.hpp"
#include "kernels/cuda/stored_entries.cuh"
#include "kernels/cuda/vector_kernels.hpp"

namespace gpusupernodal::cuda {
namespace {

template <class T>
using Wide = typename ScalarTraits<T>::Wide;

#ifndef GPUSUPERNODAL_COMPLEX_KERNELS
/// Starts the diagonal with the shift, which applies even where A stores no diagonal entry.
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

/// Starts the sums with b − diagonal · x, and the row sums of |A|, which replace the diagonal, with the diagonal's
/// magnitude.
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

#else
/// Starts the sums with b − shift · x, and the row sums of |A| with the shift.
template <class T>
__global__ void start_residual_kernel(Real<T> shift, const T* b, const T* x, std::int32_t n, Complex<double>* sum,
                                      double* row_norm) {
  for (std::int64_t i = flat_index(); i < n; i += flat_step()) {
    sum[i] = Complex<double>(b[i]) - static_cast<double>(shift) * Complex<double>(x[i]);
    row_norm[i] = fabs(static_cast<double>(shift));
  }
}

__device__ void atomic_subtract(Complex<double>* sum, Complex<double> x, Complex<double> y) { atomic_add(sum, -(x * y)); }

/// A diagonal entry adds to the shift: its row sum gets the magnitude of both in the place of that of the shift.
template <class T>
__global__ void entries_kernel(EntryList<T> a, const std::int32_t* old_of_new, const T* x, Complex<double>* sum,
                               double* row_norm) {
  const auto shift = static_cast<double>(a.shift);
  for (std::int64_t e = flat_index(); e < a.count; e += flat_step()) {
    const std::int32_t i = old_of_new[a.row[e]];
    const std::int32_t j = old_of_new[a.column[e]];
    const Complex<double> stored = static_cast<double>(a.scale) * Complex<double>(entry_of(a.values, a.source[e]));
    const bool is_real = i == j && a.other != a.listed;
    const Complex<double> value{stored.re, is_real ? 0.0 : a.listed * stored.im};
    atomic_subtract(sum + i, value, Complex<double>(x[j]));
    if (i == j) {
      atomicAdd(row_norm + i, wide_magnitude(value + shift) - fabs(shift));
      continue;
    }
    atomic_subtract(sum + j, {stored.re, a.other * stored.im}, Complex<double>(x[i]));
    atomicAdd(row_norm + i, wide_magnitude(value));
    atomicAdd(row_norm + j, wide_magnitude(value));
  }
}

#endif

template <class T>
__global__ void max_norm_kernel(const T* x, std::int32_t n, double* norm) {
  double largest = 0.0;
  for (std::int64_t i = flat_index(); i < n; i += flat_step()) {
    largest = larger(largest, wide_magnitude(x[i]));
  }
  raise_by_warp(norm, largest);
}

template <class T>
__global__ void finish_residual_kernel(const T* b, const T* x, std::int32_t n, const Wide<T>* sum, const double* row_norm,
                                       T* r, double* norms) {
  double largest[4] = {};
  for (std::int64_t i = flat_index(); i < n; i += flat_step()) {
    const double parts[4] = {wide_magnitude(sum[i]), row_norm[i], wide_magnitude(x[i]), wide_magnitude(b[i])};
    for (int p = 0; p < 4; ++p) largest[p] = larger(largest[p], parts[p]);
    r[i] = static_cast<T>(sum[i]);
  }
  for (int p = 0; p < 4; ++p) raise_by_warp(norms + p, largest[p]);
}

}  // namespace

template <class T>
void residual(const EntryList<T>& a, const std::int32_t* old_of_new, std::int32_t n, const T* b, const T* x, T* r,
              double* work, double* norms, cudaStream_t stream) {
  auto* const sum = reinterpret_cast<Wide<T>*>(work);
  auto* const row_norm = reinterpret_cast<double*>(sum + n);
  GPUSUPERNODAL_CUDA_CHECK(cudaMemsetAsync(norms, 0, 4 * sizeof(double), stream));
  if (n == 0) return;
#ifdef GPUSUPERNODAL_COMPLEX_KERNELS
  start_residual_kernel<T><<<flat_blocks(n), flat_threads, 0, stream>>>(a.shift, b, x, n, sum, row_norm);
#else
  start_diagonal_kernel<<<flat_blocks(n), flat_threads, 0, stream>>>(row_norm, n, static_cast<double>(a.shift));
  if (a.count > 0) add_diagonal_kernel<T><<<flat_blocks(a.count), flat_threads, 0, stream>>>(a, old_of_new, row_norm);
  start_residual_kernel<T><<<flat_blocks(n), flat_threads, 0, stream>>>(b, x, n, sum, row_norm);
#endif
  if (a.count > 0) entries_kernel<T><<<flat_blocks(a.count), flat_threads, 0, stream>>>(a, old_of_new, x, sum, row_norm);
  finish_residual_kernel<T><<<flat_blocks(n), flat_threads, 0, stream>>>(b, x, n, sum, row_norm, r, norms);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("residual");
}

template <class T>
void max_norm(const T* x, std::int32_t n, double* norm, cudaStream_t stream) {
  GPUSUPERNODAL_CUDA_CHECK(cudaMemsetAsync(norm, 0, sizeof(double), stream));
  if (n == 0) return;
  max_norm_kernel<T><<<flat_blocks(n), flat_threads, 0, stream>>>(x, n, norm);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("max_norm");
}

template <class T>
void prepare_residual() {
  load_kernels(start_residual_kernel<T>, entries_kernel<T>, finish_residual_kernel<T>, max_norm_kernel<T>);
#ifndef GPUSUPERNODAL_COMPLEX_KERNELS
  load_kernels(start_diagonal_kernel, add_diagonal_kernel<T>);
#endif
}

#define INSTANTIATE(T)                                                                                               \
  template void residual<T>(const EntryList<T>&, const std::int32_t*, std::int32_t, const T*, const T*, T*, double*, \
                            double*, cudaStream_t);                                                                  \
  template void max_norm<T>(const T*, std::int32_t, double*, cudaStream_t);                                          \
  template void prepare_residual<T>()
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
