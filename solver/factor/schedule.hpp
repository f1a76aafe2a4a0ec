#pragma once

/// \file
/// The division of a factorization into tasks (leaf subtrees, block columns, row blocks) and the dependencies of the tasks.

#include <cstdint>
#include <limits>

#include "base/thread_team.hpp"
#include "solver/factor/graph.hpp"
#include "solver/factor/updates.hpp"
#include "solver/symbolic/symbolic_factor.hpp"

namespace gpusupernodal {

/// Supernodes first … last, which one thread factorizes as one task: a leaf subtree or a chain. A leaf subtree consists of
/// one complete subtree of the assembly tree, or of several adjacent ones that are too small for separate tasks. A chain
/// consists of small dependent supernodes above the leaf subtrees and the tiny leaf subtrees between them. Only chains
/// receive updates from other supernodes.
struct LeafSubtree {
  SupernodeId first;
  SupernodeId last;
  double flops = 0.0;  ///< Flops of its columns, including updates to ancestors.
  bool is_chain = false;
};

/// Columns first … first+width−1, counted within the supernode, of a supernode above the leaf subtrees.
struct BlockColumn {
  SupernodeId supernode;
  std::int32_t first = 0;
  std::int32_t width = 0;
};

/// The block tasks of [ZDG] and the subtree task. A tile is rows row_begin … row_end−1 of a block column's panel rows.
enum class TaskKind : std::uint8_t {
  factor_subtree,   ///< Factorizes a leaf subtree or chain: snScale, and snUpdate into its supernodes.
  assemble,         ///< Copies the entries of A into a block column.
  update_between,   ///< bcUpdateBetween: a leaf subtree, chain or supernode updates a tile of an ancestor.
  update_internal,  ///< bcUpdateInternal: a block column updates a tile of a later one of the same supernode.
  scale_diagonal,   ///< bcScale, its potrf: the diagonal tile of a block column.
  scale_below,      ///< bcScale, its trsm: a tile below the diagonal one.
  complete          ///< No work: all tiles of a supernode are final.
};

/// The name of the enumerator.
const char* name_of(TaskKind kind);

struct Task {
  TaskKind kind = TaskKind::complete;
  SubtreeId subtree;           ///< factor_subtree; update_between from a subtree or chain (else invalid).
  SupernodeId source;          ///< update_between from a supernode above the subtrees (else invalid); complete.
  BlockColumnId source_block;  ///< update_internal: the block column read.
  BlockColumnId target;        ///< Block column written.
  std::int32_t row_begin = 0;  ///< Rows of the target's panel written.
  std::int32_t row_end = 0;
  UpdateId update_begin;  ///< update_between: range of the updates into the target's supernode to apply.
  UpdateId update_end;
  double flops = 0.0;
};

/// The task graph of a factorization. Writers of one tile are chained in a fixed order, so that any execution that respects
/// the graph adds in the same order.
using TaskGraph = Graph<Task>;

/// Which tasks add the updates of a leaf subtree to the supernodes above it.
enum class SubtreeUpdates {
  pulled_by_target,  ///< update_between tasks, one for each subtree and target tile.
  pushed_by_source   ///< The subtree task itself; no update_between tasks for subtrees.
};

struct ScheduleOptions {
  std::int32_t block_width = 1024;
  double max_subtree_flops = std::numeric_limits<double>::infinity();
  std::int32_t max_subtree_width = std::numeric_limits<std::int32_t>::max();  ///< Widest supernode in a leaf subtree.
  SubtreeUpdates subtree_updates = SubtreeUpdates::pulled_by_target;
  /// Supernodes above the leaf subtrees with at most this much work are joined into chains; 0: no chains. Chains need
  /// SubtreeUpdates::pulled_by_target.
  double max_chained_flops = 0.0;
  double hand_over_flops = 0.0;  ///< Flops that take as long as passing a task from one thread to another.
  /// Whether block columns also end at the borders of the panel's storage, so that each has one leading dimension.
  bool cuts_at_borders = true;
};

struct Schedule {
  ScheduleOptions options;
  IdVector<SubtreeId, LeafSubtree> subtrees;                ///< Leaf subtrees and chains: ascending, disjoint.
  IdVector<SupernodeId, SubtreeId> subtree_of;              ///< Invalid for supernodes in neither kind.
  IdVector<BlockColumnId, BlockColumn> block_columns;       ///< Block columns of those supernodes, ascending.
  IdVector<SupernodeId, BlockColumnId> first_block_column;  ///< supernodes + 1.
  std::int64_t chains = 0;                                  ///< Number of chains in `subtrees`.
  TaskGraph graph;

  bool in_subtree(SupernodeId s) const { return subtree_of[s].valid(); }
  /// Whether all tasks are leaf subtrees, which have no dependencies.
  bool subtrees_alone() const { return block_columns.empty() && chains == 0; }
  bool in_chain(SupernodeId s) const { return in_subtree(s) && subtrees[subtree_of[s]].is_chain; }
  bool begins_chain(SupernodeId s) const { return in_chain(s) && subtrees[subtree_of[s]].first == s; }
  bool ends_chain(SupernodeId s) const { return in_chain(s) && subtrees[subtree_of[s]].last == s; }
  bool in_leaf_subtree(SupernodeId s) const { return in_subtree(s) && !subtrees[subtree_of[s]].is_chain; }
  IdRange<BlockColumnId> blocks_of(SupernodeId s) const { return {first_block_column[s], first_block_column[s + 1]}; }
};

/// Cuts the assembly tree into leaf subtrees and block columns; the task graph stays empty. Cost O(supernodes).
Schedule cut_schedule(const SymbolicFactor& factor, const ScheduleOptions& options);

/// Cuts the assembly tree and builds the task graph. Cost O(updates · tiles touched · log rows).
Schedule build_schedule(const SymbolicFactor& factor, const UpdateList& updates, const ScheduleOptions& options,
                        ThreadTeam& team);

/// Runs on one thread.
Schedule build_schedule(const SymbolicFactor& factor, const UpdateList& updates, const ScheduleOptions& options);

}  // namespace gpusupernodal
