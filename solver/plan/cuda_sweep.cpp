#include "solver/plan/cuda_sweep.hpp"

#include <algorithm>

#include "solver/plan/cuda_tiling.hpp"

namespace gpusupernodal {
namespace {

constexpr std::int32_t block_size = cuda_solve_block;

std::int32_t blocks_of(std::int32_t width) { return (width + block_size - 1) / block_size; }
std::int32_t pieces_of(std::int32_t count, std::int32_t size) { return (count + size - 1) / size; }

bool is_small(std::int32_t width, std::int32_t front) {
  return width <= cuda_warp_width && width * std::int64_t{front} <= cuda_solve_warp_entries;
}
bool is_whole(std::int32_t width, std::int32_t front) {
  return width <= cuda_tile && width * std::int64_t{front} <= cuda_solve_cta_entries;
}

/// A block of columns of a front's diagonal block.
struct Block {
  std::int32_t column;
  std::int32_t width;
  std::int32_t end() const { return column + width; }
  std::int32_t diagonals() const { return pieces_of(width, cuda_solve_outputs); }
};

Block block_of(std::int32_t width, std::int32_t b) { return {b * block_size, std::min(block_size, width - b * block_size)}; }

/// Tasks with the level of each, which is more than that of what it waits for; sorts them by it.
class Sweep {
 public:
  void add(std::int32_t level, const CudaSolveTask& task) {
    tasks_.push_back(task);
    level_.push_back(level);
    levels_ = std::max(levels_, level + 1);
  }
  /// The first of `count` new counters.
  std::int32_t take(std::int32_t count) {
    counters_ += count;
    return counters_ - count;
  }

  CudaSolveSweep finish() const {
    const auto key = [&](std::size_t i) {
      return 2 * static_cast<std::size_t>(level_[i]) + (tasks_[i].kind == CudaSolveKind::whole_by_warp ? 0U : 1U);
    };
    std::vector<std::size_t> begin(2 * static_cast<std::size_t>(levels_) + 1, 0);
    for (std::size_t i = 0; i < tasks_.size(); ++i) ++begin[key(i) + 1];
    for (std::size_t k = 1; k < begin.size(); ++k) begin[k] += begin[k - 1];
    std::vector<std::size_t> order(tasks_.size());
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t i = 0; i < tasks_.size(); ++i) order[next[key(i)]++] = i;
    CudaSolveSweep sweep;
    sweep.counters = counters_;
    sweep.longest_path = levels_;
    for (std::size_t l = 0; l < static_cast<std::size_t>(levels_); ++l) {
      add_warps(sweep, order, begin[2 * l], begin[2 * l + 1]);
      for (std::size_t i = begin[2 * l + 1]; i < begin[2 * l + 2]; ++i) sweep.tasks.push_back(tasks_[order[i]]);
    }
    return sweep;
  }

 private:
  /// CTAs whose warps take a few tasks each.
  void add_warps(CudaSolveSweep& sweep, const std::vector<std::size_t>& order, std::size_t begin, std::size_t end) const {
    constexpr std::size_t enough = std::size_t{cuda_solve_warps} * cuda_solve_warp_ctas;
    const std::size_t rounds = std::clamp<std::size_t>((end - begin) / enough, 1, cuda_solve_warp_tasks);
    for (std::size_t i = begin; i < end; ++i) {
      if ((i - begin) % (cuda_solve_warps * rounds) == 0) {
        CudaSolveTask group;
        group.kind = CudaSolveKind::warps;
        group.column = static_cast<std::int32_t>(sweep.warp_tasks.size());
        group.width = static_cast<std::int32_t>(std::min<std::size_t>(cuda_solve_warps * rounds, end - i));
        sweep.tasks.push_back(group);
      }
      sweep.warp_tasks.push_back(tasks_[order[i]]);
    }
  }

