#pragma once

/// \file
/// One tile of the product of a panel's columns with their own transpose, for LDLᵀ with signs of the columns; relative
/// indices say where each entry is subtracted.

#include <type_traits>

#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/column_signs.cuh"
#include "kernels/cuda/ldlt_kernels.hpp"
#include "kernels/cuda/ordered_accumulation.cuh"
#include "kernels/cuda/shared_memory.hpp"
#include "kernels/cuda/subtract.cuh"

namespace gpusupernodal::cuda {

/// Copies one operand (64 rows of some columns) to shared memory. A thread copies 16 bytes of every `round`-th column,
/// so that its addresses advance by a constant from stage to stage of a block column.
template <class T, int Warps>
class OperandCopy {
 public:
  __device__ OperandCopy(const T* first, std::int64_t ld, T* shared)
      : from_(first + row() + column() * ld), to_(shared + column() * operand_stride<T> + row()) {}

  static constexpr int elements = 16 / static_cast<int>(sizeof(T));
  static constexpr int chunks = tile_size / elements;
  static constexpr int round = 32 * Warps / chunks;  ///< Columns that all threads copy at once.

  /// Copies all columns of a stage; `round_step` is the distance of columns that are `round` apart.
  __device__ void copy_stage(int stage, std::int64_t round_step) {
#pragma unroll
    for (int c = 0; c < rounds; ++c)
      copy_async<16>(to_ + stage * stage_size<T> + c * round * operand_stride<T>, from_ + c * round_step, true);
    from_ += rounds * round_step;
  }
  /// Continues in the next block column. Precondition: its first column is the next one to be copied.
  __device__ void enter_next_block() { from_ -= gap_at_border(column()); }
  /// Copies the first `columns` columns of the last stage and zeroes the others.
  __device__ void copy_last(int stage, int columns, std::int64_t round_step) const {
#pragma unroll
    for (int c = 0; c < rounds; ++c) {
      const bool valid = column() + c * round < columns;
      copy_async<16>(to_ + stage * stage_size<T> + c * round * operand_stride<T>, valid ? from_ + c * round_step : from_,
                     valid);
    }
  }

 private:
  static constexpr int rounds = stage_depth<T> / round;
  static_assert(rounds > 0 && stage_depth<T> % round == 0);
  __device__ static int row() { return static_cast<int>(threadIdx.x) % chunks * elements; }
  __device__ static int column() { return static_cast<int>(threadIdx.x) / chunks; }

  const T* from_;
  T* to_;
};

/// Copies the pivots of LDLᵀ whose signs a stage's columns have, one behind each column of the first operand.
template <class T>
class SignCopy {
 public:
  static_assert(bank_shift<T> > 0);  // A column has space for its pivot.

  /// `first`: pivot of the first column.
  __device__ SignCopy(const T* first, T* shared)
      : from_(first + threadIdx.x), to_(shared + static_cast<int>(threadIdx.x) * operand_stride<T> + tile_size) {}
  /// Copies the pivots of the next `columns` columns.
  __device__ void copy(int stage, int columns) {
    if (static_cast<int>(threadIdx.x) < min(columns, stage_depth<T>))
      copy_async<static_cast<int>(sizeof(T))>(to_ + stage * stage_size<T>, from_, true);
    from_ += stage_depth<T>;
  }

 private:
  const T* from_;
  T* to_;
};
/// Takes its place where columns have no signs.
template <class T>
struct NoSignCopy {
  __device__ NoSignCopy(const T*, T*) {}
  __device__ void copy(int, int) {}
};

/// Operands A and B of a tile: the same columns of one panel. Out-of-range rows are loaded too: they only affect entries
/// of the result that are not stored.
template <class T, int Warps, bool Signed>
class Operands {
 public:
  /// `a` and `b` point to the operands' first entries, in column `first` of the panel, whose block column has leading
  /// dimension `ld`. Precondition: columns ≥ 1, and stage_depth<T> divides `first`. If b == a, A is also used as B. `signs`:
  /// pivot of that column for LDLᵀ, otherwise unused.
  __device__ Operands(const T* a, const T* b, const T* signs, std::int64_t ld, int first, int columns, T* shared)
      : a_(a, ld, shared),
        b_(b, ld, shared + operand_size<T>),
        signs_(signs, shared),
        round_step_(OperandCopy<T, Warps>::round * ld),
        same_(a == b),
        left_(columns),
        end_(first + columns) {}

  __device__ bool same() const { return same_; }
  /// Loads the next stage, if one is left.
  __device__ void load(int stage) {
    signs_.copy(stage, left_);
    if (left_ >= stage_depth<T>) {
      a_.copy_stage(stage, round_step_);
      if (!same_) b_.copy_stage(stage, round_step_);
    } else if (left_ > 0) {
      a_.copy_last(stage, left_, round_step_);
      if (!same_) b_.copy_last(stage, left_, round_step_);
    }
    left_ -= stage_depth<T>;
    if (((end_ - left_) & (panel_block - 1)) == 0) enter_next_block();
    commit_copies();
  }
  /// Loads all but one of the stages.
  __device__ void begin() {
    for (int s = 0; s < stages - 1; ++s) load(s);
  }

