#include <algorithm>
#include <limits>

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/column_signs.cuh"
#include "kernels/cuda/early_launch.cuh"
#include "kernels/cuda/launch_size.cuh"
#include "kernels/cuda/ldlt_values.hpp"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/lu_pivots.cuh"
#include "kernels/cuda/scalar_list.hpp"
#include "kernels/cuda/scaling.cuh"
#include "kernels/cuda/stored_entries.cuh"

namespace gpusupernodal::cuda {
namespace {

/// Whether a sweep is superfluous because the one before changed no scale.
template <class R>
__device__ bool has_converged(const LdltScaleArrays<R>& scales, std::int32_t sweep) {
  return sweep > 0 && scales.changed()[sweep - 1] == 0;
}

/// Raises largest() to the largest exponents of the rows under the present scales.
template <class T>
__global__ void sweep_kernel(const T* values, LdltEntries a, LdltScaleArrays<Real<T>> scales, std::int32_t sweep,
                             const DeviceStatus* status) {
  if (has_converged(scales, sweep)) return;
  const ScaledInput<T> input(status);
  const std::int32_t* const scale = scales.exponent;
  for (std::int64_t k = flat_index(); k < scales.n; k += flat_step()) {
    const std::int32_t exponent = exponent_of(values[a.diagonal[k]]);
    if (exponent > unset_exponent) raise(scales.largest() + k, exponent + 2 * scale[k]);
  }
  for (std::int64_t e = flat_index(); e < a.count; e += flat_step()) {
    const std::int32_t i = a.row[e], j = a.column[e];
    const std::int32_t exponent = exponent_of(input(a.source[e]));
    if (i == j || exponent < unset_exponent) continue;
    const std::int32_t scaled = exponent + scale[i] + scale[j];
    raise(scales.largest() + i, scaled);
    raise(scales.largest() + j, scaled);
  }
}

/// Divides rows and columns by the square roots of the largest entries that a sweep found.
template <class R>
__global__ void adapt_kernel(LdltScaleArrays<R> scales, std::int32_t sweep) {
  constexpr std::int32_t limit = std::numeric_limits<R>::max_exponent - 2;
  if (has_converged(scales, sweep)) return;
  for (std::int64_t k = flat_index(); k < scales.n; k += flat_step()) {
    const std::int32_t found = scales.largest()[k];
    const std::int32_t step = found < unset_exponent ? 0 : found >> 1;
    scales.exponent[k] = min(max(scales.exponent[k] - step, -limit), limit);
    scales.largest()[k] = std::numeric_limits<std::int32_t>::min();
    if (step != 0) scales.changed()[sweep] = 1;
  }
}

/// Stores a scaled entry; returns its magnitude, or 0 if it is not finite.
template <class T>
__device__ double store_scaled(T value, std::int32_t exponent, T* entry) {
  const T scaled = static_cast<T>(scaled_by(value, exponent));
  *entry = scaled;
  return is_finite(scaled) ? wide_magnitude(scaled) : 0.0;
}

template <class T>
__global__ void scale_kernel(T* values, LdltEntries a, LdltScaleArrays<Real<T>> scales, DeviceStatus* status) {
  const ScaledInput<T> input(status);
  double largest = 0.0;
  for (std::int64_t k = flat_index(); k < scales.n; k += flat_step()) {
    const std::int32_t exponent = scales.exponent[k];
    scales.scale[k] = power_of_two<Real<T>>(exponent);
    T* const entry = values + a.diagonal[k];
    largest = fmax(largest, store_scaled(*entry, 2 * exponent, entry));
  }
  for (std::int64_t e = flat_index(); e < a.count; e += flat_step()) {
    const std::int32_t i = a.row[e], j = a.column[e];
    if (i == j) continue;
    const std::int32_t exponent = scales.exponent[i] + scales.exponent[j];
    largest = fmax(largest, store_scaled(input(a.source[e]), exponent, values + a.target[e]));
  }
  for (int step = 16; step > 0; step /= 2) largest = fmax(largest, __shfl_xor_sync(0xffffffffu, largest, step));
  if (threadIdx.x % 32u == 0 && largest > 0.0)
    atomicMax(reinterpret_cast<unsigned long long*>(&status->largest_in_a), magnitude_bits(largest));
}

template <class T>
__global__ void find_failed_kernel(LdltColumns<T> columns, DeviceStatus* status) {
  if (flat_index() == 0 && status->bad_entry != no_entry) status->bad_value = bad_value<T>(status);
  for (std::int64_t j = flat_index(); j < columns.n; j += flat_step()) {
    if (!is_finite(columns.values[columns.diagonal[j]])) atomicMin(&status->failed_column, static_cast<std::int32_t>(j));
  }
}

/// What the pivots of some columns say.
struct PivotSummary {
  double smallest = std::numeric_limits<double>::infinity();
  double largest = 0.0;
  double growth = 0.0;
  unsigned long long key = no_pivot_key;
  std::int32_t replaced = 0;
  std::int32_t negative = 0;

