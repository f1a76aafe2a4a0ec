#include <algorithm>

#include "solver/factor/graph_builder.hpp"
#include "solver/host/plan/solve_schedule.hpp"

namespace gpusupernodal {
namespace {

/// Tiles of the supernodes above the subtrees, taken from the tasks of the factorization.
class Tiles {
 public:
  Tiles(const SymbolicFactor& factor, const Schedule& schedule)
      : below_(schedule.block_columns.size()),
        first_segment_(static_cast<std::size_t>(factor.supernodes()) + 1),
        borders_(static_cast<std::size_t>(factor.supernodes())) {
    for (const Task& task : schedule.graph.tasks) {
      const bool diagonal = task.kind == TaskKind::scale_diagonal;
      if (!diagonal && task.kind != TaskKind::scale_below) continue;
      const BlockColumn& block = schedule.block_columns[task.target];
      if (!diagonal) below_[task.target].push_back({task.row_begin, task.row_end});
      if (block.first == 0) borders_[block.supernode].push_back(task.row_begin);
    }
    for (SupernodeId s : factor.supernode_ids()) {
      std::sort(borders_[s].begin(), borders_[s].end());
      first_segment_[s + 1] = first_segment_[s] + static_cast<std::int64_t>(borders_[s].size());
    }
  }

  struct Rows {
    std::int32_t begin;
    std::int32_t end;
  };
  const std::vector<Rows>& below(BlockColumnId c) const { return below_[c]; }
  /// Number of the piece of supernode s's rows that starts at `row`.
  std::int64_t segment(SupernodeId s, std::int32_t row) const {
    const auto& borders = borders_[s];
    return first_segment_[s] + (std::lower_bound(borders.begin(), borders.end(), row) - borders.begin());
  }
  std::int64_t first_segment(SupernodeId s) const { return first_segment_[s]; }
  std::int64_t segments() const { return first_segment_.back(); }

