/// \file
/// Diagonal blocks of up to 64 columns of LU: L and Uᵀ, and above their diagonals the transposes of their inverses, so that
/// trsm tasks and solves are products without a chain of dependent steps.

#include "kernels/cuda/diagonal_block.cuh"
#include "kernels/cuda/early_launch.cuh"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/lu_block.cuh"
#include "kernels/cuda/lu_kernels.hpp"
#include "kernels/cuda/scalar_list.hpp"
#include "kernels/cuda/trace.cuh"

namespace gpusupernodal::cuda {
namespace {

constexpr int columns_per_round = block_threads / tile_size;

/// Loads a block's lower triangle, with zeros above the diagonal.
template <class T>
__device__ void load_lower(T* s, const T* diagonal, std::int64_t ld, int width) {
  const int t = static_cast<int>(threadIdx.x);
  const int i = t % tile_size;
  T entry[tile_size / columns_per_round];
#pragma unroll
  for (int r = 0; r < tile_size / columns_per_round; ++r) {
    const int k = r * columns_per_round + t / tile_size;
    entry[r] = k <= i && i < width ? load_l2(diagonal + i + k * ld) : T(0);
  }
#pragma unroll
  for (int r = 0; r < tile_size / columns_per_round; ++r)
    s[(r * columns_per_round + t / tile_size) * diagonal_stride + i] = entry[r];
}

/// load_updated() for both squares: L's minus L·(Uᵀ)ᵀ and Uᵀ's minus Uᵀ·Lᵀ of the 64 preceding columns.
template <class T>
__device__ void load_updated_squares(const LuSquares<T>& s, const T* preceding, std::int64_t preceding_ld, T* diagonal,
                                     std::int64_t ld, std::int64_t partner, int width, int rows) {
  copy_preceding(s.l, Columns<T>{preceding, preceding_ld});
  copy_preceding(s.u, Columns<T>{preceding + partner, preceding_ld});
  commit_copies();
  LowerPart<T> of_l, of_u;
  of_l.load(diagonal, ld, width);
  of_u.load(diagonal + partner, ld, width);
  wait_for_copies<0>();
  __syncthreads();
  of_l.template subtract_product<false, false>(s.l, s.u);
  of_u.template subtract_product<false, false>(s.u, s.l);
  __syncthreads();
  clear_above_diagonal(s.l);
  clear_above_diagonal(s.u);
  of_l.store(s.l, diagonal, ld, width, rows);
  of_u.store(s.u, diagonal + partner, ld, width, rows);
}

template <class T>
__device__ void store_square(const T* s, T* diagonal, std::int64_t ld, int width) {
  const int i = static_cast<int>(threadIdx.x) % tile_size;
  for (int k = static_cast<int>(threadIdx.x) / tile_size; k < width; k += columns_per_round) {
    if (i < width) diagonal[i + k * ld] = s[k * diagonal_stride + i];
  }
}

/// One CTA per block. Latency matters most: 64 steps, the products between strips, and one product with the preceding
/// columns.
template <class T>
__global__ void __launch_bounds__(block_threads) lu_diagonal_kernel(LuData<T> lu, const DiagonalTask* tasks) {
  extern __shared__ __align__(shared_alignment) unsigned char shared[];
  LuDiagonalMemory<T>& own = *reinterpret_cast<LuDiagonalMemory<T>*>(shared);
  const DiagonalTask task = tasks[blockIdx.x];
  const TraceScope traced(lu.data.trace, TracedWork::diagonal, task.panel, blockIdx.x);
  const PanelInfo panel = lu.data.panels[task.panel];
  const PanelBlock block = block_of(panel, task.column);
  T* const diagonal = lu.data.values + block.index(task.column, task.column);
  const LuSquares<T> squares{own.l, own.u};
  await_launch_before();
  let_next_launch_begin();
  if (task.before > 0) {
    const PanelBlock before = block_of(panel, task.column - tile_size);
    load_updated_squares(squares, lu.data.values + before.index(task.column, task.column - tile_size), before.ld, diagonal,
                         block.ld, lu.partner, task.width, panel.front - task.column);
  } else {
    load_lower(own.l, diagonal, block.ld, task.width);
    load_lower(own.u, diagonal + lu.partner, block.ld, task.width);
  }
  __syncthreads();
  factor_lu_block(squares, diagonal_stride, own.reciprocal, own.shared_memory, task.width, smallest_pivot<T>(lu),
                  LuPivotReport{lu.status, panel.first_column + task.column});
  store_square(own.l, diagonal, block.ld, task.width);
  store_square(own.u, diagonal + lu.partner, block.ld, task.width);
}

}  // namespace

template <class T>
void factor_lu_diagonal(const LuData<T>& lu, const DiagonalTask* tasks, int count, cudaStream_t stream) {
  if (count == 0) return;
  launch_early(lu_diagonal_kernel<T>, dim3(static_cast<unsigned>(count)), block_threads,
               lu_diagonal_memory<T>().dynamic_bytes, lu.data.early, stream, lu, tasks);
}

template <class T>
void prepare_lu_diagonal() {
  load_kernels(lu_diagonal_kernel<T>);
  GPUSUPERNODAL_CUDA_CHECK(cudaFuncSetAttribute(lu_diagonal_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                lu_diagonal_memory<T>().dynamic_bytes));
}

#define INSTANTIATE(T)                                                                           \
  template void factor_lu_diagonal<T>(const LuData<T>&, const DiagonalTask*, int, cudaStream_t); \
  template void prepare_lu_diagonal<T>()
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