  std::vector<CudaSolveTask> tasks_;
  std::vector<std::int32_t> level_;
  std::int32_t levels_ = 0;
  std::int32_t counters_ = 0;
};

/// Rows of a product in a CTA. Fronts of several blocks have tiles that all blocks share.
std::int32_t rows_at_once(std::int32_t width) {
  return cuda_solve_outputs * (width <= block_size / 4 ? 4 : (width <= block_size / 2 ? 2 : 1));
}

CudaSolveTask whole_task(std::int32_t supernode, std::int32_t width, std::int32_t front) {
  CudaSolveTask task;
  task.supernode = supernode;
  task.kind = is_small(width, front) ? CudaSolveKind::whole_by_warp : CudaSolveKind::whole;
  task.width = width;
  task.row_end = front;
  return task;
}

/// The rows of a block's inverse as tasks.
void add_diagonal(Sweep& sweep, std::int32_t level, CudaSolveTask task, const Block& block) {
  task.kind = CudaSolveKind::diagonal;
  task.column = block.column;
  task.width = block.width;
  for (std::int32_t row = block.column; row < block.end(); row += cuda_solve_outputs) {
    task.row_begin = row;
    task.row_end = std::min(block.end(), row + cuda_solve_outputs);
    sweep.add(level, task);
  }
}

/// What is known of a front when its children are done.
struct ForwardFront {
  std::int32_t level = 0;    ///< First at which it may start.
  std::int32_t counter = 0;  ///< In which its children count their last tasks.
  std::int32_t need = 0;     ///< How many those are.
};

class ForwardBuilder {
 public:
  explicit ForwardBuilder(const SymbolicFactor& factor)
      : factor_(factor), fronts_(static_cast<std::size_t>(factor.supernodes())) {}

  CudaSolveSweep build() {
    for (SupernodeId s : factor_.supernode_ids()) fronts_[s].counter = sweep_.take(1);
    for (SupernodeId s : factor_.supernode_ids()) {
      if (is_whole(factor_.width(s), factor_.front(s))) {
        add_whole(s);
      } else {
        add_blocks(s);
      }
    }
    return sweep_.finish();
  }

 private:
  ForwardFront* parent(SupernodeId s) {
    const SupernodeId p = factor_.parent[s];
    return p.valid() ? &fronts_[p] : nullptr;
  }
  /// The last tasks of s are `count`, at `level`: what they count in, if anything waits for them.
  std::int32_t last_tasks(SupernodeId s, std::int32_t level, std::int32_t count) {
    ForwardFront* const p = parent(s);
    if (p == nullptr) return no_counter;
    p->level = std::max(p->level, level + 1);
    p->need += count;
    return p->counter;
  }

  void add_whole(SupernodeId s) {
    const ForwardFront& front = fronts_[s];
    CudaSolveTask task = whole_task(s.value, factor_.width(s), factor_.front(s));
    task.wait = front.need > 0 ? front.counter : no_counter;
    task.need = front.need;
    task.arrive = last_tasks(s, front.level, 1);
    sweep_.add(front.level, task);
  }

  void add_blocks(SupernodeId s) {
    const std::int32_t width = factor_.width(s);
    const std::int32_t blocks = blocks_of(width);
    const ForwardFront& front = fronts_[s];
    CudaSolveTask task = whole_task(s.value, width, factor_.front(s));
    task.wait = front.need > 0 ? front.counter : no_counter;
    task.need = front.need;
    // Tiles of rows count the blocks that were subtracted from them: rows of later blocks, then those below.
    const std::int32_t tile_counters =
        blocks > 1 ? sweep_.take(pieces_of(width, cuda_solve_outputs) + pieces_of(factor_.rows_below(s), cuda_solve_outputs))
                   : 0;
    for (std::int32_t b = 0; b < blocks; ++b) {
      const Block block = block_of(width, b);
      const std::int32_t level = front.level + 2 * b;
      task.arrive = sweep_.take(1);
      add_diagonal(sweep_, level, task, block);
      const std::int32_t solved = task.arrive;
      // The next block's diagonal waits for its own rows alone.
      task.wait = b + 1 < blocks ? sweep_.take(1) : no_counter;
      task.need = b + 1 < blocks ? block_of(width, b + 1).diagonals() : 0;
      add_rows(s, b, level + 1, solved, task.wait, tile_counters);
    }
  }

