#include <algorithm>
#include <limits>

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/launch_size.cuh"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/scalar_list.hpp"
#include "kernels/cuda/scaling.cuh"
#include "kernels/cuda/stored_entries.cuh"
#include "kernels/cuda/value_kernels.hpp"

namespace gpusupernodal::cuda {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

#ifndef GPUSUPERNODAL_COMPLEX_KERNELS
__global__ void reset_kernel(ResetArguments arguments) {
  const std::int64_t packs = arguments.zeroed_bytes / static_cast<std::int64_t>(sizeof(int4));
  const std::int64_t words = arguments.zeroed_bytes / static_cast<std::int64_t>(sizeof(int));
  for (std::int64_t i = flat_index(); i < packs; i += flat_step())
    static_cast<int4*>(arguments.zeroed)[i] = make_int4(0, 0, 0, 0);
  const std::int64_t last = packs * static_cast<std::int64_t>(sizeof(int4) / sizeof(int)) + flat_index();
  if (last < words) static_cast<int*>(arguments.zeroed)[last] = 0;
  for (std::int64_t i = flat_index(); i < arguments.exponent_count; i += flat_step())
    arguments.exponents[i] = static_cast<std::int32_t>(unset_byte * 0x01010101U);
  if (flat_index() != 0) return;
  DeviceStatus* const status = arguments.status;
  *status = DeviceStatus();
  status->values = arguments.values;
  status->scale = arguments.scale;
  status->bad_entry = no_entry;
  status->failed_column = no_column;
  status->smallest_pivot = static_cast<std::uint64_t>(__double_as_longlong(infinity));
  status->smallest_pivot_key = no_pivot_key;
}

__global__ void take_failure_kernel(DeviceStatus* status, const DeviceStatus* other) {
  if (other->failed_column != no_column) status->failed_column = 0;
}
#endif

/// 16 bytes of values.
template <class T>
struct alignas(16) Pack {
  static constexpr int size = 16 / static_cast<int>(sizeof(T));
  T values[size];
};

/// Packs that a thread reads before it adds any: another device answers late.
constexpr int packs_at_once = 4;

template <class T>
__global__ void add_values_kernel(Pack<T>* to, const Pack<T>* from, std::int64_t count) {
  for (std::int64_t i = flat_index(); i < count; i += packs_at_once * flat_step()) {
    Pack<T> added[packs_at_once];
#pragma unroll
    for (int k = 0; k < packs_at_once; ++k) {
      if (i + k * flat_step() < count) added[k] = from[i + k * flat_step()];
    }
#pragma unroll
    for (int k = 0; k < packs_at_once; ++k) {
      if (i + k * flat_step() >= count) break;
      Pack<T> sum = to[i + k * flat_step()];
#pragma unroll
      for (int v = 0; v < Pack<T>::size; ++v) sum.values[v] += added[k].values[v];
      to[i + k * flat_step()] = sum;
    }
  }
}

/// 16 bytes of indices and 8 + 8 of values per entry. Each target that is read occurs once, so nothing is accumulated. With
/// several devices, entries of others share targets that nothing reads.
template <class T>
__global__ void assemble_kernel(T* values, const std::int64_t* source, const std::int64_t* target, std::int64_t count,
                                bool check_finite, DeviceStatus* status) {
  const T* const a = static_cast<const T*>(status->values);
  const auto scale = static_cast<Real<T>>(status->scale);
  for (std::int64_t e = flat_index(); e < count; e += flat_step()) {
    const std::int64_t from = source[e];
    const T value = entry_of(a, from);
    if (check_finite && !is_finite(value)) {
      atomicMin(reinterpret_cast<long long*>(&status->bad_entry), static_cast<long long>(place_of<T>(from)));
    }
    values[target[e]] = scale * value;
  }
}

template <class T>
__global__ void shift_kernel(T* values, const std::int64_t* diagonal, std::int32_t n, Real<T> shift) {
  for (std::int64_t j = flat_index(); j < n; j += flat_step()) values[diagonal[j]] += shift;
}

#ifdef GPUSUPERNODAL_COMPLEX_KERNELS
template <class T>
__global__ void real_diagonal_kernel(T* values, const std::int64_t* diagonal, std::int32_t n, Real<T> bound) {
  for (std::int64_t j = flat_index(); j < n; j += flat_step()) {
    const T entry = values[diagonal[j]];
    const bool is_real = fabs(entry.im) <= bound * fabs(entry.re);
    values[diagonal[j]] = is_real ? T(entry.re) : T(std::numeric_limits<Real<T>>::quiet_NaN());
  }
}
#endif

template <class T>
__device__ bool is_pivot(T root) {
  return root > T(0) && isfinite(root);
}

template <class T>
__global__ void find_failed_kernel(const T* values, const std::int64_t* diagonal, std::int32_t first, std::int32_t n,
                                   DeviceStatus* status) {
  if (flat_index() == 0 && status->bad_entry != no_entry) {
    status->bad_value = bad_value<T>(status);
  }
  for (std::int64_t j = flat_index(); j < n; j += flat_step()) {
    if (!is_pivot(ScalarTraits<T>::real(values[diagonal[j]])))
      atomicMin(&status->failed_column, first + static_cast<std::int32_t>(j));
  }
}

constexpr unsigned pivot_blocks = 256;

/// One atomic per warp, so few CTAs are best. Pivots are not negative, so their bit patterns order as integers.
template <class T>
__global__ void pivot_range_kernel(const T* values, const std::int64_t* diagonal, std::int32_t first, std::int32_t n,
                                   DeviceStatus* status) {
  const std::int64_t failed = std::int64_t{status->failed_column} - first;
  double smallest = infinity;
  double largest = 0.0;
  for (std::int64_t j = flat_index(); j < n; j += flat_step()) {
    const double root = static_cast<double>(ScalarTraits<T>::real(values[diagonal[j]]));
    if (j == failed) status->failed_pivot = root;
    if (j >= failed) continue;
    smallest = fmin(smallest, root * root);
    largest = fmax(largest, root * root);
  }
  for (int step = 16; step > 0; step /= 2) {
    smallest = fmin(smallest, __shfl_xor_sync(0xffffffffu, smallest, step));
    largest = fmax(largest, __shfl_xor_sync(0xffffffffu, largest, step));
  }
  if (threadIdx.x % 32u != 0) return;
  atomicMin(reinterpret_cast<unsigned long long*>(&status->smallest_pivot),
            static_cast<unsigned long long>(__double_as_longlong(smallest)));
  atomicMax(reinterpret_cast<unsigned long long*>(&status->largest_pivot),
            static_cast<unsigned long long>(__double_as_longlong(largest)));
}

template <class T>
__global__ void gather_kernel(const T* values, const std::int64_t* diagonal, std::int32_t n, T* to) {
  for (std::int64_t j = flat_index(); j < n; j += flat_step()) to[j] = values[diagonal[j]];
}

}  // namespace

