#include <algorithm>

#include "solver/cuda/plan/sweep.hpp"
#include "solver/cuda/plan/sweep_tasks.hpp"

namespace gpusupernodal {
namespace {

/// State of a front once its children are planned.
struct ForwardFront {
  std::int32_t level = 0;    ///< First level at which it may start.
  std::int32_t counter = 0;  ///< Counter that its children's last tasks increment.
  std::int32_t need = 0;     ///< Number of those tasks.
};

class ForwardBuilder {
 public:
  ForwardBuilder(const SymbolicFactor& factor, const Shape& shape)
      : factor_(factor),
        shape_(shape),
        crowded_(factor, shape, cuda::solve_tall_share),
        fronts_(static_cast<std::size_t>(factor.supernodes())),
        sweep_(small_fronts(shape, factor)) {}

  /// Sets `sums` to the number of sums that wide fronts keep.
  CudaSolveSweep build(std::int64_t& sums) {
    for (SupernodeId s : factor_.supernode_ids()) fronts_[s].counter = sweep_.take(1);
    for (SupernodeId s : factor_.supernode_ids()) {
      if (is_whole(shape_, factor_.width(s), factor_.front(s))) {
        add_whole(s);
      } else if (shape_.single) {
        add_blocks_of_one(s);
      } else {
        add_blocks(s);
      }
    }
    sums = sums_;
    fronts_ = {};  // Freed early, because sorting the tasks takes memory.
    return sweep_.finish();
  }

 private:
  ForwardFront* parent(SupernodeId s) {
    const SupernodeId p = factor_.parent[s];
    return p.valid() ? &fronts_[p] : nullptr;
  }
  /// Registers `count` last tasks of s at `level`. Returns the counter that they increment, or no_counter if nothing
  /// waits for them.
  std::int32_t last_tasks(SupernodeId s, std::int32_t level, std::int32_t count) {
    ForwardFront* const p = parent(s);
    if (p == nullptr) return no_counter;
    p->level = std::max(p->level, level + 1);
    p->need += count;
    return p->counter;
  }

  void add_whole(SupernodeId s) {
    CudaSolveTask task = first_task(s);
    task.arrive = last_tasks(s, fronts_[s].level, 1);
    sweep_.add_whole(fronts_[s].level, task, solver_of(shape_, factor_.width(s), factor_.front(s)));
  }

  CudaSolveTask first_task(SupernodeId s) const {
    CudaSolveTask task = whole_task(shape_, s.value, factor_.width(s), factor_.front(s));
    task.wait = fronts_[s].need > 0 ? fronts_[s].counter : no_counter;
    task.need = fronts_[s].need;
    return task;
  }

  void add_blocks(SupernodeId s) {
    const std::int32_t width = factor_.width(s);
    const std::int32_t blocks = blocks_of(width);
    CudaSolveTask task = first_task(s);
    // Each tile of rows counts the blocks that have been subtracted from it: first the rows of later blocks, then those
    // below.
    const std::int32_t tile_counters = blocks > 1
                                           ? sweep_.take(pieces_of(width, shape_.outputs) +
                                                         BelowTiles(width, factor_.front(s), shape_.outputs).count(width))
                                           : 0;
    for (std::int32_t b = 0; b < blocks; ++b) {
      const Block block = block_of(width, b);
      const std::int32_t level = fronts_[s].level + 2 * b;
      task.arrive = sweep_.take(1);
      add_diagonal(shape_, sweep_, level, task, block);
      const std::int32_t solved = task.arrive;
      // The next block's diagonal waits only for its own rows.
      task.wait = b + 1 < blocks ? sweep_.take(1) : no_counter;
      task.need = b + 1 < blocks ? block_of(width, b + 1).outputs(shape_) : 0;
      add_rows(task, b, level + 1, solved, tile_counters);
    }
  }

