#include <algorithm>

#include "solver/cuda/plan/sweep.hpp"
#include "solver/cuda/plan/sweep_tasks.hpp"

namespace gpusupernodal {
namespace {

/// Availability of the solution of some rows.
struct Solved {
  std::int32_t level = 0;  ///< First level at which the solution can be read.
  std::int32_t counter = no_counter;
  std::int32_t need = 0;
};

class BackwardBuilder {
 public:
  BackwardBuilder(const SymbolicFactor& factor, const Shape& shape)
      : factor_(factor),
        shape_(shape),
        crowded_(factor, shape, cuda::solve_wide_share),
        fronts_(static_cast<std::size_t>(factor.supernodes())),
        sweep_(small_fronts(shape, factor)) {}

  CudaSolveSweep build(std::int64_t& partials) {
    for (std::int64_t i = factor_.supernodes() - 1; i >= 0; --i) {
      const SupernodeId s(i);
      const SupernodeId p = factor_.parent[s];
      const Solved above = p.valid() ? fronts_[p] : Solved();
      fronts_[s] = is_whole(shape_, factor_.width(s), factor_.front(s)) ? add_whole(s, above) : add_blocks(s, above);
    }
    partials = partials_;
    fronts_ = {};  // Freed early, because sorting the tasks takes memory.
    return sweep_.finish();
  }

 private:
  Solved add_whole(SupernodeId s, const Solved& above) {
    CudaSolveTask task = whole_task(shape_, s.value, factor_.width(s), factor_.front(s));
    task.wait = above.counter;
    task.need = above.need;
    task.arrive = sweep_.take(1);
    sweep_.add_whole(above.level, task, solver_of(shape_, factor_.width(s), factor_.front(s)));
    return {above.level + 1, task.arrive, 1};
  }

  /// Adds blocks from the last to the first. The whole front is solved when its first block is.
  Solved add_blocks(SupernodeId s, const Solved& above) {
    const std::int32_t width = factor_.width(s);
    std::vector<Solved> solved(static_cast<std::size_t>(blocks_of(width)));
    for (std::int32_t b = blocks_of(width) - 1; b >= 0; --b) {
      std::vector<Chunk> chunks;
      for_each_chunk(s, b, [&](std::int32_t begin, std::int32_t end) {
        chunks.push_back({begin, end, begin < width ? solved[static_cast<std::size_t>(begin / block_size)] : above});
      });
      solved[static_cast<std::size_t>(b)] = add_block(s, block_of(width, b), std::move(chunks), above.level);
    }
    return solved.front();
  }

  /// Columns of a transposed product per CTA.
  std::int32_t columns_at_once(SupernodeId s) const { return shape_.outputs * (crowded_[s] ? 2 : 1); }

  /// Rows of a product, and when they are solved.
  struct Chunk {
    std::int32_t begin;
    std::int32_t end;
    Solved by;
  };

  Solved add_block(SupernodeId s, const Block& block, std::vector<Chunk> chunks, std::int32_t level) {
    CudaSolveTask task = whole_task(shape_, s.value, factor_.width(s), factor_.front(s));
    const std::int32_t groups = pieces_of(block.width, columns_at_once(s));
    const auto count = static_cast<std::int32_t>(chunks.size());
    task.wait = count > 0 ? sweep_.take(1) : no_counter;
    task.arrive = sweep_.take(1);
    for (const Chunk& chunk : chunks) level = std::max(level, chunk.by.level + 1);
    if (shape_.single) {
      task.need = add_chunks_of_one(task, block, std::move(chunks));
    } else {
      task.need = count * groups;
      const std::int32_t finished = count > 1 ? sweep_.take(groups) : no_counter;
      for (std::int32_t c = 0; c < count; ++c) {
        add_columns(task, block, chunks[static_cast<std::size_t>(c)], {finished, 0, c, count});
      }
    }
    add_diagonal(shape_, sweep_, level, task, block, count > 0);
    return {level + 1, task.arrive, block.outputs(shape_)};
  }

  /// Adds the chunks' products; the chunk whose rows are solved last adds up the others. Returns how many tasks the
  /// block's diagonal waits for.
  std::int32_t add_chunks_of_one(const CudaSolveTask& diagonal, const Block& block, std::vector<Chunk> chunks) {
    if (chunks.empty()) return 0;
    std::stable_sort(chunks.begin(), chunks.end(), [](const Chunk& a, const Chunk& b) { return a.by.level < b.by.level; });
    const Chunk last = chunks.back();
    chunks.pop_back();
    const std::int32_t added = chunks.empty() ? no_counter : sweep_.take(1);
    const auto first = static_cast<std::int32_t>(partials_);
    std::int32_t tasks = 0;
    for (const Chunk& chunk : chunks) {
      CudaSolveTask task = columns_task(diagonal, chunk);
      task.arrive = added;
      const std::int32_t step = columns_that_fit(shape_, chunk.begin, chunk.end, block.width);
      tasks += each_piece(chunk.by.level, task, block, step, [&](CudaSolveTask& piece) {
        piece.set<cuda::SolveKind::partial_columns>({static_cast<std::int32_t>(partials_)});
        partials_ += piece.width;
      });
    }
    const auto others = static_cast<std::int32_t>(chunks.size());
    const std::int32_t step = columns_that_fit(shape_, last.begin, last.end, block.width);
    return each_piece(last.by.level, columns_task(diagonal, last), block, step, [&](CudaSolveTask& piece) {
      piece.set<cuda::SolveKind::last_columns>({{added, tasks}, first + piece.column - block.column, others});
    });
  }

