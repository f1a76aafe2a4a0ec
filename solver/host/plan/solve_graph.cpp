#include <algorithm>
#include <utility>
#include <vector>

#include "solver/factor/graph_builder.hpp"
#include "solver/host/plan/solve_schedule.hpp"

namespace gpusupernodal {
namespace {

/// Tiles of the supernodes above the subtrees, taken from the factorization's tasks.
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
  /// Index of the segment of supernode s's rows that starts at `row`.
  std::int64_t segment(SupernodeId s, std::int32_t row) const {
    const auto& borders = borders_[s];
    return first_segment_[s] + (std::lower_bound(borders.begin(), borders.end(), row) - borders.begin());
  }
  std::int64_t first_segment(SupernodeId s) const { return first_segment_[s]; }
  std::int64_t segments_of(SupernodeId s) const { return first_segment_[s + 1] - first_segment_[s]; }
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

/// Task graph of L y = b: supernodes ascending, columns of a supernode left to right.
class ForwardGraph {
 public:
  ForwardGraph(const SymbolicFactor& factor, const Schedule& schedule, const SolveSchedule& solve, const Tiles& tiles)
      : factor_(factor),
        schedule_(schedule),
        solve_(solve),
        tiles_(tiles),
        builder_(tiles.segments()),
        subtree_done_(schedule.subtrees.size()),
        done_(static_cast<std::size_t>(factor.supernodes())) {}

  Graph<SolveTask> build() {
    for (SubtreeId t : schedule_.subtrees.ids()) {
      if (!schedule_.subtrees[t].is_chain) add_subtree(t);
    }
    for (SupernodeId k : factor_.supernode_ids()) {
      if (!schedule_.in_subtree(k)) add_supernode(k);
      if (schedule_.begins_chain(k)) add_chain(schedule_.subtree_of[k]);
    }
    return builder_.finish();
  }

 private:
  void add_subtree(SubtreeId t) { subtree_done_[t] = builder_.add(subtree_task(factor_, t, schedule_.subtrees[t])); }

  TaskId done(const SolveSchedule::Gather& source) const {
    return source.subtree.valid() ? subtree_done_[source.subtree] : done_[source.supernode];
  }

  void add_chain(SubtreeId t) {
    std::vector<TaskId> before;
    for (const auto& source : solve_.gathers_of(schedule_.subtrees[t].first, schedule_.subtrees[t].last)) {
      before.push_back(done(source));
    }
    add_subtree(t);
    builder_.after_all(subtree_done_[t], std::move(before));
  }

  void add_supernode(SupernodeId k) {
    const TaskId gather = builder_.add(supernode_task(SolveTaskKind::gather, k));
    for (const auto& source : solve_.gathers_of(k)) builder_.after(gather, done(source));
    done_[k] = gather;
    if (tiles_.segments_of(k) == 0) return;  // Not factorized.
    for (BlockColumnId c : schedule_.blocks_of(k))
      builder_.set_writer(tiles_.segment(k, schedule_.block_columns[c].first), gather);
    for (BlockColumnId c : schedule_.blocks_of(k)) {
      const BlockColumn& block = schedule_.block_columns[c];
      const TaskId solved = builder_.add_writer(diagonal_task(c, block.width), tiles_.segment(k, block.first));
      for (const auto& rows : tiles_.below(c)) {
        builder_.after(builder_.add_writer(below_task(c, block.width, rows), tiles_.segment(k, rows.begin)), solved);
      }
    }
    done_[k] = builder_.add(supernode_task(SolveTaskKind::complete, k));
    for (std::int64_t s = tiles_.first_segment(k); s < tiles_.first_segment(k + 1); ++s)
      builder_.after(done_[k], builder_.last_writer(s));
  }