 private:
  static_assert(tile_size % stage_depth<T> == 0 && panel_block % tile_size == 0);
  __device__ void enter_next_block() {
    a_.enter_next_block();
    b_.enter_next_block();
    round_step_ -= OperandCopy<T, Warps>::round * panel_block;
  }

  OperandCopy<T, Warps> a_, b_;
  std::conditional_t<Signed, SignCopy<T>, NoSignCopy<T>> signs_;
  std::int64_t round_step_;
  bool same_;
  int left_;
  int end_;  ///< End of the columns in the panel.
};

/// Computes acc := A · S · Bᵀ, or with Bᴴ, over all columns through a ring of stages. Precondition: operands.begin() was
/// called.
template <bool Adjoint, class T, int Warps, bool Signed, int M>
__device__ void accumulate(Operands<T, Warps, Signed>& operands, int columns, const T* shared, const TilePlace& place,
                           bool active, T (&acc)[M][4][4]) {
  const int to_b = operands.same() ? 0 : operand_size<T>;
  int use = 0;
  int fill = stages - 1;
  for (int done = 0; done < columns; done += stage_depth<T>) {
    wait_for_copies<stages - 2>();
    __syncthreads();
    operands.load(fill);
    fill = fill + 1 == stages ? 0 : fill + 1;
    const T* const a = shared + use * stage_size<T>;
    use = use + 1 == stages ? 0 : use + 1;
    if (!active) continue;
#pragma unroll
    for (int k = 0; k < stage_depth<T>; k += tile_step) {
      multiply_step<Adjoint>(a + k * operand_stride<T>, a + to_b + k * operand_stride<T>, operand_stride<T>, place, acc,
                             column_signs<Signed>(a + k * operand_stride<T> + tile_size, operand_stride<T>));
    }
  }
}

template <class T>
__device__ void find_targets(const FactorData<T>& data, const ProductTask& task, const PanelInfo& panel,
                             ColumnTarget* targets) {
  const int t = static_cast<int>(threadIdx.x);
  const int j = task.col + t;
  if (t >= tile_size || j < task.first || j >= task.col_end) return;
  targets[t] =
      task.col_end <= panel.width ? ColumnTarget{block_of(panel, j).index(0, j), same_rows} : find_target(data, panel, j);
}

/// Shared memory for one tile.
template <class T>
struct ProductMemory {
  T* stage;
  ColumnTarget* targets;
};

/// Computes and subtracts a tile by a CTA of 4 warps with 32×32 entries each, or of 8 warps with 16×32. Bytes:
/// 2·64·depth read (once through L2), 64² reductions; flops 2·64²·depth. Reductions replace load, subtract and store,
/// because nothing waits for their result. `begin` is called before the first operand is loaded. `waits`: `begin` is
/// expected to wait, so targets are found before it. `other` has the panels whose columns are the second operand: for a
/// Cholesky factorization, those of data.values. `Adjoint`: they are multiplied as Lᴴ, not as the transpose.
template <class T, int Warps, bool InOrder, bool Adjoint, class Data, class Begin>
__device__ void subtract_tile(const Data& data, const T* other, const ProductTask& task,
                              const ProductMemory<T>& shared_memory, bool waits, const Begin& begin) {
  constexpr int parts = 8 / Warps;  // Parts of 16 rows per warp.
  constexpr int rows_per_warp = 16 * parts;
  constexpr int warps_below = tile_size / rows_per_warp;
  const PanelInfo panel = data.panels[task.panel];
  const int warp = static_cast<int>(threadIdx.x / 32u);
  const TilePlace place(rows_per_warp * (warp % warps_below), 32 * (warp / warps_below));
  const PanelBlock block = block_of(panel, task.column);
  const T* signs = nullptr;
  if constexpr (is_signed<Data>) signs = data.pivots + panel.first_column + task.column;
  Operands<T, Warps, is_signed<Data>> operands(data.values + block.index(task.row, task.column),
                                               other + block.index(task.col, task.column), signs, block.ld, task.column,
                                               task.depth, shared_memory.stage);
  const int row = task.row + place.warp_row;
  const int col = task.col + place.warp_col;
  const int last = row + rows_per_warp - 1;
  const bool active = last >= col && row < panel.front && col < task.col_end && col + 31 >= task.first && last >= task.first;
  if (waits) find_targets(data, task, panel, shared_memory.targets);
  begin();
  operands.begin();
  if (!waits) find_targets(data, task, panel, shared_memory.targets);
  TileSums<T, parts> acc = {};
  accumulate<Adjoint>(operands, task.depth, shared_memory.stage, place, active, acc);
  const int mine = task.col + static_cast<int>(threadIdx.x);
  const bool is_ordered = InOrder && task.col_end > panel.width;
  const bool has_column = threadIdx.x < tile_size && mine >= task.first && mine < task.col_end;
  if (is_ordered) {
    if (has_column) await_predecessors(data, panel, mine);
    __syncthreads();
  }
  if (active)
    subtract_sums(data, shared_memory.targets, task.row, task.col, task.first, task.col_end, panel.front, place, acc);
  if (is_ordered) {
    __syncthreads();
    if (has_column) record_addition(data, panel, mine);
  }
}

}  // namespace gpusupernodal::cuda
