/// \file
/// Whole small fronts of LU: factorize both panels in shared memory, write them back, and subtract the updates from the
/// ancestors, as front.cu does.

#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/early_launch.cuh"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/lu_block.cuh"
#include "kernels/cuda/lu_tiny_front.cuh"
#include "kernels/cuda/scalar_list.hpp"
#include "kernels/cuda/subtract.cuh"
#include "kernels/cuda/trace.cuh"
#include "kernels/cuda/trsm_below.cuh"

namespace gpusupernodal::cuda {
namespace {

template <class T, int Columns>
__global__ void __launch_bounds__(32 * lu_tiny_warps<T, Columns>)
    tiny_lu_kernel(LuData<T> lu, const FrontTask* tasks, int count) {
  __shared__ __align__(shared_alignment) TinyLuMemory<T, Columns> memories[lu_tiny_warps<T, Columns>];
  const int warp = warp_number();
  const int index = static_cast<int>(blockIdx.x) * lu_tiny_warps<T, Columns> + warp;
  const TraceScope traced(lu.data.trace, TracedWork::front, index < count ? tasks[index].panel : 0, blockIdx.x);
  const bool waits = gridDim.x <= ctas_at_once;
  if (index < count) return factor_tiny_lu(lu, lu.data.panels[tasks[index].panel], memories[warp], waits);
  await_launch_before();  // A warp without a front must wait too before the next launch may begin.
}

/// Shared memory of a small front. It holds both panels, with columns padded to eight and rows below padded to 32. It also
/// holds the reciprocals of the diagonals, scratch memory for the diagonal block, and the targets of the updates.
template <class T>
struct SmallLuMemory {
  LuSquares<T> panels;
  T* reciprocal;  ///< Reciprocals of U's diagonal.
  T* ones;        ///< Ones, the diagonal of L.
  T* scratch;
  ColumnTarget* targets;

