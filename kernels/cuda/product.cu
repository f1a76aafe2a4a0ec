/// \file
/// The update: lower tiles of L21·L21ᵀ, each entry subtracted where the relative indices say, in one kernel.

#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/factor_kernels.hpp"
#include "kernels/cuda/tile.cuh"

namespace gpusupernodal::cuda {
namespace {

constexpr int depth = 16;  ///< Columns a stage.
constexpr int stages = 3;  ///< Stages in shared memory: one in use, two on the way.
constexpr int operand = depth * tile_stride;

template <class T>
constexpr int shared_bytes() {
  return stages * 2 * operand * static_cast<int>(sizeof(T));
}

/// Starts copying `depth` columns of 64 rows each. Columns from `columns` on become zero; rows are not limited, because
/// a surplus row of an operand reaches surplus entries of the result only.
template <class T, int Elements>
__device__ void load_operand(T* to, const T* from, std::int64_t ld, int columns) {
  constexpr int chunks = tile_size / Elements;
#pragma unroll
  for (int c = 0; c < depth * chunks / tile_threads; ++c) {
    const int index = static_cast<int>(threadIdx.x) + c * tile_threads;
    const int k = index / chunks;
    const int i = (index % chunks) * Elements;
    const bool valid = k < columns;
    copy_async<Elements* static_cast<int>(sizeof(T))>(to + k * tile_stride + i, valid ? from + i + k * ld : from, valid);
  }
}

template <class T>
struct Operands {
  const T* a;
  const T* b;  ///< Same as a on the diagonal.
  std::int64_t ld;
  int columns;
  bool vectors;  ///< 16-byte loads are aligned.

  __device__ void load(T* stage, int first) const {
    constexpr int wide = 16 / static_cast<int>(sizeof(T));
    const std::int64_t shift = first * ld;
    if (vectors) {
      load_operand<T, wide>(stage, a + shift, ld, columns - first);
      if (a != b) load_operand<T, wide>(stage + operand, b + shift, ld, columns - first);
    } else {
      load_operand<T, 1>(stage, a + shift, ld, columns - first);
      if (a != b) load_operand<T, 1>(stage + operand, b + shift, ld, columns - first);
    }
  }
};

/// acc := A · Bᵀ over all columns, through a ring of stages.
template <class T>
__device__ void accumulate(const Operands<T>& operands, T* shared, const TilePlace& place, bool active, TileSums<T>& acc) {
  const int count = (operands.columns + depth - 1) / depth;
  for (int s = 0; s < stages - 1; ++s) {
    if (s < count) operands.load(shared + s * 2 * operand, s * depth);
    commit_copies();
  }
  for (int s = 0; s < count; ++s) {
    wait_for_copies<stages - 2>();
    __syncthreads();
    const int next = s + stages - 1;
    if (next < count) operands.load(shared + (next % stages) * 2 * operand, next * depth);
    commit_copies();
    if (!active) continue;
    const T* a = shared + (s % stages) * 2 * operand;
    const T* b = operands.a == operands.b ? a : a + operand;
#pragma unroll
    for (int k = 0; k < depth; k += tile_step) {
      if (s * depth + k < operands.columns) multiply_step<T>(a + k * tile_stride, b + k * tile_stride, place, acc);
    }
  }
}

/// In place of the first relative row: rows keep their place, or nothing is known yet. (Row 0 of a source has no relative
/// row, so that the first one's index can be negative.)
constexpr std::int64_t same_rows = -(std::int64_t{1} << 62);
constexpr std::int64_t no_rows = same_rows + 1;

/// Where the tile's columns go: address of row 0 of the target's column, and where the source's row 0 would be among the
/// relative rows.
struct TileTarget {
  std::int64_t column[tile_size];
  std::int64_t relative[tile_size];
};

__device__ void find_targets(TileTarget& target, const ProductTask& task, const PanelInfo& panel, const UpdateInfo* updates,
                             const std::int32_t* update_of_row, const std::int32_t* relative_rows) {
  const int t = static_cast<int>(threadIdx.x);
  const int j = task.col + t;
  if (t >= tile_size || j < task.column + task.depth || j >= task.col_end) return;
  if (task.col_end <= panel.width) {
    target.column[t] = panel.offset + static_cast<std::int64_t>(j) * panel.ld;
    target.relative[t] = same_rows;
  } else {
    const UpdateInfo update = updates[update_of_row[panel.rows + j - panel.width]];
    const std::int64_t column = relative_rows[update.relative + j];
    target.column[t] = update.target + column * update.ld;
    target.relative[t] = update.relative;
  }
}

/// Subtracts the sums by reductions that return nothing. Eight lanes share a column, so a warp's reduction covers 64
/// contiguous bytes of four columns where rows are contiguous. Relative rows are read again only where the target changes.
template <class T>
__device__ void subtract(T* values, const TileTarget& target, const ProductTask& task, int front, const TilePlace& place,
                         const std::int32_t* relative_rows, const TileSums<T>& acc) {
  const int first = task.column + task.depth;
  std::int64_t current = no_rows;
  std::int32_t rows[2][2] = {};
#pragma unroll
  for (int n = 0; n < 4; ++n) {
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      const int j = task.col + place.col(n, c);
      if (j < first || j >= task.col_end) continue;
      const std::int64_t column = target.column[j - task.col];
      const std::int64_t relative = target.relative[j - task.col];
#pragma unroll
      for (int m = 0; m < 2; ++m) {
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          const int i = task.row + place.row(m, h);
          if (relative != current && i >= j && i < front)
            rows[m][h] = relative == same_rows ? i : relative_rows[relative + i];
          if (i >= j && i < front) atomicAdd(values + column + rows[m][h], -acc[m][n][2 * h + c]);
        }
      }
      current = relative;
    }
  }
}

