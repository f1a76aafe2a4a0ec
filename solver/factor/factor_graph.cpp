#include "solver/factor/factor_graph.hpp"

#include <utility>
#include <vector>

#include "solver/factor/graph_builder.hpp"
#include "solver/factor/task_flops.hpp"
#include "solver/factor/touched_tiles.hpp"

namespace gpusupernodal {
namespace {

Task subtree_task(SubtreeId t, double flops) {
  Task task;
  task.kind = TaskKind::factor_subtree;
  task.subtree = t;
  task.flops = flops;
  return task;
}

/// Builds the graph supernode by supernode. Each function below is one step of the textbook algorithm.
class FactorGraph {
 public:
  FactorGraph(const SymbolicFactor& factor, const UpdateList& updates, const TileGrid& grid, const Schedule& schedule,
              SupernodeId unfactored)
      : factor_(factor),
        updates_(updates),
        grid_(grid),
        schedule_(schedule),
        unfactored_(unfactored),
        builder_(grid.tiles()),
        completed_(static_cast<std::size_t>(factor.supernodes())) {}

  TaskGraph build(ThreadTeam& team) {
    find_touched_tiles(team);
    for (SubtreeId t : schedule_.subtrees.ids()) {
      if (!schedule_.subtrees[t].is_chain) factor_subtree(t);
    }
    for (SupernodeId k : factor_.supernode_ids()) {
      if (schedule_.begins_chain(k)) factor_chain(schedule_.subtree_of[k]);
      if (schedule_.in_subtree(k)) continue;
      assemble(k);
      gather_updates(k);
      if (k == unfactored_) continue;
      for (BlockColumnId c : schedule_.blocks_of(k)) {
        scale(k, c);
        for (BlockColumnId later : IdRange<BlockColumnId>(c + 1, schedule_.first_block_column[k + 1])) {
          update_internal(k, c, later);
        }
      }
      complete(k);
    }
    return builder_.finish();
  }

 private:
  void factor_subtree(SubtreeId t, double pulled_into_it = 0.0) {
    const LeafSubtree& subtree = schedule_.subtrees[t];
    const TaskId id = builder_.add(subtree_task(t, subtree.flops - pulled_from(t) + pulled_into_it));
    for (SupernodeId s : IdRange<SupernodeId>(subtree.first, subtree.last + 1)) completed_[s] = id;
  }

  /// Adds the task of a chain, which also performs the updates from other supernodes into the chain.
  void factor_chain(SubtreeId t) {
    const LeafSubtree& chain = schedule_.subtrees[t];
    std::vector<TaskId> before;
    double flops = 0.0;
    for (SupernodeId s : IdRange<SupernodeId>(chain.first, chain.last + 1)) {
      for (UpdateId u : updates_.into(s)) {
        const Update& update = updates_.updates[u];
        if (update.source >= chain.first) continue;
        before.push_back(completed_[update.source]);
        flops += update_flops(factor_, update);
      }
    }
    factor_subtree(t, flops);
    builder_.after_all(completed_[chain.first], std::move(before));
  }

  /// Flops of the updates from a leaf subtree or chain into its ancestors that the ancestors' tasks perform.
  double pulled_from(SubtreeId t) const {
    if (schedule_.options.subtree_updates == SubtreeUpdates::pushed_by_source) return 0.0;
    const LeafSubtree& subtree = schedule_.subtrees[t];
    double flops = 0.0;
    for (SupernodeId s : IdRange<SupernodeId>(subtree.first, subtree.last + 1)) {
      for (UpdateId u : updates_.from_source(s)) {
        const Update& update = updates_.updates[u];
        if (update.target > subtree.last) flops += update_flops(factor_, update);
      }
    }
    return flops;
  }

  /// A task on row block r of block column c of supernode k.
  Task tile_task(TaskKind kind, SupernodeId k, BlockColumnId c, std::int32_t r) const {
    const auto borders = grid_.row_borders(k);
    Task task;
    task.kind = kind;
    task.target = c;
    task.row_begin = borders[static_cast<std::size_t>(r)];
    task.row_end = borders[static_cast<std::size_t>(r) + 1];
    return task;
  }

  /// Index of a block column within its supernode, which is also the row block of its diagonal tile.
  std::int32_t place(SupernodeId k, BlockColumnId c) const { return c - schedule_.first_block_column[k]; }

  void assemble(SupernodeId k) {
    for (BlockColumnId c : schedule_.blocks_of(k)) {
      Task task = tile_task(TaskKind::assemble, k, c, place(k, c));
      task.row_end = factor_.front(k);
      const TaskId id = builder_.add_writer(task, grid_.tile(c, place(k, c)));
      for (std::int32_t r = place(k, c) + 1; r < grid_.row_blocks(k); ++r) builder_.set_writer(grid_.tile(c, r), id);
    }
  }

  /// Finds the touched tiles of all supernodes above the subtrees. This is most of the work and does not need the graph.
  void find_touched_tiles(ThreadTeam& team) {
    std::vector<SupernodeId> above;
    for (SupernodeId k : factor_.supernode_ids()) {
      if (!schedule_.in_subtree(k)) above.push_back(k);
    }
    touched_.resize(static_cast<std::size_t>(factor_.supernodes()));
    team.for_intervals(static_cast<std::int64_t>(above.size()), 1, [&](std::int64_t begin, std::int64_t end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) find_touched_tiles(above[i]);
    });
  }

