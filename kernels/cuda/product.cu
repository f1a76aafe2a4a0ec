/// \file
/// The update: lower tiles of L21·L21ᵀ, each entry subtracted where the relative indices say, in one kernel.

#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/early_launch.cuh"
#include "kernels/cuda/factor_kernels.hpp"
#include "kernels/cuda/subtract.cuh"
#include "kernels/cuda/trace.cuh"
#include "kernels/cuda/turns.cuh"

namespace gpusupernodal::cuda {
namespace {

inline constexpr int threads = 128;
/// A launch of no more CTAs than this begins all of them at once on a large device.
inline constexpr unsigned ctas_at_once = 264;
/// Columns of a stage in shared memory.
inline constexpr int depth = 16;
/// Stages in shared memory: one is in use, two are under way. With four of them no more than three CTAs fit, and these were
/// slower; so were larger tiles (128 rows, 64×32 a warp), though they read less a flop.
inline constexpr int stages = 3;
inline constexpr int stride = tile_size + bank_shift;
inline constexpr int operand_size = depth * stride;
inline constexpr int stage_size = 2 * operand_size;

/// Starts copying `depth` columns of 64 rows each. Columns from `columns` on become zero; rows are not limited, because
/// a surplus row of an operand reaches surplus entries of the result only.
template <class T, int Elements>
__device__ void load_operand(T* to, const T* from, std::int64_t ld, int columns) {
  constexpr int chunks = tile_size / Elements;
#pragma unroll
  for (int c = 0; c < depth * chunks / threads; ++c) {
    const int index = static_cast<int>(threadIdx.x) + c * threads;
    const int k = index / chunks;
    const int i = (index % chunks) * Elements;
    const bool valid = k < columns;
    copy_async<Elements* static_cast<int>(sizeof(T))>(to + k * stride + i, valid ? from + i + k * ld : from, valid);
  }
}

template <class T>
struct Operands {
  const T* a;
  const T* b;  ///< Same as a on the diagonal.
  std::int64_t ld;
  int columns;
  bool vectors;  ///< 16-byte loads are aligned.

  __device__ int steps() const { return (columns + depth - 1) / depth; }

