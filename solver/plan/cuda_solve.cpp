#include "solver/plan/cuda_solve.hpp"

#include <algorithm>
#include <limits>

#include "solver/plan/cuda_tiling.hpp"

namespace gpusupernodal {
namespace {

std::int32_t blocks_of(std::int32_t width) { return (width + cuda_solve_block - 1) / cuda_solve_block; }

bool is_small(std::int32_t width, std::int32_t front) {
  return width <= cuda_warp_width && width * std::int64_t{front} <= cuda_solve_warp_entries;
}
bool is_whole(std::int32_t width, std::int32_t front) {
  return width <= cuda_tile && width * std::int64_t{front} <= cuda_solve_cta_entries;
}

/// Tasks with the level of each; sorts them into launches.
class Sweep {
 public:
  void add(std::int32_t level, const CudaSolveTask& task) {
    tasks_.push_back(task);
    level_.push_back(level);
    levels_ = std::max(levels_, level + 1);
  }

  CudaSolveSweep finish() {
    const auto key = [](const CudaSolveTask& task, std::int32_t level) {
      return 2 * static_cast<std::size_t>(level) + (task.kind == CudaSolveKind::whole_by_warp ? 0U : 1U);
    };
    std::vector<std::int64_t> begin(2 * static_cast<std::size_t>(levels_) + 1, 0);
    for (std::size_t i = 0; i < tasks_.size(); ++i) ++begin[key(tasks_[i], level_[i]) + 1];
    for (std::size_t k = 1; k < begin.size(); ++k) begin[k] += begin[k - 1];
    CudaSolveSweep sweep;
    for (std::size_t l = 0; l < static_cast<std::size_t>(levels_); ++l) {
      sweep.levels.push_back({begin[2 * l], static_cast<std::int32_t>(begin[2 * l + 1] - begin[2 * l]),
                              static_cast<std::int32_t>(begin[2 * l + 2] - begin[2 * l + 1])});
    }
    sweep.tasks.resize(tasks_.size());
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      sweep.tasks[static_cast<std::size_t>(begin[key(tasks_[i], level_[i])]++)] = tasks_[i];
    }
    return sweep;
  }

 private:
  std::vector<CudaSolveTask> tasks_;
  std::vector<std::int32_t> level_;
  std::int32_t levels_ = 0;
};

/// Launches that a front takes forward: one, or for each block its diagonal and the rows below.
std::int32_t forward_length(std::int32_t width, std::int32_t front) {
  if (is_whole(width, front)) return 1;
  return 2 * blocks_of(width) - (width == front ? 1 : 0);
}

void add_diagonal(Sweep& sweep, std::int32_t level, CudaSolveTask task, std::int32_t column, std::int32_t width) {
  task.kind = CudaSolveKind::diagonal;
  task.column = column;
  task.width = width;
  for (std::int32_t row = column; row < column + width; row += cuda_solve_outputs) {
    task.row_begin = row;
    task.row_end = std::min(column + width, row + cuda_solve_outputs);
    sweep.add(level, task);
  }
}

void add_rows(Sweep& sweep, std::int32_t level, CudaSolveTask task, std::int32_t column, std::int32_t width,
              std::int32_t front) {
  const bool tall = width <= cuda_tile;
  const std::int32_t step = tall ? cuda_solve_tall_rows : cuda_solve_outputs;
  task.kind = tall ? CudaSolveKind::tall_rows : CudaSolveKind::rows;
  task.column = column;
  task.width = width;
  for (std::int32_t row = column + width; row < front; row += step) {
    task.row_begin = row;
    task.row_end = std::min(front, row + step);
    sweep.add(level, task);
  }
}

CudaSolveTask whole_task(std::int32_t supernode, std::int32_t width, std::int32_t front) {
  CudaSolveTask task;
  task.supernode = supernode;
  task.kind = is_small(width, front) ? CudaSolveKind::whole_by_warp : CudaSolveKind::whole;
  task.width = width;
  task.row_end = front;
  return task;
}

CudaSolveSweep forward_sweep(const SymbolicFactor& factor) {
  Sweep sweep;
  IdVector<SupernodeId, std::int32_t> start(static_cast<std::size_t>(factor.supernodes()), 0);
  for (SupernodeId s : factor.supernode_ids()) {
    const std::int32_t width = factor.width(s);
    const std::int32_t front = factor.front(s);
    const SupernodeId parent = factor.parent[s];
    if (parent.valid()) start[parent] = std::max(start[parent], start[s] + forward_length(width, front));
    const CudaSolveTask task = whole_task(s.value, width, front);
    if (is_whole(width, front)) {
      sweep.add(start[s], task);
      continue;
    }
    for (std::int32_t b = 0; b < blocks_of(width); ++b) {
      const std::int32_t column = b * cuda_solve_block;
      const std::int32_t block_width = std::min(cuda_solve_block, width - column);
      add_diagonal(sweep, start[s] + 2 * b, task, column, block_width);
      add_rows(sweep, start[s] + 2 * b + 1, task, column, block_width, front);
    }
  }
  return sweep.finish();
}

/// Lays out partial sums: written at one level and read at the next, so that levels of one parity share room.
class Partials {
 public:
  std::int64_t take(std::int32_t level, std::int64_t count) {
    const auto index = static_cast<std::size_t>(level);
    if (used_.size() <= index) used_.resize(index + 1, 0);
    const std::int64_t begin = used_[index];
    used_[index] += count;
    largest_ = std::max(largest_, used_[index]);
    return begin;
  }
  std::int64_t largest() const { return largest_; }