/// A CTA a 64×64 tile, four warps of 32×32. Bytes: 2·64·depth read (once through L2), 64² reductions; flops 2·64²·depth.
/// Reductions instead of load, subtract and store, because nothing waits for them.
template <class T>
__global__ void __launch_bounds__(tile_threads, 3)
    product_kernel(T* values, const PanelInfo* panels, const UpdateInfo* updates, const std::int32_t* update_of_row,
                   const std::int32_t* relative_rows, const ProductTask* tasks) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ TileTarget target;
  const ProductTask task = tasks[blockIdx.x];
  const PanelInfo panel = panels[task.panel];
  const TilePlace place;
  const T* const source = values + panel.offset + static_cast<std::int64_t>(task.column) * panel.ld;
  constexpr int wide = 16 / static_cast<int>(sizeof(T));
  Operands<T> operands;
  operands.a = source + task.row;
  operands.b = source + task.col;
  operands.ld = panel.ld;
  operands.columns = task.depth;
  operands.vectors = panel.ld % wide == 0 && panel.offset % wide == 0;
  const int row = task.row + place.warp_row;
  const int col = task.col + place.warp_col;
  const int first = task.column + task.depth;
  const bool active = row + 31 >= col && row < panel.front && col < task.col_end && col + 31 >= first && row + 31 >= first;
  find_targets(target, task, panel, updates, update_of_row, relative_rows);
  TileSums<T> acc = {};
  accumulate(operands, reinterpret_cast<T*>(shared), place, active, acc);
  if (active) subtract(values, target, task, panel.front, place, relative_rows, acc);
}

}  // namespace

template <class T>
void subtract_products(T* values, const PanelInfo* panels, const UpdateInfo* updates, const std::int32_t* update_of_row,
                       const std::int32_t* relative_rows, const ProductTask* tasks, int count, cudaStream_t stream) {
  if (count == 0) return;
  product_kernel<T>
      <<<count, tile_threads, shared_bytes<T>(), stream>>>(values, panels, updates, update_of_row, relative_rows, tasks);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("subtract_products");
}

template <class T>
void prepare_products() {
  GPUSUPERNODAL_CUDA_CHECK(
      cudaFuncSetAttribute(product_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes<T>()));
}

template void prepare_products<float>();
template void prepare_products<double>();
template void subtract_products<float>(float*, const PanelInfo*, const UpdateInfo*, const std::int32_t*, const std::int32_t*,
                                       const ProductTask*, int, cudaStream_t);
template void subtract_products<double>(double*, const PanelInfo*, const UpdateInfo*, const std::int32_t*,
                                        const std::int32_t*, const ProductTask*, int, cudaStream_t);

}  // namespace gpusupernodal::cuda