  /// The product of the rows below block b: `next` counts those of block b+1.
  void add_rows(SupernodeId s, std::int32_t b, std::int32_t level, std::int32_t solved, std::int32_t next,
                std::int32_t tile_counters) {
    const std::int32_t width = factor_.width(s);
    const std::int32_t front = factor_.front(s);
    const Block block = block_of(width, b);
    const bool tall = width <= cuda_tile;
    const std::int32_t step = tall ? cuda_solve_tall_rows : rows_at_once(width);
    CudaSolveTask task = whole_task(s.value, width, front);
    task.kind = tall ? CudaSolveKind::tall_rows : CudaSolveKind::rows;
    task.column = block.column;
    task.width = block.width;
    task.wait = solved;
    task.need = block.diagonals();
    const bool is_last = block.end() == width;
    const std::int32_t above = is_last ? last_tasks(s, level, pieces_of(front - width, step)) : no_counter;
    for (std::int32_t row = block.end(); row < front; row = task.row_end) {
      task.row_begin = row;
      task.row_end = std::min(row < width ? width : front, row + step);
      const std::int32_t tile =
          row < width ? row / cuda_solve_outputs : pieces_of(width, cuda_solve_outputs) + (row - width) / cuda_solve_outputs;
      task.also = b > 0 ? tile_counters + tile : no_counter;
      task.also_need = b;
      const bool before_next = !is_last && row < block_of(width, b + 1).end();
      task.arrive = is_last ? above : (before_next ? next : tile_counters + tile);
      sweep_.add(level, task);
    }
  }

  const SymbolicFactor& factor_;
  IdVector<SupernodeId, ForwardFront> fronts_;
  Sweep sweep_;
};

/// When rows of a front are solved.
struct Solved {
  std::int32_t level = 0;  ///< First at which the solution can be read.
  std::int32_t counter = no_counter;
  std::int32_t need = 0;
};

class BackwardBuilder {
 public:
  explicit BackwardBuilder(const SymbolicFactor& factor)
      : factor_(factor), fronts_(static_cast<std::size_t>(factor.supernodes())) {}

  CudaSolveSweep build(std::int64_t& partials) {
    for (std::int64_t i = factor_.supernodes() - 1; i >= 0; --i) {
      const SupernodeId s(i);
      const SupernodeId p = factor_.parent[s];
      const Solved above = p.valid() ? fronts_[p] : Solved();
      fronts_[s] = is_whole(factor_.width(s), factor_.front(s)) ? add_whole(s, above) : add_blocks(s, above);
    }
    partials = partials_;
    return sweep_.finish();
  }

 private:
  Solved add_whole(SupernodeId s, const Solved& above) {
    CudaSolveTask task = whole_task(s.value, factor_.width(s), factor_.front(s));
    task.wait = above.counter;
    task.need = above.need;
    task.arrive = sweep_.take(1);
    sweep_.add(above.level, task);
    return {above.level + 1, task.arrive, 1};
  }