 private:
  std::vector<std::int64_t> used_;
  std::int64_t largest_ = 0;
};

/// The block's columns, transposed, times the rows below, in chunks; returns the chunks.
std::int32_t add_columns(Sweep& sweep, Partials& partials, std::int32_t level, CudaSolveTask& task, std::int32_t column,
                         std::int32_t width, std::int32_t front) {
  const std::int32_t rows = front - column - width;
  if (rows == 0) return 0;
  const std::int32_t wanted = (rows + cuda_solve_most_chunks - 1) / cuda_solve_most_chunks;
  const std::int32_t chunk = std::max(cuda_solve_chunk_rows, (wanted + 31) / 32 * 32);
  const std::int32_t chunks = (rows + chunk - 1) / chunk;
  task.partial = static_cast<std::int32_t>(partials.take(level, std::int64_t{chunks} * width));
  CudaSolveTask piece = task;
  piece.kind = CudaSolveKind::columns;
  for (std::int32_t c = 0; c < chunks; ++c) {
    piece.row_begin = column + width + c * chunk;
    piece.row_end = std::min(front, piece.row_begin + chunk);
    for (std::int32_t first = 0; first < width; first += cuda_solve_outputs) {
      piece.column = column + first;
      piece.width = std::min(cuda_solve_outputs, width - first);
      piece.partial = task.partial + c * width + first;
      sweep.add(level, piece);
    }
  }
  return chunks;
}

CudaSolveSweep backward_sweep(const SymbolicFactor& factor, std::int64_t& partial_count) {
  Sweep sweep;
  Partials partials;
  IdVector<SupernodeId, std::int32_t> end(static_cast<std::size_t>(factor.supernodes()), 0);
  for (std::int64_t i = factor.supernodes() - 1; i >= 0; --i) {
    const SupernodeId s(i);
    const std::int32_t width = factor.width(s);
    const std::int32_t front = factor.front(s);
    std::int32_t level = factor.parent[s].valid() ? end[factor.parent[s]] : 0;
    CudaSolveTask task = whole_task(s.value, width, front);
    if (is_whole(width, front)) {
      sweep.add(level++, task);
    } else {
      for (std::int32_t b = blocks_of(width) - 1; b >= 0; --b) {
        const std::int32_t column = b * cuda_solve_block;
        const std::int32_t block_width = std::min(cuda_solve_block, width - column);
        task.chunks = add_columns(sweep, partials, level, task, column, block_width, front);
        if (task.chunks > 0) ++level;
        add_diagonal(sweep, level++, task, column, block_width);
      }
    }
    end[s] = level;
  }
  partial_count = partials.largest();
  CudaSolveSweep result = sweep.finish();
  // Which half of the partial sums: that of the level in which they are written.
  std::int32_t number = 0;
  for (const CudaSolveLevel& level : result.levels) {
    const auto begin = result.tasks.begin() + level.begin;
    std::for_each(begin, begin + level.warps + level.ctas, [&](CudaSolveTask& task) {
      const bool writes = task.kind == CudaSolveKind::columns;
      if (writes || task.kind == CudaSolveKind::diagonal) {
        if ((writes ? number : number + 1) % 2 == 1) task.partial += static_cast<std::int32_t>(partial_count);
      }
    });
    ++number;
  }
  return result;
}

void add_widenings(const SymbolicFactor& factor, CudaSolvePlan& plan) {
  for (std::int32_t half = cuda_tile; half < cuda_solve_block; half *= 2) {
    plan.widening_begin.push_back(static_cast<std::int64_t>(plan.widenings.size()));
    for (SupernodeId s : factor.supernode_ids()) {
      const std::int32_t width = factor.width(s);
      for (std::int32_t column = 0; column + half < width; column += 2 * half) {
        plan.widenings.push_back({s.value, column, half, std::min(half, width - column - half)});
      }
    }
  }
  plan.widening_begin.push_back(static_cast<std::int64_t>(plan.widenings.size()));
}

}  // namespace