  /// The first stages, all but one.
  __device__ void begin(T* shared) const {
    for (int s = 0; s < stages - 1; ++s) {
      if (s < steps()) load(shared + s * stage_size, s * depth);
      commit_copies();
    }
  }
  __device__ void load(T* stage, int first) const {
    constexpr int wide = 16 / static_cast<int>(sizeof(T));
    T* const stage_b = stage + operand_size;
    const std::int64_t shift = first * ld;
    if (vectors) {
      load_operand<T, wide>(stage, a + shift, ld, columns - first);
      if (a != b) load_operand<T, wide>(stage_b, b + shift, ld, columns - first);
    } else {
      load_operand<T, 1>(stage, a + shift, ld, columns - first);
      if (a != b) load_operand<T, 1>(stage_b, b + shift, ld, columns - first);
    }
  }
};

/// acc := A · Bᵀ over all columns, through a ring of stages, the first of which are under way.
template <class T>
__device__ void accumulate(const Operands<T>& operands, T* shared, const TilePlace& place, bool active, TileSums<T>& acc) {
  const int count = operands.steps();
  const bool same = operands.a == operands.b;
  int use = 0;
  int fill = stages - 1;
  for (int s = 0; s < count; ++s) {
    wait_for_copies<stages - 2>();
    __syncthreads();
    const int next = s + stages - 1;
    if (next < count) operands.load(shared + fill * stage_size, next * depth);
    commit_copies();
    fill = fill + 1 == stages ? 0 : fill + 1;
    const T* const a = shared + use * stage_size;
    const T* const b = same ? a : a + operand_size;
    use = use + 1 == stages ? 0 : use + 1;
    if (!active) continue;
#pragma unroll
    for (int k = 0; k < depth; k += tile_step) {
      multiply_step<T>(a + k * stride, b + k * stride, stride, place, acc);
    }
  }
}

template <class T>
__device__ void find_targets(const FactorData<T>& data, const ProductTask& task, const PanelInfo& panel,
                             ColumnTarget* targets) {
  const int t = static_cast<int>(threadIdx.x);
  const int j = task.col + t;
  if (t >= tile_size || j < task.first || j >= task.col_end) return;
  targets[t] = task.col_end <= panel.width ? ColumnTarget{panel.offset + static_cast<std::int64_t>(j) * panel.ld, same_rows}
                                           : find_target(data, panel, j);
}

/// A CTA a tile, a warp a quarter of it, 32 columns wide. Bytes: 2·64·depth read (once through L2), 64² reductions;
/// flops 2·64²·depth. Reductions instead of load, subtract and store, because nothing waits for them.
template <class T, bool InOrder>
__global__ void __launch_bounds__(threads, 3) product_kernel(FactorData<T> data, const ProductTask* tasks) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ ColumnTarget targets[tile_size];
  const ProductTask task = tasks[claim_task<InOrder>(data)];
  const TraceScope traced(data.trace, TracedWork::product, task.panel, blockIdx.x);
  const PanelInfo panel = data.panels[task.panel];
  const int warp = static_cast<int>(threadIdx.x / 32u);
  const TilePlace place(32 * (warp & 1), 32 * (warp >> 1));
  const T* const source = data.values + panel.offset + static_cast<std::int64_t>(task.column) * panel.ld;
  constexpr int wide = 16 / static_cast<int>(sizeof(T));
  Operands<T> operands;
  operands.a = source + task.row;
  operands.b = source + task.col;
  operands.ld = panel.ld;
  operands.columns = task.depth;
  operands.vectors = panel.ld % wide == 0 && panel.offset % wide == 0;
  const int row = task.row + place.warp_row;
  const int col = task.col + place.warp_col;
  const int last = row + 31;
  const bool active = last >= col && row < panel.front && col < task.col_end && col + 31 >= task.first && last >= task.first;
  // Where all CTAs fit, the launch before is still under way; otherwise loads of operands come first.
  const bool waits = gridDim.x <= ctas_at_once;
  if (waits) find_targets(data, task, panel, targets);
  await_launch_before();
  let_next_launch_begin();
  operands.begin(reinterpret_cast<T*>(shared));
  if (!waits) find_targets(data, task, panel, targets);
  TileSums<T> acc = {};
  accumulate<T>(operands, reinterpret_cast<T*>(shared), place, active, acc);
  const int mine = task.col + static_cast<int>(threadIdx.x);
  const bool in_turn = InOrder && task.col_end > panel.width;
  const bool has_turn = threadIdx.x < tile_size && mine >= task.first && mine < task.col_end;
  if (in_turn) {
    if (has_turn) await_turn(data, panel, mine);
    __syncthreads();
  }
  if (active) subtract_sums<T>(data, targets, task.row, task.col, task.first, task.col_end, panel.front, place, acc);
  if (in_turn) {
    __syncthreads();
    if (has_turn) end_turn(data, panel, mine);
  }
}

template <class T>
constexpr int shared_bytes() {
  return stages * stage_size * static_cast<int>(sizeof(T));
}

}  // namespace

template <class T>
void subtract_products(const FactorData<T>& data, const ProductTask* tasks, int count, cudaStream_t stream) {
  if (count == 0) return;
  const auto kernel = data.turns == nullptr ? product_kernel<T, false> : product_kernel<T, true>;
  launch_early(kernel, dim3(static_cast<unsigned>(count)), threads, shared_bytes<T>(), data.early, stream, data, tasks);
}

template <class T>
void prepare_products() {
  for (const auto kernel : {product_kernel<T, false>, product_kernel<T, true>}) {
    GPUSUPERNODAL_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes<T>()));
  }
}

#define INSTANTIATE(T)                                                                             \
  template void subtract_products<T>(const FactorData<T>&, const ProductTask*, int, cudaStream_t); \
  template void prepare_products<T>()
INSTANTIATE(float);
INSTANTIATE(double);
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