  /// Blocks from the last to the first; the solution of the whole front can be read when that of the first can.
  Solved add_blocks(SupernodeId s, const Solved& above) {
    const std::int32_t width = factor_.width(s);
    std::vector<Solved> solved(static_cast<std::size_t>(blocks_of(width)));
    for (std::int32_t b = blocks_of(width) - 1; b >= 0; --b) {
      const Block block = block_of(width, b);
      CudaSolveTask task = whole_task(s.value, width, factor_.front(s));
      Chunks chunks;
      chunks.summed = sweep_.take(1);
      for_each_chunk(s, b, [&](std::int32_t, std::int32_t) { ++chunks.count; });
      chunks.done = chunks.count > 1 ? sweep_.take(block.diagonals()) : no_counter;
      const std::int64_t first_partial = partials_;
      std::int32_t level = above.level;
      const auto add = [&](std::int32_t begin, std::int32_t end, const Solved& by) {
        add_columns(s, block, {begin, end - begin}, by, chunks);
        level = std::max(level, by.level + 1);
        ++chunks.next;
      };
      for_each_chunk(s, b, [&](std::int32_t begin, std::int32_t end) {
        add(begin, end, begin < width ? solved[static_cast<std::size_t>(begin / block_size)] : above);
      });
      task.partial = static_cast<std::int32_t>(first_partial);
      task.chunks = chunks.count;
      task.wait = chunks.count > 0 ? chunks.summed : no_counter;
      task.need = task.chunks * block.diagonals();
      task.arrive = sweep_.take(1);
      add_diagonal(sweep_, level, task, block);
      solved[static_cast<std::size_t>(b)] = {level + 1, task.arrive, block.diagonals()};
    }
    return solved.front();
  }

  /// Chunks of the rows below block b: those of the next block, on which the next step waits, are small; further blocks,
  /// and the rows below the supernode, are larger where there are many.
  template <class F>
  void for_each_chunk(SupernodeId s, std::int32_t b, F f) const {
    const std::int32_t width = factor_.width(s);
    const std::int32_t near_end = std::min(width, (b + 2) * block_size);
    const auto cut = [&](std::int32_t begin, std::int32_t end, std::int32_t unit, std::int32_t most) {
      const std::int32_t units = pieces_of(end - begin, unit);
      const std::int32_t step = unit * std::max(1, pieces_of(units, most));
      for (std::int32_t row = begin; row < end; row += step) f(row, std::min(end, row + step));
    };
    cut(std::min(width, (b + 1) * block_size), near_end, cuda_solve_chunk_rows, 2);
    cut(near_end, width, block_size, cuda_solve_most_chunks / 2);
    cut(width, factor_.front(s), cuda_solve_chunk_rows, cuda_solve_most_chunks / 2);
  }

  /// The chunks of rows below a block.
  struct Chunks {
    std::int32_t summed = no_counter;  ///< Counts all tasks of all of them.
    std::int32_t done = no_counter;    ///< The first of counters, one for each piece of columns; each counts its chunks.
    std::int32_t count = 0;
    std::int32_t next = 0;
  };

  /// A chunk of rows times the block's columns, transposed, as soon as `by` says that the rows are solved.
  void add_columns(SupernodeId s, const Block& block, const Block& rows, const Solved& by, const Chunks& chunks) {
    CudaSolveTask task = whole_task(s.value, factor_.width(s), factor_.front(s));
    task.kind = CudaSolveKind::columns;
    task.row_begin = rows.column;
    task.row_end = rows.end();
    task.wait = by.counter;
    task.need = by.need;
    task.arrive = chunks.summed;
    task.chunk = chunks.next;
    task.chunks = chunks.count;
    for (std::int32_t column = block.column; column < block.end(); column += cuda_solve_outputs) {
      if (chunks.count > 1) task.also = chunks.done + (column - block.column) / cuda_solve_outputs;
      task.column = column;
      task.width = std::min(cuda_solve_outputs, block.end() - column);
      task.partial = static_cast<std::int32_t>(partials_);
      partials_ += task.width;
      sweep_.add(by.level, task);
    }
  }

  const SymbolicFactor& factor_;
  IdVector<SupernodeId, Solved> fronts_;
  Sweep sweep_;
  std::int64_t partials_ = 0;
};

}  // namespace

CudaSolveSweep build_forward_sweep(const SymbolicFactor& factor) { return ForwardBuilder(factor).build(); }

CudaSolveSweep build_backward_sweep(const SymbolicFactor& factor, std::int64_t& partials) {
  return BackwardBuilder(factor).build(partials);
}

}  // namespace gpusupernodal