FrontGather build_front_gather(const SymbolicFactor& factor, const UpdateList& updates) {
  const std::int64_t contributions = factor.row_offset.back();
  FrontGather gather;
  gather.offset.assign(static_cast<std::size_t>(factor.order() + contributions) + 1, 0);
  gather.source.resize(static_cast<std::size_t>(contributions));
  /// Calls visit(row of the parent's front, position in the contributions), children ascending.
  const auto for_each_contribution = [&](auto visit) {
    for (SupernodeId s : factor.supernode_ids()) {
      const SupernodeId p = factor.parent[s];
      if (!p.valid()) continue;
      const std::int32_t* relative = updates.relative_rows.data() + updates.updates[updates.from_source(s).front()].relative;
      for (std::int64_t i = factor.row_offset[s]; i < factor.row_offset[s + 1]; ++i) {
        const std::int32_t row = *relative++;
        const bool own = row < factor.width(p);
        visit(own ? std::int64_t{factor.first_column[p].value} + row
                  : factor.order() + factor.row_offset[p] + row - factor.width(p),
              i);
      }
    }
  };
  for_each_contribution([&](std::int64_t row, std::int64_t) { ++gather.offset[static_cast<std::size_t>(row) + 1]; });
  for (std::size_t r = 1; r < gather.offset.size(); ++r) gather.offset[r] += gather.offset[r - 1];
  std::vector<std::int64_t> next(gather.offset.begin(), gather.offset.end() - 1);
  for_each_contribution([&](std::int64_t row, std::int64_t position) {
    gather.source[static_cast<std::size_t>(next[static_cast<std::size_t>(row)]++)] = static_cast<std::int32_t>(position);
  });
  return gather;
}

CudaSolvePlan build_cuda_solve(const SymbolicFactor& factor, const UpdateList& updates) {
  CudaSolvePlan plan;
  plan.fits = factor.row_offset.back() <= std::numeric_limits<std::int32_t>::max();
  if (!plan.fits) return plan;
  plan.gather = build_front_gather(factor, updates);
  plan.forward = forward_sweep(factor);
  plan.backward = backward_sweep(factor, plan.partials);
  plan.partials *= 2;
  add_widenings(factor, plan);
  return plan;
}

}  // namespace gpusupernodal