  /// Adds the product of the rows below block b. `diagonal` is the task of the next block, which waits only for its own
  /// rows.
  void add_rows(const CudaSolveTask& diagonal, std::int32_t b, std::int32_t level, std::int32_t solved,
                std::int32_t tile_counters) {
    const SupernodeId s(diagonal.supernode);
    const std::int32_t width = factor_.width(s);
    const std::int32_t front = factor_.front(s);
    const Block block = block_of(width, b);
    const std::int32_t own_step = rows_at_once(shape_, width);
    const std::int32_t step = crowded_[s] ? std::min(2 * own_step, max_rows_at_once) : own_step;
    CudaSolveTask task = diagonal;
    task.column = block.column;
    task.width = block.width;
    task.wait = solved;
    task.need = block.outputs(shape_);
    const bool is_last = block.end() == width;
    const BelowTiles below(width, front, step);
    const std::int32_t above = is_last ? last_tasks(s, level, below.count(width)) : no_counter;
    for (std::int32_t row = block.end(); row < front; row = task.row_end) {
      task.row_begin = row;
      task.row_end = row < width ? std::min(width, row + own_step) : below.end_of(row);
      const std::int32_t tile = row < width ? row / shape_.outputs : pieces_of(width, shape_.outputs) + below.tile_of(row);
      task.set<cuda::SolveKind::rows>({{b > 0 ? tile_counters + tile : no_counter, b}, 0});
      const bool before_next = !is_last && row < block_of(width, b + 1).end();
      task.arrive = is_last ? above : (before_next ? diagonal.wait : tile_counters + tile);
      sweep_.add(level, task);
    }
  }

  /// One right-hand side: row tiles of a block's product are as tall as fits, independently of the tiles of other
  /// blocks.
  void add_blocks_of_one(SupernodeId s) {
    const std::int32_t width = factor_.width(s);
    const std::int32_t front = factor_.front(s);
    const std::int64_t first_sum = sums_;
    const std::int32_t rows_left = front - block_of(width, 0).end();
    sums_ += (blocks_of(width) - 1) * std::int64_t{rows_left};
    CudaSolveTask task = first_task(s);
    Tiles before;
    for (std::int32_t b = 0; b < blocks_of(width); ++b) {
      const Block block = block_of(width, b);
      const std::int32_t level = fronts_[s].level + 2 * b;
      const auto left = static_cast<std::int32_t>(first_sum + b * std::int64_t{rows_left});
      task.arrive = sweep_.take(1);
      add_diagonal(shape_, sweep_, level, task, block);
      before = add_rows_of_one(task, block, level + 1, left, before);
      task.wait = before.near;
      task.need = before.near_count;
    }
  }

  /// Row tiles of a block's product: near ones, which the next block's diagonal waits for, and far ones.
  struct Tiles {
    std::int32_t near = no_counter;
    std::int32_t near_count = 0;
    std::int32_t far = no_counter;
    std::int32_t far_count = 0;
  };

  /// `left`: where the block leaves what remains of the rows below. `before`: tiles of the preceding block.
  Tiles add_rows_of_one(const CudaSolveTask& diagonal, const Block& block, std::int32_t level, std::int32_t left,
                        const Tiles& before) {
    const SupernodeId s(diagonal.supernode);
    const std::int32_t width = factor_.width(s);
    const std::int32_t front = factor_.front(s);
    const EvenTiles even(block.end(), front, rows_that_fit(shape_, block.width));
    const std::int32_t near_end = std::min(width, block.end() + block_size);
    Tiles tiles;
    for (std::int32_t row = block.end(); row < front; row = even.end_of(row)) {
      ++(row < near_end ? tiles.near_count : tiles.far_count);
    }
    const bool is_last = block.end() == width;
    tiles.near = is_last ? no_counter : sweep_.take(1);
    tiles.far = is_last ? last_tasks(s, level, tiles.far_count) : sweep_.take(1);
    CudaSolveTask task = diagonal;
    task.set<cuda::SolveKind::rows>({{before.far_count > 0 ? before.far : no_counter, before.far_count}, left});
    task.column = block.column;
    task.width = block.width;
    task.wait = diagonal.arrive;
    task.need = block.outputs(shape_);
    for (std::int32_t row = block.end(); row < front; row = task.row_end) {
      task.row_begin = row;
      task.row_end = even.end_of(row);
      task.arrive = row < near_end ? tiles.near : tiles.far;
      sweep_.add(level, task);
    }
    return tiles;
  }

  const SymbolicFactor& factor_;
  const Shape shape_;
  const CrowdedFronts crowded_;
  IdVector<SupernodeId, ForwardFront> fronts_;
  Sweep sweep_;
  std::int64_t sums_ = 0;
};

}  // namespace

CudaSolveSweep build_forward_sweep(const SymbolicFactor& factor) {
  std::int64_t sums = 0;
  return ForwardBuilder(factor, for_many).build(sums);
}

CudaSolveSweep build_one_rhs_forward_sweep(const SymbolicFactor& factor, const OneRhsShape& shape, std::int64_t& sums) {
  return ForwardBuilder(factor, for_one(shape)).build(sums);
}

}  // namespace gpusupernodal