  const SymbolicFactor& factor_;
  const Schedule& schedule_;
  const SolveSchedule& solve_;
  const Tiles& tiles_;
  GraphBuilder<SolveTask> builder_;
  IdVector<SubtreeId, TaskId> subtree_done_;
  IdVector<SupernodeId, TaskId> done_;  ///< Last task of each supernode outside subtrees and chains.
};

/// Task graph of Lᵀ x = y: supernodes descending, columns of a supernode right to left. A block column processes its
/// tiles from the bottom up, in the order in which their part of x becomes known: only the product with the block
/// column solved just before must wait.
class BackwardGraph {
 public:
  BackwardGraph(const SymbolicFactor& factor, const Schedule& schedule, const Tiles& tiles)
      : factor_(factor),
        schedule_(schedule),
        tiles_(tiles),
        builder_(tiles.segments()),
        done_(static_cast<std::size_t>(factor.supernodes())) {}

  Graph<SolveTask> build() {
    for (std::int64_t i = factor_.supernodes() - 1; i >= 0; --i) {
      const SupernodeId k(i);
      if (!schedule_.in_subtree(k)) add_supernode(k);
      if (schedule_.ends_chain(k)) add_subtree(schedule_.subtree_of[k]);
    }
    for (SubtreeId t : schedule_.subtrees.ids()) {
      if (!schedule_.subtrees[t].is_chain) add_subtree(t);
    }
    return builder_.finish();
  }

 private:
  /// Adds a leaf subtree or a chain after the parents of its roots.
  void add_subtree(SubtreeId t) {
    const LeafSubtree& subtree = schedule_.subtrees[t];
    const TaskId task = builder_.add(subtree_task(factor_, t, subtree));
    for (SupernodeId s : IdRange<SupernodeId>(subtree.first, subtree.last + 1)) {
      done_[s] = task;
      const SupernodeId parent = factor_.parent[s];
      if (parent.valid() && subtree.last < parent) builder_.after(task, done_[parent]);
    }
  }

  void add_supernode(SupernodeId k) {
    const TaskId gather = builder_.add(supernode_task(SolveTaskKind::gather, k));
    if (factor_.parent[k].valid()) builder_.after(gather, done_[factor_.parent[k]]);
    done_[k] = gather;
    if (tiles_.segments_of(k) == 0) return;  // Not factorized.
    const auto blocks = schedule_.blocks_of(k);
    for (std::int32_t b = blocks.size() - 1; b >= 0; --b) {
      const BlockColumnId c = *blocks.begin() + b;
      const BlockColumn& block = schedule_.block_columns[c];
      const auto& below = tiles_.below(c);
      for (auto rows = below.rbegin(); rows != below.rend(); ++rows) {
        const TaskId task = builder_.add_writer(below_task(c, block.width, *rows), tiles_.segment(k, block.first));
        builder_.after(task, rows->begin < factor_.width(k) ? builder_.last_writer(tiles_.segment(k, rows->begin)) : gather);
      }
      done_[k] = builder_.add_writer(diagonal_task(c, block.width), tiles_.segment(k, block.first));
      builder_.after(done_[k], gather);
    }
  }

  const SymbolicFactor& factor_;
  const Schedule& schedule_;
  const Tiles& tiles_;
  GraphBuilder<SolveTask> builder_;
  IdVector<SupernodeId, TaskId> done_;  ///< Task that completes a supernode's part of x.
};

}  // namespace

void build_solve_graphs(const SymbolicFactor& factor, const Schedule& schedule, SolveSchedule& solve) {
  if (schedule.subtrees_alone()) {
    GraphBuilder<SolveTask> builder(0);
    for (SubtreeId t : schedule.subtrees.ids()) builder.add(subtree_task(factor, t, schedule.subtrees[t]));
    solve.forward = solve.backward = builder.finish();
    return;
  }
  const Tiles tiles(factor, schedule);
  solve.forward = ForwardGraph(factor, schedule, solve, tiles).build();
  solve.backward = BackwardGraph(factor, schedule, tiles).build();
}

}  // namespace gpusupernodal