  /// Calls f for chunks of the rows below block b. Chunks of the next block, which the next step waits for, are small;
  /// those of further blocks and of the rows below the supernode are larger if there are many.
  template <class F>
  void for_each_chunk(SupernodeId s, std::int32_t b, F f) const {
    const std::int32_t width = factor_.width(s);
    const std::int32_t near_end = std::min(width, (b + 2) * block_size);
    const auto cut = [&](std::int32_t begin, std::int32_t end, std::int32_t unit, std::int32_t max_pieces) {
      const std::int32_t units = pieces_of(end - begin, unit);
      const std::int32_t step = unit * std::max(1, pieces_of(units, max_pieces));
      for (std::int32_t row = begin, next = 0; row < end; row = next) {
        next = std::min(end, row / cuda::tile_alignment * cuda::tile_alignment + step);
        f(row, next);
      }
    };
    if (shape_.single) {
      const std::int32_t rows = cuda::one_rhs_entries<double> / cuda::one_rhs_outputs;
      cut(std::min(width, (b + 1) * block_size), width, rows, width);
      const EvenTiles even(width, factor_.front(s), rows);
      for (std::int32_t row = width; row < factor_.front(s); row = even.end_of(row)) f(row, even.end_of(row));
      return;
    }
    cut(std::min(width, (b + 1) * block_size), near_end, cuda::solve_chunk_rows, 2);
    cut(near_end, width, block_size, cuda::solve_max_chunks / 2);
    cut(width, factor_.front(s), cuda::solve_chunk_rows, cuda::solve_max_chunks / 2);
  }

  /// A task that multiplies a chunk of rows with columns of a block, transposed, once the rows are solved, and that the
  /// block's diagonal waits for.
  static CudaSolveTask columns_task(const CudaSolveTask& diagonal, const Chunk& chunk) {
    CudaSolveTask task = diagonal;
    task.row_begin = chunk.begin;
    task.row_end = chunk.end;
    task.wait = chunk.by.counter;
    task.need = chunk.by.need;
    task.arrive = diagonal.wait;
    return task;
  }

  /// Adds a chunk's task for every `step` columns of the block; set_kind(task) completes each. Returns their number.
  template <class SetKind>
  std::int32_t each_piece(std::int32_t level, CudaSolveTask task, const Block& block, std::int32_t step, SetKind set_kind) {
    for (std::int32_t column = block.column; column < block.end(); column += step) {
      task.column = column;
      task.width = std::min(step, block.end() - column);
      set_kind(task);
      sweep_.add(level, task);
    }
    return pieces_of(block.width, step);
  }

  /// Adds a chunk's products, for several right-hand sides. `details`: the chunk's, and the first of a range of counters
  /// of finished chunks, one per piece of columns.
  void add_columns(const CudaSolveTask& diagonal, const Block& block, const Chunk& chunk,
                   cuda::SolveDetails<cuda::SolveKind::columns> details) {
    const std::int32_t step = columns_at_once(SupernodeId(diagonal.supernode));
    each_piece(chunk.by.level, columns_task(diagonal, chunk), block, step, [&](CudaSolveTask& piece) {
      details.partial = static_cast<std::int32_t>(partials_);
      partials_ += piece.width;
      piece.set<cuda::SolveKind::columns>(details);
      if (details.finished != no_counter) ++details.finished;
    });
  }

  const SymbolicFactor& factor_;
  const Shape shape_;
  const CrowdedFronts crowded_;
  IdVector<SupernodeId, Solved> fronts_;
  Sweep sweep_;
  std::int64_t partials_ = 0;
};

}  // namespace

CudaSolveSweep build_backward_sweep(const SymbolicFactor& factor, std::int64_t& partials) {
  return BackwardBuilder(factor, for_many).build(partials);
}

CudaSolveSweep build_one_rhs_backward_sweep(const SymbolicFactor& factor, const OneRhsShape& shape, std::int64_t& partials) {
  return BackwardBuilder(factor, for_one(shape)).build(partials);
}

}  // namespace gpusupernodal