  __device__ SmallLuMemory(unsigned char* shared, int width, int stride) {
    targets = reinterpret_cast<ColumnTarget*>(shared);
    reciprocal = reinterpret_cast<T*>(targets + small_front);
    ones = reciprocal + tile_size;
    scratch = ones + tile_size;
    panels.l = scratch + lu_block_memory;
    panels.u = panels.l + (width + tile_step - 1) / tile_step * tile_step * stride;
  }
};

/// Starts to copy the lower part of a panel; the other entries become zero.
template <class T>
__device__ void copy_panel(T* s, int stride, const T* base, const PanelInfo& panel) {
  const int width = (panel.width + tile_step - 1) / tile_step * tile_step;
  for (int k = static_cast<int>(threadIdx.x / 32u); k < width; k += block_warps) {
    for (int i = static_cast<int>(threadIdx.x & 31u); i < panel.front; i += 32) {
      const bool valid = k < panel.width && k <= i;
      const std::int64_t from = i + k * static_cast<std::int64_t>(panel.ld);
      copy_async<static_cast<int>(sizeof(T))>(s + k * stride + i, valid ? base + from : base, valid);
    }
  }
}

/// Whether products with an inverse of either triangle could lose more digits than substitution.
template <class T>
__device__ bool inverses_grow(const LuSquares<T>& panels, int stride, const T* reciprocal, T* scratch, int width) {
  const int i = static_cast<int>(threadIdx.x) % tile_size;
  Real<T> rows[2] = {Real<T>(1), Real<T>(0)};  // A row of L, whose diagonal is 1, and one of Uᵀ.
  Real<T> columns[2] = {Real<T>(1), i < width ? magnitude_bound(reciprocal[i]) : Real<T>(0)};
  for (int k = static_cast<int>(threadIdx.x) / tile_size; k < width && i < width; k += block_threads / tile_size) {
    const Real<T> entries[2] = {magnitude_bound(panels.l[k * stride + i]), magnitude_bound(panels.u[k * stride + i])};
#pragma unroll
    for (int p = 0; p < 2; ++p) {
      if (k <= i) rows[p] = max(rows[p], entries[p]);
      if (k > i) columns[p] = max(columns[p], entries[p]);
    }
  }
  auto* const shared_memory = reinterpret_cast<Real<T>*>(scratch);
  const bool of_l = inverse_grows(rows[0], columns[0], shared_memory);
  return inverse_grows(rows[1], columns[1], shared_memory) || of_l;
}

/// Solves for a panel's rows below with the triangle `s` of the other panel.
template <class T>
__device__ void solve_rows(T* rows, const T* s, int stride, const T* reciprocal, bool correct, const PanelInfo& panel) {
  for (int first = panel.width; first < panel.front; first += tile_size) {
    trsm_tile<true, false>(s, stride, reciprocal, panel.width, correct, rows + first, stride,
                           min(tile_size, panel.front - first),
                           [&](int i, int j, T value) { rows[j * stride + first + i] = value; });
  }
}

template <class T>
__device__ void store_panel(const T* s, int stride, T* base, const PanelInfo& panel) {
  for (int k = static_cast<int>(threadIdx.x / 32u); k < panel.width; k += block_warps) {
    for (int i = static_cast<int>(threadIdx.x & 31u); i < panel.front; i += 32)
      base[i + k * static_cast<std::int64_t>(panel.ld)] = s[k * stride + i];
  }
}

/// Subtracts left·rightᵀ of the rows below from the ancestors in data.values. `number` counts the tiles, which the warps
/// take in turns.
template <class T>
__device__ void subtract_update(const FactorData<T>& data, const T* left, const T* right, int stride,
                                const ColumnTarget* targets, const PanelInfo& panel, int& number) {
  const int warp = static_cast<int>(threadIdx.x / 32u);
  for (int row = panel.width; row < panel.front; row += 32) {
    for (int col = panel.width; col <= row; col += 32) {
      if (number++ % block_warps != warp) continue;
      const TilePlace place(0, 0);
      TileSums<T> acc = {};
      for (int k = 0; k < panel.width; k += tile_step)
        multiply_step<false>(left + row + k * stride, right + col + k * stride, stride, place, acc);
      subtract_sums(data, targets + col - panel.width, row, col, col, panel.front, panel.front, place, acc);
    }
  }
}

/// One CTA per front of at most 64 columns and small_front rows. Bytes: 32 per entry of the panel; flops: twice those of
/// Cholesky.
template <class T>
__global__ void __launch_bounds__(block_threads) small_lu_kernel(LuData<T> lu, const FrontTask* tasks) {
  extern __shared__ __align__(shared_alignment) unsigned char shared[];
  const FrontTask task = tasks[blockIdx.x];
  const TraceScope traced(lu.data.trace, TracedWork::front, task.panel, blockIdx.x);
  const PanelInfo panel = lu.data.panels[task.panel];
  const int stride = task.stride;
  const SmallLuMemory<T> own(shared, panel.width, stride);
  T* const base = lu.data.values + panel.offset;
  for (int j = panel.width + static_cast<int>(threadIdx.x); j < panel.front; j += block_threads)
    own.targets[j - panel.width] = find_target(lu.data, panel, j);
  if (threadIdx.x < tile_size) own.ones[threadIdx.x] = T(1);
  await_launch_before();
  let_next_launch_begin();
  copy_panel(own.panels.l, stride, base, panel);
  copy_panel(own.panels.u, stride, base + lu.partner, panel);
  commit_copies();
  wait_for_copies<0>();
  __syncthreads();
  factor_lu_block(own.panels, stride, own.reciprocal, own.scratch, panel.width, smallest_pivot<T>(lu),
                  LuPivotReport{lu.status, panel.first_column});
  const bool correct = inverses_grow(own.panels, stride, own.reciprocal, own.scratch, panel.width);
  solve_rows(own.panels.l, own.panels.u, stride, own.reciprocal, correct, panel);
  solve_rows(own.panels.u, own.panels.l, stride, own.ones, correct, panel);
  __syncthreads();
  store_panel(own.panels.l, stride, base, panel);
  store_panel(own.panels.u, stride, base + lu.partner, panel);
  FactorData<T> partner = lu.data;
  partner.values += lu.partner;
  int number = 0;
  subtract_update(lu.data, own.panels.l, own.panels.u, stride, own.targets, panel, number);
  subtract_update(partner, own.panels.u, own.panels.l, stride, own.targets, panel, number);
}

template <class T, int Columns>
void launch_tiny(const LuData<T>& lu, const FrontTask* tasks, int count, cudaStream_t stream) {
  if (count == 0) return;
  constexpr int warps = lu_tiny_warps<T, Columns>;
  launch_early(tiny_lu_kernel<T, Columns>, dim3(static_cast<unsigned>((count + warps - 1) / warps)), 32 * warps, 0,
               lu.data.early, stream, lu, tasks, count);
}

}  // namespace

template <class T>
void factor_tiny_lu_fronts(const LuData<T>& lu, const FrontTask* tasks, int count, cudaStream_t stream) {
  launch_tiny<T, strip>(lu, tasks, count, stream);
}

template <class T>
void factor_narrow_lu_fronts(const LuData<T>& lu, const FrontTask* tasks, int count, cudaStream_t stream) {
  launch_tiny<T, narrow_width>(lu, tasks, count, stream);
}

template <class T>
void factor_small_lu_fronts(const LuData<T>& lu, const FrontTask* tasks, int count, int entries, cudaStream_t stream) {
  if (count == 0) return;
  launch_early(small_lu_kernel<T>, dim3(static_cast<unsigned>(count)), block_threads,
               small_lu_front_memory<T>(entries).dynamic_bytes, lu.data.early, stream, lu, tasks);
}

template <class T>
void prepare_lu_kernels() {
  prepare_lu_products<T>();
  prepare_lu_diagonal<T>();
  prepare_lu_trsm<T>();
  load_kernels(tiny_lu_kernel<T, narrow_width>, tiny_lu_kernel<T, strip>, small_lu_kernel<T>);
  GPUSUPERNODAL_CUDA_CHECK(cudaFuncSetAttribute(small_lu_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                small_lu_front_memory<T>(small_entries / 2).dynamic_bytes));
}

#define INSTANTIATE(T)                                                                                 \
  template void factor_tiny_lu_fronts<T>(const LuData<T>&, const FrontTask*, int, cudaStream_t);       \
  template void factor_narrow_lu_fronts<T>(const LuData<T>&, const FrontTask*, int, cudaStream_t);     \
  template void factor_small_lu_fronts<T>(const LuData<T>&, const FrontTask*, int, int, cudaStream_t); \
  template void prepare_lu_kernels<T>()
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