  __device__ void add(double pivot, bool is_replaced, std::int32_t column) {
    const double magnitude = fabs(pivot);
    smallest = fmin(smallest, magnitude);
    largest = fmax(largest, magnitude);
    key = min(key, pivot_key(magnitude, column));
    replaced += is_replaced ? 1 : 0;
    negative += signbit(pivot) ? 1 : 0;
  }
  /// Makes that of lane 0 the summary of the warp.
  __device__ void reduce() {
    for (int step = 16; step > 0; step /= 2) {
      smallest = fmin(smallest, __shfl_xor_sync(0xffffffffu, smallest, step));
      largest = fmax(largest, __shfl_xor_sync(0xffffffffu, largest, step));
      growth = fmax(growth, __shfl_xor_sync(0xffffffffu, growth, step));
      key = min(key, __shfl_xor_sync(0xffffffffu, key, step));
      replaced += __shfl_xor_sync(0xffffffffu, replaced, step);
      negative += __shfl_xor_sync(0xffffffffu, negative, step);
    }
  }
  __device__ void put(DeviceStatus* status) const {
    atomicMin(reinterpret_cast<unsigned long long*>(&status->smallest_pivot), magnitude_bits(smallest));
    atomicMax(reinterpret_cast<unsigned long long*>(&status->largest_pivot), magnitude_bits(largest));
    atomicMax(reinterpret_cast<unsigned long long*>(&status->largest_in_lu), magnitude_bits(growth));
    atomicMin(reinterpret_cast<unsigned long long*>(&status->smallest_pivot_key), key);
    if (replaced > 0) atomicAdd(&status->replaced_pivots, replaced);
    if (negative > 0) atomicAdd(&status->negative_pivots, negative);
  }
};

/// Returns the largest of `largest` and this lane's entries of a column. Most columns are short, so two entries are read
/// before any is compared.
template <class T>
__device__ Real<T> largest_in_column(Real<T> largest, const T* w, std::int32_t rows, int lane) {
  const T first = lane < rows ? w[lane] : T(0);
  const T second = lane + 32 < rows ? w[lane + 32] : T(0);
  largest = fmax(largest, fmax(magnitude(first), magnitude(second)));
  for (std::int32_t i = lane + 64; i < rows; i += 32) largest = fmax(largest, magnitude(w[i]));
  return largest;
}

/// One warp per `per_warp` ≤ 32 columns of W at a time; each of its first lanes has the pivot of one of them.
template <class T>
__global__ void inspect_columns_kernel(LdltColumns<T> columns, int per_warp, DeviceStatus* status) {
  const std::int32_t failed = status->failed_column;
  const Real<T> allowed = smallest_pivot<T>(status, columns.perturbation);
  const int lane = static_cast<int>(threadIdx.x % 32u);
  PivotSummary summary;
  Real<T> largest = Real<T>(0);
  for (std::int64_t first = flat_index() / 32 * per_warp; first < columns.n; first += flat_step() / 32 * per_warp) {
    const std::int64_t j = first + lane;
    const bool has_column = lane < per_warp && j < columns.n;
    const std::int64_t diagonal = has_column ? columns.diagonal[j] : 0;
    const std::int32_t rows = has_column ? columns.rows[j] : 0;
    if (has_column) {
      const T found = columns.pivots[j];
      auto pivot = static_cast<double>(ScalarTraits<T>::real(found));
      if constexpr (ScalarTraits<T>::is_complex) pivot = copysign(wide_magnitude(found), pivot);
      if (j == failed) status->failed_pivot = pivot;
      if (j < failed) summary.add(pivot, is_small_pivot(found, allowed), static_cast<std::int32_t>(j));
    }
#pragma unroll 4
    for (int c = 0; c < per_warp; ++c) {
      const T* const w = columns.values + __shfl_sync(0xffffffffu, diagonal, c);
      largest = largest_in_column(largest, w, __shfl_sync(0xffffffffu, rows, c), lane);
    }
  }
  summary.growth = static_cast<double>(largest) * static_cast<double>(largest);
  summary.reduce();
  if (lane == 0) summary.put(status);
}

constexpr unsigned inspecting_blocks = 1024;

/// Columns for each warp at a time: as many as leave work for all warps.
int columns_per_warp(std::int32_t n) {
  constexpr std::int32_t warps = inspecting_blocks * flat_threads / 32;
  int columns = 1;
  while (columns < 32 && n / (2 * columns) >= warps) columns *= 2;
  return columns;
}

template <class T>
__global__ void signs_kernel(T* y, const T* pivots, std::int64_t count, int padded) {
  await_launch_before();
  let_next_launch_begin();
  for (std::int64_t e = flat_index(); e < count; e += flat_step()) y[e] = with_sign_of(y[e], pivots[e / padded]);
}

}  // namespace

template <class T>
void scale_assembled(T* values, const LdltEntries& entries, const LdltScaleArrays<Real<T>>& scales, DeviceStatus* status,
                     cudaStream_t stream) {
  if (scales.n == 0) return;
  const std::size_t zeros = static_cast<std::size_t>(scales.n) + static_cast<std::size_t>(scales.sweeps);
  GPUSUPERNODAL_CUDA_CHECK(cudaMemsetAsync(scales.exponent, 0, zeros * sizeof(std::int32_t), stream));
  GPUSUPERNODAL_CUDA_CHECK(cudaMemsetAsync(scales.exponent + zeros, unset_byte,
                                           static_cast<std::size_t>(scales.n) * sizeof(std::int32_t), stream));
  const unsigned blocks = flat_blocks(std::max<std::int64_t>(entries.count, scales.n));
  for (std::int32_t sweep = 0; sweep < scales.sweeps; ++sweep) {
    sweep_kernel<T><<<blocks, flat_threads, 0, stream>>>(values, entries, scales, sweep, status);
    adapt_kernel<Real<T>><<<flat_blocks(scales.n), flat_threads, 0, stream>>>(scales, sweep);
  }
  scale_kernel<T><<<blocks, flat_threads, 0, stream>>>(values, entries, scales, status);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("scale_assembled");
}

template <class T>
void inspect_ldlt(const LdltColumns<T>& columns, DeviceStatus* status, cudaStream_t stream) {
  if (columns.n == 0) return;
  find_failed_kernel<T><<<flat_blocks(columns.n), flat_threads, 0, stream>>>(columns, status);
  const int per_warp = columns_per_warp(columns.n);
  const unsigned blocks = std::min(flat_blocks(std::int64_t{32} * columns.n / per_warp), inspecting_blocks);
  inspect_columns_kernel<T><<<blocks, flat_threads, 0, stream>>>(columns, per_warp, status);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("inspect_ldlt");
}

template <class T>
void apply_signs(T* y, const T* pivots, std::int32_t n, int padded, bool early, cudaStream_t stream) {
  if (n == 0) return;
  const std::int64_t count = std::int64_t{n} * padded;
  launch_early(signs_kernel<T>, dim3(flat_blocks(count)), flat_threads, 0, early, stream, y, pivots, count, padded);
}

template <class T>
void prepare_ldlt_values() {
  load_kernels(sweep_kernel<T>, adapt_kernel<Real<T>>, scale_kernel<T>, find_failed_kernel<T>, inspect_columns_kernel<T>,
               signs_kernel<T>);
}

#define INSTANTIATE(T)                                                                                                    \
  template void scale_assembled<T>(T*, const LdltEntries&, const LdltScaleArrays<Real<T>>&, DeviceStatus*, cudaStream_t); \
  template void inspect_ldlt<T>(const LdltColumns<T>&, DeviceStatus*, cudaStream_t);                                      \
  template void apply_signs<T>(T*, const T*, std::int32_t, int, bool, cudaStream_t);                                      \
  template void prepare_ldlt_values<T>()
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
