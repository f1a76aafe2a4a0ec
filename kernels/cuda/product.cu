/// \file
/// The update: lower tiles of L21·L21ᵀ, each entry subtracted where the relative indices say, in one kernel.

#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/early_launch.cuh"
#include "kernels/cuda/factor_kernels.hpp"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/subtract.cuh"
#include "kernels/cuda/trace.cuh"
#include "kernels/cuda/turns.cuh"

namespace gpusupernodal::cuda {
namespace {

inline constexpr int threads = 128;
/// Columns of a stage in shared memory.
inline constexpr int depth = 16;
/// Stages in shared memory: one is in use, two are under way. So four CTAs fit on a multiprocessor of compute
/// capability 9.0. A fourth stage leaves three and is slower. Tiles of 128×64, two of them, read less a flop and are a
/// little faster from depths of 2048 on, slower below.
inline constexpr int stages = 3;
template <class T>
inline constexpr int stride = tile_size + bank_shift<T>;
template <class T>
inline constexpr int operand_size = depth* stride<T>;
template <class T>
inline constexpr int stage_size = 2 * operand_size<T>;

/// One operand on its way to shared memory: 64 rows of some columns. A thread copies 16 bytes of every `round`-th column, so
/// that from one stage to the next its addresses move by the same step and cost one addition.
template <class T>
class OperandCopy {
 public:
  __device__ OperandCopy(const T* first, std::int64_t ld, T* shared)
      : from_(first + row() + column() * ld), to_(shared + column() * stride<T> + row()), round_step_(round * ld) {}

  /// All columns of a stage.
  __device__ void copy_stage(int stage) {
#pragma unroll
    for (int c = 0; c < rounds; ++c)
      copy_async<16>(to_ + stage * stage_size<T> + c * round * stride<T>, from_ + c * round_step_, true);
    from_ += rounds * round_step_;
  }
  /// The first `columns` of a stage; the others become zero. There is none after it.
  __device__ void copy_last(int stage, int columns) const {
#pragma unroll
    for (int c = 0; c < rounds; ++c) {
      const bool valid = column() + c * round < columns;
      copy_async<16>(to_ + stage * stage_size<T> + c * round * stride<T>, valid ? from_ + c * round_step_ : from_, valid);
    }
  }

 private:
  static constexpr int elements = 16 / static_cast<int>(sizeof(T));
  static constexpr int chunks = tile_size / elements;
  static constexpr int round = threads / chunks;
  static constexpr int rounds = depth / round;
  __device__ static int row() { return static_cast<int>(threadIdx.x) % chunks * elements; }
  __device__ static int column() { return static_cast<int>(threadIdx.x) / chunks; }

  const T* from_;
  T* to_;
  std::int64_t round_step_;
};

/// A and B of a tile. Rows are not limited, because a surplus row of an operand reaches surplus entries of the result only.
template <class T>
class Operands {
 public:
  /// columns ≥ 1. Where b is a, A is B.
  __device__ Operands(const T* a, const T* b, std::int64_t ld, int columns, T* shared)
      : a_(a, ld, shared), b_(b, ld, shared + operand_size<T>), same_(a == b), left_(columns) {}

  __device__ bool same() const { return same_; }
  /// The next stage, if there is one.
  __device__ void load(int stage) {
    if (left_ >= depth) {
      a_.copy_stage(stage);
      if (!same_) b_.copy_stage(stage);
    } else if (left_ > 0) {
      a_.copy_last(stage, left_);
      if (!same_) b_.copy_last(stage, left_);
    }
    left_ -= depth;
    commit_copies();
  }
  /// The first stages, all but one.
  __device__ void begin() {
    for (int s = 0; s < stages - 1; ++s) load(s);
  }

 private:
  OperandCopy<T> a_, b_;
  bool same_;
  int left_;
};

/// acc := A · Bᵀ over all columns, through a ring of stages, the first of which are under way.
template <class T>
__device__ void accumulate(Operands<T>& operands, int columns, const T* shared, const TilePlace& place, bool active,
                           TileSums<T>& acc) {
  const int to_b = operands.same() ? 0 : operand_size<T>;
  int use = 0;
  int fill = stages - 1;
  for (int done = 0; done < columns; done += depth) {
    wait_for_copies<stages - 2>();
    __syncthreads();
    operands.load(fill);
    fill = fill + 1 == stages ? 0 : fill + 1;
    const T* const a = shared + use * stage_size<T>;
    use = use + 1 == stages ? 0 : use + 1;
    if (!active) continue;
#pragma unroll
    for (int k = 0; k < depth; k += tile_step) {
      multiply_step<T>(a + k * stride<T>, a + to_b + k * stride<T>, stride<T>, place, acc);
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
__global__ void __launch_bounds__(threads, InOrder ? 3 : 4) product_kernel(FactorData<T> data, const ProductTask* tasks) {
  extern __shared__ __align__(shared_alignment) unsigned char shared[];
  __shared__ __align__(shared_alignment) ColumnTarget targets[tile_size];
  const ProductTask task = tasks[claim_task<InOrder>(data)];
  const TraceScope traced(data.trace, TracedWork::product, task.panel, blockIdx.x);
  const PanelInfo panel = data.panels[task.panel];
  const int warp = static_cast<int>(threadIdx.x / 32u);
  const TilePlace place(32 * (warp & 1), 32 * (warp >> 1));
  const T* const source = data.values + panel.offset + static_cast<std::int64_t>(task.column) * panel.ld;
  T* const stage = reinterpret_cast<T*>(shared);
  Operands<T> operands(source + task.row, source + task.col, panel.ld, task.depth, stage);
  const int row = task.row + place.warp_row;
  const int col = task.col + place.warp_col;
  const int last = row + 31;
  const bool active = last >= col && row < panel.front && col < task.col_end && col + 31 >= task.first && last >= task.first;
  // Where all CTAs fit, the launch before is still under way; otherwise loads of operands come first.
  const bool waits = gridDim.x <= ctas_at_once;
  if (waits) find_targets(data, task, panel, targets);
  await_launch_before();
  let_next_launch_begin();
  operands.begin();
  if (!waits) find_targets(data, task, panel, targets);
  TileSums<T> acc = {};
  accumulate<T>(operands, task.depth, stage, place, active, acc);
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
  return stages * stage_size<T> * static_cast<int>(sizeof(T));
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
  load_kernels(product_kernel<T, false>, product_kernel<T, true>);
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