  /// Finds the tiles that updates of descendants write in k, in ascending order. Updates of one leaf subtree are combined.
  void find_touched_tiles(SupernodeId k) {
    TouchedTiles tiles(factor_, updates_, grid_, schedule_, k);
    for (UpdateId begin = updates_.first_into[k]; begin < updates_.first_into[k + 1];) {
      const SubtreeId subtree = schedule_.subtree_of[updates_.updates[begin].source];
      UpdateId end = begin + 1;
      while (subtree.valid() && end < updates_.first_into[k + 1] &&
             schedule_.subtree_of[updates_.updates[end].source] == subtree) {
        ++end;
      }
      const bool pulled = !subtree.valid() || schedule_.options.subtree_updates == SubtreeUpdates::pulled_by_target;
      if (pulled) {
        for (const TouchedTiles::Touched& tile : tiles.by(begin, end))
          touched_[static_cast<std::size_t>(k.value)].push_back({begin, end, tile});
      }
      begin = end;
    }
  }

  void gather_updates(SupernodeId k) {
    for (const auto& [begin, end, tile] : touched_[static_cast<std::size_t>(k.value)]) {
      const SupernodeId source = updates_.updates[begin].source;
      Task task = tile_task(TaskKind::update_between, k, tile.column, tile.row_block);
      task.subtree = schedule_.subtree_of[source];
      task.source = task.subtree.valid() ? SupernodeId() : source;
      task.update_begin = begin;
      task.update_end = end;
      task.flops = tile.flops;
      builder_.after(builder_.add_writer(task, grid_.tile(tile.column, tile.row_block)), completed_[source]);
    }
  }

  void scale(SupernodeId k, BlockColumnId c) {
    const double width = schedule_.block_columns[c].width;
    Task diagonal = tile_task(TaskKind::scale_diagonal, k, c, place(k, c));
    diagonal.flops = potrf_flops(width);
    const TaskId factored = builder_.add_writer(diagonal, grid_.tile(c, place(k, c)));
    for (std::int32_t r = place(k, c) + 1; r < grid_.row_blocks(k); ++r) {
      Task below = tile_task(TaskKind::scale_below, k, c, r);
      below.flops = trsm_flops(below.row_end - below.row_begin, width);
      builder_.after(builder_.add_writer(below, grid_.tile(c, r)), factored);
    }
  }

  void update_internal(SupernodeId k, BlockColumnId c, BlockColumnId later) {
    const double depth = schedule_.block_columns[c].width;
    const double width = schedule_.block_columns[later].width;
    const TaskId transposed = builder_.last_writer(grid_.tile(c, place(k, later)));
    for (std::int32_t r = place(k, later); r < grid_.row_blocks(k); ++r) {
      Task task = tile_task(TaskKind::update_internal, k, later, r);
      task.source_block = c;
      const double rows = task.row_end - task.row_begin;
      task.flops = r == place(k, later) ? syrk_flops(width, depth) : gemm_flops(rows, width, depth);
      const TaskId id = builder_.add_writer(task, grid_.tile(later, r));
      builder_.after(id, transposed);
      builder_.after(id, builder_.last_writer(grid_.tile(c, r)));
    }
  }

  void complete(SupernodeId k) {
    Task task;
    task.source = k;
    const TaskId id = builder_.add(task);
    for (BlockColumnId c : schedule_.blocks_of(k)) {
      for (std::int32_t r = place(k, c); r < grid_.row_blocks(k); ++r)
        builder_.after(id, builder_.last_writer(grid_.tile(c, r)));
    }
    completed_[k] = id;
  }

  const SymbolicFactor& factor_;
  const UpdateList& updates_;
  const TileGrid& grid_;
  const Schedule& schedule_;
  SupernodeId unfactored_;
  GraphBuilder<Task> builder_;
  /// A tile that a range of updates into its supernode writes.
  struct TouchedTile {
    UpdateId begin;
    UpdateId end;
    TouchedTiles::Touched tile;
  };
  std::vector<std::vector<TouchedTile>> touched_;  ///< By supernode above the subtrees, in the order of the updates.
  IdVector<SupernodeId, TaskId> completed_;        ///< Task after which a supernode's panel is final.
};

}  // namespace

TaskGraph build_factor_graph(const SymbolicFactor& factor, const UpdateList& updates, const TileGrid& grid,
                             const Schedule& schedule, ThreadTeam& team, SupernodeId unfactored) {
  if (!schedule.subtrees_alone()) return FactorGraph(factor, updates, grid, schedule, unfactored).build(team);
  GraphBuilder<Task> subtrees_alone(0);  // Independent tasks.
  for (SubtreeId t : schedule.subtrees.ids()) subtrees_alone.add(subtree_task(t, schedule.subtrees[t].flops));
  return subtrees_alone.finish();
}

}  // namespace gpusupernodal
