#include <algorithm>
#include <limits>

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/early_launch.cuh"
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
  await_launch_before();
  let_next_launch_begin();
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
  await_launch_before();
  let_next_launch_begin();
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

/// What an inspection finds in some columns.
struct Inspected {
  double smallest = std::numeric_limits<double>::infinity();
  double largest = 0.0;
  double growth = 0.0;
  unsigned long long key = no_pivot_key;

  __device__ void join(const Inspected& other) {
    smallest = fmin(smallest, other.smallest);
    largest = fmax(largest, other.largest);
    growth = fmax(growth, other.growth);
    key = min(key, other.key);
  }
};

/// Inspects column j of L and row j of U by one warp; all lanes return the same.
template <class T>
__device__ Inspected inspect_column(const LuColumns<T>& columns, std::int64_t j, std::int32_t failed, DeviceStatus* status) {
  const int lane = static_cast<int>(threadIdx.x % 32u);
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
  Inspected found;
  found.growth = of_l * of_u;
  if (j == failed && lane == 0) status->failed_pivot = ScalarTraits<T>::non_finite_part(u[0]);
  if (j >= failed) return found;
  const double pivot = wide_magnitude(u[0]);
  found.smallest = found.largest = pivot;
  found.key = pivot_key(pivot, static_cast<std::int32_t>(j));
  return found;
}

/// One warp per column at a time, and one atomic of each kind per CTA: thousands of them at one address would take longer
/// than reading the factors.
template <class T>
__global__ void inspect_kernel(LuColumns<T> columns, DeviceStatus* status) {
  constexpr int warps = flat_threads / 32;
  __shared__ Inspected of_warps[warps];
  await_launch_before();
  if (flat_index() == 0 && status->bad_entry != no_entry) status->bad_value = bad_value<T>(status);
  const std::int32_t failed = status->failed_column;
  Inspected found;
  for (std::int64_t j = flat_index() / 32; j < columns.n; j += flat_step() / 32)
    found.join(inspect_column(columns, j, failed, status));
  if (threadIdx.x % 32u == 0) of_warps[threadIdx.x / 32u] = found;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < warps; ++warp) found.join(of_warps[warp]);
  atomicMin(reinterpret_cast<unsigned long long*>(&status->smallest_pivot), magnitude_bits(found.smallest));
  atomicMax(reinterpret_cast<unsigned long long*>(&status->largest_pivot), magnitude_bits(found.largest));
  atomicMax(reinterpret_cast<unsigned long long*>(&status->largest_in_lu), magnitude_bits(found.growth));
  atomicMin(reinterpret_cast<unsigned long long*>(&status->smallest_pivot_key), found.key);
}

constexpr unsigned inspecting_blocks = 528;

}  // namespace

template <class T>
void assemble_scaled(T* values, const LuEntries& entries, const LuScaleArrays<Real<T>>& scales, bool check_finite,
                     DeviceStatus* status, bool early, cudaStream_t stream) {
  if (scales.n == 0) return;
  const unsigned blocks = flat_blocks(std::max<std::int64_t>(entries.count, scales.n));
  for (std::int32_t sweep = 0; sweep < scales.sweeps; ++sweep)
    launch_early(sweep_kernel<T>, dim3(blocks), flat_threads, 0, early, stream, entries, scales, sweep, status);
  launch_early(assemble_scaled_kernel<T>, dim3(blocks), flat_threads, 0, early, stream, values, entries, scales,
               check_finite, status);
}

template <class T>
void inspect_lu(const LuColumns<T>& columns, DeviceStatus* status, bool early, cudaStream_t stream) {
  if (columns.n == 0) return;
  const unsigned blocks = std::min(flat_blocks(std::int64_t{32} * columns.n), inspecting_blocks);
  launch_early(inspect_kernel<T>, dim3(blocks), flat_threads, 0, early, stream, columns, status);
}

template <class T>
void prepare_lu_values() {
  load_kernels(sweep_kernel<T>, assemble_scaled_kernel<T>, inspect_kernel<T>);
}

#define INSTANTIATE(T)                                                                                             \
  template void assemble_scaled<T>(T*, const LuEntries&, const LuScaleArrays<Real<T>>&, bool, DeviceStatus*, bool, \
                                   cudaStream_t);                                                                  \
  template void inspect_lu<T>(const LuColumns<T>&, DeviceStatus*, bool, cudaStream_t);                             \
  template void prepare_lu_values<T>()
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
