#pragma once

/// \file
/// How the work on a plan is cut into tasks: leaf subtrees, block columns, row blocks; and what tasks wait for.

#include <cstdint>
#include <limits>

#include "base/thread_team.hpp"
#include "solver/factor/graph.hpp"
#include "solver/factor/updates.hpp"
#include "solver/symbolic/symbolic_factor.hpp"

namespace gpusupernodal {

/// Supernodes first … last, which one thread factorizes as one task. Either a leaf subtree: a complete subtree of the
/// assembly tree, or several neighbouring ones that are too small to be worth a task each. Or a chain: small supernodes
/// above the leaf subtrees that wait for one another, with the tiny leaf subtrees between them. A chain takes updates from
/// outside.
struct LeafSubtree {
  SupernodeId first;
  SupernodeId last;
  double flops = 0.0;  ///< That its columns cause, their updates to ancestors included.
  bool is_chain = false;
};

/// Columns first … first+width−1 of a supernode above the leaf subtrees (positions within the supernode).
struct BlockColumn {
  SupernodeId supernode;
  std::int32_t first = 0;
  std::int32_t width = 0;
};

/// The block tasks of [ZDG] and the subtree task. A tile is rows row_begin … row_end−1 of a block column's panel rows.
enum class TaskKind : std::uint8_t {
  factor_subtree,   ///< All of a leaf subtree or chain: its snScale, and snUpdate into its supernodes.
  assemble,         ///< Panel columns of a block column := entries of A.
  update_between,   ///< bcUpdateBetween: a leaf subtree, chain or supernode updates a tile of an ancestor.
  update_internal,  ///< bcUpdateInternal: a block column updates a tile of a later one of the same supernode.
  scale_diagonal,   ///< bcScale, its potrf: the diagonal tile of a block column.
  scale_below,      ///< bcScale, its trsm: a tile below the diagonal one.
  complete          ///< No work: all tiles of a supernode are final.
};

/// As the enumerator is spelt.
const char* name_of(TaskKind kind);

struct Task {
  TaskKind kind = TaskKind::complete;
  SubtreeId subtree;           ///< factor_subtree; update_between from a subtree or chain (else invalid).
  SupernodeId source;          ///< update_between from a supernode above the subtrees (else invalid); complete.
  BlockColumnId source_block;  ///< update_internal: the block column read.
  BlockColumnId target;        ///< Block column written.
  std::int32_t row_begin = 0;  ///< Rows of the target's panel written.
  std::int32_t row_end = 0;
  UpdateId update_begin;  ///< update_between: the updates into target's supernode to apply, a range.
  UpdateId update_end;
  double flops = 0.0;
};

/// The task graph of a factorization. Writers of one tile are chained in a fixed order, so that any execution that respects
/// the graph adds in the same order.
using TaskGraph = Graph<Task>;

/// Who adds the updates of a leaf subtree into the supernodes above it.
enum class SubtreeUpdates {
  pulled_by_target,  ///< update_between tasks, one a subtree and target tile.
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
  double hand_over_flops = 0.0;  ///< Work that takes as long as handing a task from one thread to another.
  /// Whether block columns also end where the storage of a panel has a border, so that each has one leading dimension.
  bool cuts_at_borders = true;
};

struct Schedule {
  ScheduleOptions options;
  IdVector<SubtreeId, LeafSubtree> subtrees;                ///< Leaf subtrees and chains: ascending, disjoint.
  IdVector<SupernodeId, SubtreeId> subtree_of;              ///< Invalid for supernodes that are in neither.
  IdVector<BlockColumnId, BlockColumn> block_columns;       ///< Of supernodes that are in neither, ascending.
  IdVector<SupernodeId, BlockColumnId> first_block_column;  ///< supernodes + 1.
  std::int64_t chains = 0;                                  ///< Of `subtrees`.
  TaskGraph graph;

  bool in_subtree(SupernodeId s) const { return subtree_of[s].valid(); }
  /// Whether there are leaf subtrees and nothing else: tasks that wait for nothing.
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

/// The same on one thread.
Schedule build_schedule(const SymbolicFactor& factor, const UpdateList& updates, const ScheduleOptions& options);

}  // namespace gpusupernodal
