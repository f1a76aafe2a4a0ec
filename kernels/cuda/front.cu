/// \file
/// Whole small fronts: factorize the panel in shared memory, write it back, and subtract the update from the ancestors.
/// One launch replaces the three of a front that is spread over CTAs, and the panel is read once.

#include "kernels/cuda/load.hpp"
#include "kernels/cuda/scalar_list.hpp"
#include "kernels/cuda/tiny_front.cuh"
#include "kernels/cuda/trace.cuh"
#include "kernels/cuda/trsm_below.cuh"

namespace gpusupernodal::cuda {
namespace {

template <class T, bool InOrder, int Columns, class Data>
__global__ void __launch_bounds__(32 * tiny_warps<T>, tiny_ctas<T, Columns>)
    tiny_kernel(Data data, const FrontTask* tasks, int count) {
  __shared__ __align__(shared_alignment) TinyFrontMemory<T, Columns> memories[tiny_warps<T>];
  const int warp = warp_number();
  const int index = claim_task<InOrder>(data) * tiny_warps<T> + warp;
  const TraceScope traced(data.trace, TracedWork::front, index < count ? tasks[index].panel : 0, blockIdx.x);
  const bool waits = gridDim.x <= ctas_at_once;
  if (index < count) return factor_tiny<InOrder>(data, data.panels[tasks[index].panel], memories[warp], waits);
  await_launch_before();  // A warp without a front must wait too before the next launch may begin.
}

/// Shared memory of a small front: the panel, with columns padded to eight and rows below padded to 32, the scratch of
/// its diagonal block, and its targets.
template <class T>
struct SmallFrontMemory {
  T* s;
  T* reciprocal;
  T* scratch;
  ColumnTarget* targets;