 private:
  IdVector<BlockColumnId, std::vector<Rows>> below_;
  IdVector<SupernodeId, std::int64_t> first_segment_;
  IdVector<SupernodeId, std::vector<std::int32_t>> borders_;
};

SolveTask subtree_task(const SymbolicFactor& factor, SubtreeId t, const LeafSubtree& subtree) {
  SolveTask task;
  task.kind = SolveTaskKind::subtree;
  task.subtree = t;
  for (SupernodeId s : IdRange<SupernodeId>(subtree.first, subtree.last + 1)) {
    const double width = factor.width(s);
    task.flops += width * (width + 2.0 * factor.rows_below(s));
  }
  return task;
}

SolveTask supernode_task(SolveTaskKind kind, SupernodeId s) {
  SolveTask task;
  task.kind = kind;
  task.supernode = s;
  return task;
}

SolveTask diagonal_task(BlockColumnId c, double width) {
  SolveTask task;
  task.kind = SolveTaskKind::diagonal;
  task.block = c;
  task.flops = width * width;
  return task;
}

SolveTask below_task(BlockColumnId c, double width, const Tiles::Rows& rows) {
  SolveTask task;
  task.kind = SolveTaskKind::below;
  task.block = c;
  task.row_begin = rows.begin;
  task.row_end = rows.end;
  task.flops = 2.0 * width * (rows.end - rows.begin);
  return task;
}

/// L y = b: supernodes ascending, columns of a supernode left to right.
Graph<SolveTask> forward_graph(const SymbolicFactor& factor, const Schedule& schedule, const SolveSchedule& solve,
                               const Tiles& tiles) {
  GraphBuilder<SolveTask> builder(tiles.segments());
  IdVector<SubtreeId, TaskId> subtree_done(schedule.subtrees.size());
  IdVector<SupernodeId, TaskId> done(static_cast<std::size_t>(factor.supernodes()));
  for (SubtreeId t : schedule.subtrees.ids()) subtree_done[t] = builder.add(subtree_task(factor, t, schedule.subtrees[t]));
  for (SupernodeId k : factor.supernode_ids()) {
    if (schedule.in_subtree(k)) continue;
    const TaskId gather = builder.add(supernode_task(SolveTaskKind::gather, k));
    for (const auto& source : solve.gathers_of(k)) {
      builder.after(gather, source.subtree.valid() ? subtree_done[source.subtree] : done[source.supernode]);
    }
    for (BlockColumnId c : schedule.blocks_of(k))
      builder.set_writer(tiles.segment(k, schedule.block_columns[c].first), gather);
    for (BlockColumnId c : schedule.blocks_of(k)) {
      const BlockColumn& block = schedule.block_columns[c];
      const TaskId solved = builder.add_writer(diagonal_task(c, block.width), tiles.segment(k, block.first));
      for (const auto& rows : tiles.below(c)) {
        builder.after(builder.add_writer(below_task(c, block.width, rows), tiles.segment(k, rows.begin)), solved);
      }
    }
    done[k] = builder.add(supernode_task(SolveTaskKind::complete, k));
    for (std::int64_t s = tiles.first_segment(k); s < tiles.first_segment(k + 1); ++s)
      builder.after(done[k], builder.last_writer(s));
  }
  return builder.finish();
}

/// Lᵀ x = y: supernodes descending, columns of a supernode right to left. A block column takes the rows below it from the
/// last one up, in the order in which they become known: only the product with the block column solved just before it has to
/// wait.
Graph<SolveTask> backward_graph(const SymbolicFactor& factor, const Schedule& schedule, const Tiles& tiles) {
  GraphBuilder<SolveTask> builder(tiles.segments());
  IdVector<SupernodeId, TaskId> done(static_cast<std::size_t>(factor.supernodes()));
  for (std::int64_t i = factor.supernodes() - 1; i >= 0; --i) {
    const SupernodeId k(i);
    if (schedule.in_subtree(k)) continue;
    const TaskId gather = builder.add(supernode_task(SolveTaskKind::gather, k));
    if (factor.parent[k].valid()) builder.after(gather, done[factor.parent[k]]);
    const auto blocks = schedule.blocks_of(k);
    for (std::int32_t b = blocks.size() - 1; b >= 0; --b) {
      const BlockColumnId c = *blocks.begin() + b;
      const BlockColumn& block = schedule.block_columns[c];
      const auto& below = tiles.below(c);
      for (auto rows = below.rbegin(); rows != below.rend(); ++rows) {
        const TaskId task = builder.add_writer(below_task(c, block.width, *rows), tiles.segment(k, block.first));
        builder.after(task, rows->begin < factor.width(k) ? builder.last_writer(tiles.segment(k, rows->begin)) : gather);
      }
      done[k] = builder.add_writer(diagonal_task(c, block.width), tiles.segment(k, block.first));
      builder.after(done[k], gather);
    }
  }
  for (SubtreeId t : schedule.subtrees.ids()) {
    const LeafSubtree& subtree = schedule.subtrees[t];
    const TaskId task = builder.add(subtree_task(factor, t, subtree));
    for (SupernodeId s : IdRange<SupernodeId>(subtree.first, subtree.last + 1)) {
      if (factor.parent[s].valid() && subtree.last < factor.parent[s]) builder.after(task, done[factor.parent[s]]);
    }
  }
  return builder.finish();
}

}  // namespace

void build_solve_graphs(const SymbolicFactor& factor, const Schedule& schedule, SolveSchedule& solve) {
  if (schedule.block_columns.empty()) {  // Subtrees alone, which wait for nothing.
    GraphBuilder<SolveTask> builder(0);
    for (SubtreeId t : schedule.subtrees.ids()) builder.add(subtree_task(factor, t, schedule.subtrees[t]));
    solve.forward = solve.backward = builder.finish();
    return;
  }
  const Tiles tiles(factor, schedule);
  solve.forward = forward_graph(factor, schedule, solve, tiles);
  solve.backward = backward_graph(factor, schedule, tiles);
}

}  // namespace gpusupernodal