#ifndef GPUSUPERNODAL_COMPLEX_KERNELS
namespace {

unsigned reset_blocks(const ResetArguments& arguments) {
  return flat_blocks(std::max(arguments.zeroed_bytes / static_cast<std::int64_t>(sizeof(int4)), arguments.exponent_count));
}

}  // namespace

void reset_status(const ResetArguments& arguments, cudaStream_t stream) {
  reset_kernel<<<reset_blocks(arguments), flat_threads, 0, stream>>>(arguments);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("reset_status");
}

void replace_reset(cudaGraphExec_t graph, cudaGraphNode_t node, const ResetArguments& arguments) {
  ResetArguments copy = arguments;
  void* pointers[] = {&copy};
  cudaKernelNodeParams parameters = {};
  parameters.func = reinterpret_cast<void*>(reset_kernel);
  parameters.gridDim = dim3(reset_blocks(arguments), 1, 1);
  parameters.blockDim = dim3(flat_threads, 1, 1);
  parameters.kernelParams = pointers;
  GPUSUPERNODAL_CUDA_CHECK(cudaGraphExecKernelNodeSetParams(graph, node, &parameters));
}

void prepare_reset() { load_kernels(reset_kernel, take_failure_kernel); }

void take_failure(DeviceStatus* status, const DeviceStatus* other, cudaStream_t stream) {
  take_failure_kernel<<<1, 1, 0, stream>>>(status, other);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("take_failure");
}
#endif