  __device__ explicit SmallFrontMemory(unsigned char* shared) {
    targets = reinterpret_cast<ColumnTarget*>(shared);
    reciprocal = reinterpret_cast<T*>(targets + small_front);
    scratch = reciprocal + tile_size;
    s = scratch + block_memory;
  }
};

template <class T>
__device__ void load_panel(T* s, int stride, const T* base, const PanelInfo& panel) {
  const int width = (panel.width + tile_step - 1) / tile_step * tile_step;
  for (int k = static_cast<int>(threadIdx.x / 32u); k < width; k += block_warps) {
    for (int i = static_cast<int>(threadIdx.x & 31u); i < panel.front; i += 32) {
      const bool valid = k < panel.width && k <= i;
      const std::int64_t from = i + k * static_cast<std::int64_t>(panel.ld);
      copy_async<static_cast<int>(sizeof(T))>(s + k * stride + i, valid ? base + from : base, valid);
    }
  }
  commit_copies();
  wait_for_copies<0>();
  __syncthreads();
}

/// One CTA per front of at most 64 columns and small_front rows. Bytes: as in factor_tiny; flops: w³/3 + r·w² + r²·w.
template <class T, bool InOrder, class Data>
__global__ void __launch_bounds__(block_threads, block_ctas<T>) small_kernel(Data data, const FrontTask* tasks) {
  extern __shared__ __align__(shared_alignment) unsigned char shared[];
  const SmallFrontMemory<T> shared_memory(shared);
  const FrontTask task = tasks[claim_task<InOrder>(data)];
  const TraceScope traced(data.trace, TracedWork::front, task.panel, blockIdx.x);
  const PanelInfo panel = data.panels[task.panel];
  const int warp = static_cast<int>(threadIdx.x / 32u);
  const int width = panel.width;
  const int stride = task.stride;
  T* const s = shared_memory.s;
  T* const base = data.values + panel.offset;
  for (int j = width + static_cast<int>(threadIdx.x); j < panel.front; j += block_threads) {
    shared_memory.targets[j - width] = find_target(data, panel, j);
  }
  await_launch_before();
  let_next_launch_begin();
  load_panel(s, stride, base, panel);
  factor_block(s, stride, shared_memory.reciprocal, shared_memory.scratch, width, pivots_of(data, panel.first_column));
  const auto row_signs = column_signs<is_signed<Data>>(static_cast<const T*>(shared_memory.reciprocal), 1);
  const bool correct =
      inverse_grows<is_signed<Data>, is_adjoint<Data>>(s, stride, shared_memory.reciprocal, shared_memory.scratch, width);
  for (int first = width; first < panel.front; first += tile_size) {
    trsm_tile<true, is_adjoint<Data>>(s, stride, shared_memory.reciprocal, width, correct, s + first, stride,
                                      min(tile_size, panel.front - first),
                                      [&](int i, int j, T value) { s[j * stride + first + i] = row_signs(value, j); });
  }
  __syncthreads();
  for (int k = warp; k < width; k += block_warps) {
    for (int i = static_cast<int>(threadIdx.x & 31u); i < panel.front; i += 32) {
      base[i + k * static_cast<std::int64_t>(panel.ld)] = s[k * stride + i];
    }
  }
  if constexpr (InOrder) {
    for (int j = width + static_cast<int>(threadIdx.x); j < panel.front; j += block_threads)
      await_predecessors(data, panel, j);
    __syncthreads();
  }
  int number = 0;
  for (int row = width; row < panel.front; row += 32) {
    for (int col = width; col <= row; col += 32) {
      if (number++ % block_warps != warp) continue;
      const TilePlace place(0, 0);
      TileSums<T> acc = {};
      const T* const left = s + row;
      for (int k = 0; k < width; k += tile_step) {
        multiply_step<is_adjoint<Data>>(
            left + k * stride, s + col + k * stride, stride, place, acc,
            column_signs<is_signed<Data>>(static_cast<const T*>(s) + k * (stride + 1), stride + 1));
      }
      subtract_sums(data, shared_memory.targets + col - width, row, col, col, panel.front, panel.front, place, acc);
    }
  }
  if constexpr (InOrder) {
    __syncthreads();
    for (int j = width + static_cast<int>(threadIdx.x); j < panel.front; j += block_threads) record_addition(data, panel, j);
  }
}

template <class T, int Columns, class Data>
void launch_tiny(const Data& data, const FrontTask* tasks, int count, cudaStream_t stream) {
  if (count == 0) return;
  auto kernel = tiny_kernel<T, false, Columns, Data>;
  if constexpr (std::is_same_v<Data, FactorData<T>> && Columns != narrow) {
    if (data.tasks_added != nullptr) kernel = tiny_kernel<T, true, Columns, Data>;
  }
  launch_early(kernel, dim3(static_cast<unsigned>((count + tiny_warps<T> - 1) / tiny_warps<T>)), 32 * tiny_warps<T>, 0,
               data.early, stream, data, tasks, count);
}

template <class T, class Data>
void launch_small(const Data& data, const FrontTask* tasks, int count, int entries, cudaStream_t stream) {
  if (count == 0) return;
  auto kernel = small_kernel<T, false, Data>;
  if constexpr (std::is_same_v<Data, FactorData<T>>) {
    if (data.tasks_added != nullptr) kernel = small_kernel<T, true, Data>;
  }
  launch_early(kernel, dim3(static_cast<unsigned>(count)), block_threads, small_front_memory<T>(entries).dynamic_bytes,
               data.early, stream, data, tasks);
}

template <class T, bool InOrder, class Data>
void prepare_small() {
  load_kernels(small_kernel<T, InOrder, Data>);
  GPUSUPERNODAL_CUDA_CHECK(cudaFuncSetAttribute(small_kernel<T, InOrder, Data>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                small_front_memory<T>(small_entries).dynamic_bytes));
}

}  // namespace

template <class T>
void factor_tiny_fronts(const FactorData<T>& data, const FrontTask* tasks, int count, cudaStream_t stream) {
  launch_tiny<T, strip>(data, tasks, count, stream);
}
template <class T>
void factor_tiny_ldlt_fronts(const LdltData<T>& data, const FrontTask* tasks, int count, cudaStream_t stream) {
  as_kernels_take(data, [&](const auto& taken) { launch_tiny<T, strip>(taken, tasks, count, stream); });
}

template <class T>
void factor_narrow_fronts(const FactorData<T>& data, const FrontTask* tasks, int count, cudaStream_t stream) {
  launch_tiny<T, narrow>(data, tasks, count, stream);
}
template <class T>
void factor_narrow_ldlt_fronts(const LdltData<T>& data, const FrontTask* tasks, int count, cudaStream_t stream) {
  as_kernels_take(data, [&](const auto& taken) { launch_tiny<T, narrow>(taken, tasks, count, stream); });
}

template <class T>
void factor_small_fronts(const FactorData<T>& data, const FrontTask* tasks, int count, int entries, cudaStream_t stream) {
  launch_small<T>(data, tasks, count, entries, stream);
}
template <class T>
void factor_small_ldlt_fronts(const LdltData<T>& data, const FrontTask* tasks, int count, int entries, cudaStream_t stream) {
  as_kernels_take(data, [&](const auto& taken) { launch_small<T>(taken, tasks, count, entries, stream); });
}

template <class T>
void prepare_factor_kernels() {
  using Data = FactorData<T>;
  prepare_products<T>();
  prepare_diagonal<T>();
  prepare_trsm<T>();
  load_kernels(tiny_kernel<T, false, narrow, Data>, tiny_kernel<T, false, strip, Data>, tiny_kernel<T, true, strip, Data>);
  prepare_small<T, false, Data>();
  prepare_small<T, true, Data>();
}

namespace {

template <class T, class Data>
void prepare_ldlt_fronts() {
  load_kernels(tiny_kernel<T, false, narrow, Data>, tiny_kernel<T, false, strip, Data>);
  prepare_small<T, false, Data>();
}

}  // namespace

template <class T>
void prepare_ldlt_kernels(bool symmetric) {
  prepare_ldlt_products<T>(symmetric);
  prepare_ldlt_diagonal<T>(symmetric);
  prepare_ldlt_trsm<T>(symmetric);
  if constexpr (ScalarTraits<T>::is_complex) {
    if (symmetric) return prepare_ldlt_fronts<T, SymmetricData<T>>();
  }
  prepare_ldlt_fronts<T, LdltData<T>>();
}

#define INSTANTIATE(T)                                                                                  \
  template void factor_tiny_fronts<T>(const FactorData<T>&, const FrontTask*, int, cudaStream_t);       \
  template void factor_narrow_fronts<T>(const FactorData<T>&, const FrontTask*, int, cudaStream_t);     \
  template void factor_small_fronts<T>(const FactorData<T>&, const FrontTask*, int, int, cudaStream_t); \
  template void prepare_factor_kernels<T>()
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE
#if GPUSUPERNODAL_HAVE_LDLT
#define INSTANTIATE(T)                                                                                     \
  template void factor_tiny_ldlt_fronts<T>(const LdltData<T>&, const FrontTask*, int, cudaStream_t);       \
  template void factor_narrow_ldlt_fronts<T>(const LdltData<T>&, const FrontTask*, int, cudaStream_t);     \
  template void factor_small_ldlt_fronts<T>(const LdltData<T>&, const FrontTask*, int, int, cudaStream_t); \
  template void prepare_ldlt_kernels<T>(bool)
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE
#endif

}  // namespace gpusupernodal::cuda
