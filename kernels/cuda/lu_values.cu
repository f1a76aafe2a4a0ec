#include <algorithm>
#include <limits>

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/launch_size.cuh"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/lu_pivots.cuh"
#include "kernels/cuda/lu_values.hpp"
#include "kernels/cuda/scalar_list.hpp"
#include "kernels/cuda/scaling.cuh"
#include "kernels/cuda/stored_entries.cuh"

namespace gpusupernodal::cuda {
namespace {

/// Scales of rows and columns after some sweeps.
template <class T>
struct SweptScales {
  const LuScaleArrays<Real<T>>& arrays;
  std::int32_t sweeps;

  __device__ std::int32_t row(std::int32_t k) const { return of(arrays.start_row, arrays.largest, k); }
  __device__ std::int32_t column(std::int32_t k) const { return of(arrays.start_column, arrays.largest + arrays.n, k); }

 private:
  __device__ std::int32_t of(const std::int32_t* start, const std::int32_t* largest, std::int32_t k) const {
    return scale_exponent<Real<T>>(start, largest, 2 * static_cast<std::int64_t>(arrays.n), sweeps, k);
  }
};

/// Largest exponents of rows and columns under the scales of the sweeps before.
template <class T>
__global__ void sweep_kernel(LuEntries a, LuScaleArrays<Real<T>> arrays, std::int32_t sweep, const DeviceStatus* status) {
  const ScaledInput<T> input(status);
  const SweptScales<T> scales{arrays, sweep};
  std::int32_t* const largest = arrays.largest + sweep * 2 * static_cast<std::int64_t>(arrays.n);
  for (std::int64_t e = flat_index(); e < a.count; e += flat_step()) {
    const std::int32_t exponent = exponent_of(input(a.source[e]));
    if (exponent < unset_exponent) continue;
    const std::int32_t scaled = exponent + scales.row(a.row[e]) + scales.column(a.column[e]);
    raise(largest + a.row[e], scaled);
    raise(largest + arrays.n + a.column[e], scaled);
  }
}

template <class T>
__global__ void assemble_scaled_kernel(T* values, LuEntries a, LuScaleArrays<Real<T>> arrays, bool check_finite,
                                       DeviceStatus* status) {
  const ScaledInput<T> input(status);
  const SweptScales<T> scales{arrays, arrays.sweeps};
  for (std::int64_t k = flat_index(); k < arrays.n; k += flat_step()) {
    arrays.row[k] = power_of_two<Real<T>>(scales.row(static_cast<std::int32_t>(k)));
    arrays.column[k] = power_of_two<Real<T>>(scales.column(static_cast<std::int32_t>(k)));
  }
  double largest = 0.0;
  for (std::int64_t e = flat_index(); e < a.count; e += flat_step()) {
    if (check_finite && !is_finite(input.values[a.source[e]])) {
      atomicMin(reinterpret_cast<long long*>(&status->bad_entry), static_cast<long long>(a.source[e]));
    }
    const auto scaled = scaled_by(input(a.source[e]), scales.row(a.row[e]) + scales.column(a.column[e]));
    values[a.target[e]] = static_cast<T>(scaled);
    if (is_finite(scaled)) largest = fmax(largest, wide_magnitude(scaled));
  }
  for (int step = 16; step > 0; step /= 2) largest = fmax(largest, __shfl_xor_sync(0xffffffffu, largest, step));
  if (threadIdx.x % 32u == 0 && largest > 0.0)
    atomicMax(reinterpret_cast<unsigned long long*>(&status->largest_in_a), magnitude_bits(largest));
}

template <class T>
__global__ void find_failed_kernel(LuColumns<T> columns, DeviceStatus* status) {
  if (flat_index() == 0 && status->bad_entry != no_entry) status->bad_value = bad_value<T>(status);
  for (std::int64_t j = flat_index(); j < columns.n; j += flat_step()) {
    if (!is_finite(columns.values[columns.partner + columns.diagonal[j]]))
      atomicMin(&status->failed_column, static_cast<std::int32_t>(j));
  }
}

/// One warp per column of L and row of U.
template <class T>
__global__ void inspect_columns_kernel(LuColumns<T> columns, DeviceStatus* status) {
  const std::int32_t failed = status->failed_column;
  const int lane = static_cast<int>(threadIdx.x % 32u);
  double smallest = std::numeric_limits<double>::infinity(), largest = 0.0, growth = 0.0;
  unsigned long long key = no_pivot_key;
  for (std::int64_t j = flat_index() / 32; j < columns.n; j += flat_step() / 32) {
    const T* const l = columns.values + columns.diagonal[j];
    const T* const u = l + columns.partner;
    double of_l = 0.0, of_u = 0.0;
    for (std::int32_t i = lane; i < columns.rows[j]; i += 32) {
      of_l = fmax(of_l, wide_magnitude(l[i]));
      of_u = fmax(of_u, wide_magnitude(u[i]));
    }
    for (int step = 16; step > 0; step /= 2) {
      of_l = fmax(of_l, __shfl_xor_sync(0xffffffffu, of_l, step));
      of_u = fmax(of_u, __shfl_xor_sync(0xffffffffu, of_u, step));
    }
    growth = fmax(growth, of_l * of_u);
    const double pivot = wide_magnitude(u[0]);
    if (j == failed && lane == 0) status->failed_pivot = ScalarTraits<T>::non_finite_part(u[0]);
    if (j >= failed) continue;
    smallest = fmin(smallest, pivot);
    largest = fmax(largest, pivot);
    key = min(key, pivot_key(pivot, static_cast<std::int32_t>(j)));
  }
  if (lane != 0) return;
  atomicMin(reinterpret_cast<unsigned long long*>(&status->smallest_pivot), magnitude_bits(smallest));
  atomicMax(reinterpret_cast<unsigned long long*>(&status->largest_pivot), magnitude_bits(largest));
  atomicMax(reinterpret_cast<unsigned long long*>(&status->largest_in_lu), magnitude_bits(growth));
  atomicMin(reinterpret_cast<unsigned long long*>(&status->smallest_pivot_key), key);
}

constexpr unsigned inspecting_blocks = 1024;

}  // namespace

template <class T>
void assemble_scaled(T* values, const LuEntries& entries, const LuScaleArrays<Real<T>>& scales, bool check_finite,
                     DeviceStatus* status, cudaStream_t stream) {
  if (scales.n == 0) return;
  GPUSUPERNODAL_CUDA_CHECK(cudaMemsetAsync(
      scales.largest, unset_byte,
      2 * sizeof(std::int32_t) * static_cast<std::size_t>(scales.n) * static_cast<std::size_t>(scales.sweeps), stream));
  const unsigned blocks = flat_blocks(std::max<std::int64_t>(entries.count, scales.n));
  for (std::int32_t sweep = 0; sweep < scales.sweeps; ++sweep)
    sweep_kernel<T><<<blocks, flat_threads, 0, stream>>>(entries, scales, sweep, status);
  assemble_scaled_kernel<T><<<blocks, flat_threads, 0, stream>>>(values, entries, scales, check_finite, status);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("assemble_scaled");
}

template <class T>
void inspect_lu(const LuColumns<T>& columns, DeviceStatus* status, cudaStream_t stream) {
  if (columns.n == 0) return;
  find_failed_kernel<T><<<flat_blocks(columns.n), flat_threads, 0, stream>>>(columns, status);
  const unsigned blocks = std::min(flat_blocks(std::int64_t{32} * columns.n), inspecting_blocks);
  inspect_columns_kernel<T><<<blocks, flat_threads, 0, stream>>>(columns, status);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("inspect_lu");
}

template <class T>
void prepare_lu_values() {
  load_kernels(sweep_kernel<T>, assemble_scaled_kernel<T>, find_failed_kernel<T>, inspect_columns_kernel<T>);
}

#define INSTANTIATE(T)                                                                                                      \
  template void assemble_scaled<T>(T*, const LuEntries&, const LuScaleArrays<Real<T>>&, bool, DeviceStatus*, cudaStream_t); \
  template void inspect_lu<T>(const LuColumns<T>&, DeviceStatus*, cudaStream_t);                                            \
  template void prepare_lu_values<T>()
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