template <class T>
void assemble(T* values, const std::int64_t* source, const std::int64_t* target, std::int64_t count, bool check_finite,
              DeviceStatus* status, cudaStream_t stream) {
  if (count == 0) return;
  assemble_kernel<T><<<flat_blocks(count), flat_threads, 0, stream>>>(values, source, target, count, check_finite, status);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("assemble");
}

template <class T>
void shift_diagonal(T* values, const std::int64_t* diagonal, std::int32_t n, typename ScalarTraits<T>::Real shift,
                    cudaStream_t stream) {
  if (n == 0) return;
  shift_kernel<T><<<flat_blocks(n), flat_threads, 0, stream>>>(values, diagonal, n, shift);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("shift_diagonal");
}

#ifdef GPUSUPERNODAL_COMPLEX_KERNELS
template <class T>
void keep_real_diagonal(T* values, const std::int64_t* diagonal, std::int32_t n, std::int32_t order, cudaStream_t stream) {
  if (n == 0) return;
  const Real<T> bound = Real<T>(100) * static_cast<Real<T>>(order) * std::numeric_limits<Real<T>>::epsilon();
  real_diagonal_kernel<T><<<flat_blocks(n), flat_threads, 0, stream>>>(values, diagonal, n, bound);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("keep_real_diagonal");
}
template void keep_real_diagonal<Complex<float>>(Complex<float>*, const std::int64_t*, std::int32_t, std::int32_t,
                                                 cudaStream_t);
template void keep_real_diagonal<Complex<double>>(Complex<double>*, const std::int64_t*, std::int32_t, std::int32_t,
                                                  cudaStream_t);
#endif

template <class T>
void inspect_pivots(const T* values, const std::int64_t* diagonal, std::int32_t first, std::int32_t n, DeviceStatus* status,
                    cudaStream_t stream) {
  if (n == 0) return;
  find_failed_kernel<T><<<flat_blocks(n), flat_threads, 0, stream>>>(values, diagonal + first, first, n, status);
  pivot_range_kernel<T>
      <<<std::min(flat_blocks(n), pivot_blocks), flat_threads, 0, stream>>>(values, diagonal + first, first, n, status);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("inspect_pivots");
}

template <class T>
void gather_diagonal(const T* values, const std::int64_t* diagonal, std::int32_t n, T* to, cudaStream_t stream) {
  if (n == 0) return;
  gather_kernel<T><<<flat_blocks(n), flat_threads, 0, stream>>>(values, diagonal, n, to);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("gather_diagonal");
}

template <class T>
void add_values(T* to, const T* from, std::int64_t count, cudaStream_t stream) {
  if (count == 0) return;
  const std::int64_t packs = count / Pack<T>::size;
  add_values_kernel<T><<<flat_blocks(packs), flat_threads, 0, stream>>>(reinterpret_cast<Pack<T>*>(to),
                                                                        reinterpret_cast<const Pack<T>*>(from), packs);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("add_values");
}

template <class T>
void prepare_value_kernels() {
  prepare_reset();
#ifdef GPUSUPERNODAL_COMPLEX_KERNELS
  load_kernels(real_diagonal_kernel<T>);
#endif
  load_kernels(assemble_kernel<T>, shift_kernel<T>, find_failed_kernel<T>, pivot_range_kernel<T>, gather_kernel<T>,
               add_values_kernel<T>);
}

#define INSTANTIATE(T)                                                                                                      \
  template void assemble<T>(T*, const std::int64_t*, const std::int64_t*, std::int64_t, bool, DeviceStatus*, cudaStream_t); \
                                                                                                                            \
  template void shift_diagonal<T>(T*, const std::int64_t*, std::int32_t, typename ScalarTraits<T>::Real, cudaStream_t);     \
  template void inspect_pivots<T>(const T*, const std::int64_t*, std::int32_t, std::int32_t, DeviceStatus*, cudaStream_t);  \
  template void add_values<T>(T*, const T*, std::int64_t, cudaStream_t);                                                    \
  template void gather_diagonal<T>(const T*, const std::int64_t*, std::int32_t, T*, cudaStream_t);                          \
  template void prepare_value_kernels<T>()
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
