#pragma once

/// \file
/// A factorization as launches: which tasks run together, in which order, on which stream.

#include <cstdint>
#include <vector>

#include "base/raw_vector.hpp"
#include "base/thread_team.hpp"
#include "kernels/common/level_run_records.hpp"
#include "kernels/common/records.hpp"
#include "kernels/common/tile_shapes.hpp"
#include "solver/symbolic/symbolic_factor.hpp"

namespace gpusupernodal {
class CudaPlan;
struct FactorStructure;
}  // namespace gpusupernodal

namespace gpusupernodal::cuda {

/// Tasks begin … begin+count−1 of one kind.
struct TaskRange {
  std::int64_t begin = 0;
  std::int32_t count = 0;
};

/// Product tiles whose results the next level does not need; they run on a separate stream.
struct ProductGroup {
  TaskRange tiles;
  std::int32_t deadline = 0;  ///< First level that needs their results.
  std::int32_t stream = 0;    ///< 1 … streams−1.
};

/// Launches of one level, in this order: whole fronts; then, for the other fronts, their first diagonal blocks; the
/// rows below all of the level's blocks (or both in one launch); product groups on their streams; urgent products together
/// with the next level's later diagonal blocks (`ahead`). With a fixed order of additions, a level may be followed by extra
/// levels with tasks that add to the same columns.
struct Level {
  TaskRange tiny, small, diagonal, scale, ahead, urgent;
  std::int32_t factorized = 0;      ///< Number of the level's diagonal blocks that the level before has factorized ahead.
  std::int32_t first_group = 0;     ///< Index of its first group in LaunchSequence::groups; they end at the next
                                    ///< level's first.
  std::int32_t narrow = 0;          ///< Number of leading tiny fronts that have a separate launch.
  std::int32_t small_entries = 0;   ///< Shared-memory entries of the largest small front.
  std::int32_t ordered_index = -1;  ///< Index among the levels with ordered accumulation; −1 without it.
  double flops = 0.0;               ///< Flops of its columns, including updates to ancestors.
};

/// Levels in launch order, and the product groups of all levels.
struct LaunchSequence {
  std::vector<Level> levels;
  std::vector<ProductGroup> groups;

  /// End of a level's groups, which begin at its first_group.
  std::int32_t groups_end(std::size_t level) const {
    return level + 1 < levels.size() ? levels[level + 1].first_group : static_cast<std::int32_t>(groups.size());
  }
};

/// The whole fronts of several levels that one launch factorizes, before the launches of the first of these levels.
struct RunLists {
  std::int32_t first_level = -1;  ///< −1: there is no run.
  LargeVector<RunFront> fronts;   ///< By group.
  LargeVector<RunGroup> groups;   ///< Every front comes after its children.
  std::int32_t entries = 0;       ///< Shared-memory entries of the largest front that is not narrow.
};

/// The block tasks of Schedule::graph, grouped for a device that needs thousands of tasks per launch. A panel is cut
/// into pieces of 64 columns. The level of a piece is one more than that of the preceding piece of its panel; the level
/// of a first piece is at least one more than the last level of every child. All pieces of a level are independent, and
/// a level's launches execute all of their block tasks: `scale_diagonal`, `scale_below`, `update_internal` (products
/// within a panel) and, after a panel's last piece, `update_between` into all ancestors. A front that fits into the
/// shared memory of a CTA, or of a warp, is one task. Leaf subtrees are spread over the levels too: their many similar
/// narrow supernodes fill the low levels.
///
/// Writers of one tile add by atomic reductions and need no mutual order; edges between two such writers are the only
/// edges of the task graph that launches do not keep.
struct LaunchPlan : LaunchSequence {
  std::int32_t streams = 1;
  LargeVector<FrontTask> tiny, small;
  RunLists run;
  LargeVector<DiagonalTask> diagonal;
  LargeVector<TrsmTask> scale;
  LargeVector<ProductTask> product;
  IdVector<SupernodeId, std::int32_t> first_level;  ///< Level of each supernode's first piece.
  /// Level whose launches factorize a front's first diagonal block: the front's first level, or the level before if the
  /// block is complete by then.
  IdVector<SupernodeId, std::int32_t> first_block_level;
  std::vector<std::int32_t> tasks_before_row;  ///< FactorData::tasks_before_row; empty without ordered accumulation.

  std::int32_t last_level(const SymbolicFactor& factor, SupernodeId s) const;
};

/// What a factorization's launches cover.
enum class LaunchScope { everything, leaf_subtrees };
/// Whether tasks that add to the same column do so in the order of their launches and lists (fixed). A fixed order
/// implies one stream and products that are not cut along their depth.
enum class AdditionOrder { any, fixed };

/// Builds the launches that the plan's options ask for. Precondition: the plan's fronts, solve sweeps and schedule are
/// built. Cost O(tasks).
LaunchPlan build_launch_plan(const CudaPlan& plan, const SymbolicFactor& factor, ThreadTeam& team);

/// Builds launches for another number of streams, scope or order. Precondition: 1 ≤ streams. With one stream there are
/// no groups.
LaunchPlan build_launch_plan(const CudaPlan& plan, const SymbolicFactor& factor, std::int32_t streams, LaunchScope scope,
                             AdditionOrder order, ThreadTeam& team);

/// Returns the flops of the largest task of a level, and of the longest path of a run that begins with it.
double largest_task_flops(const LaunchPlan& launches, const SymbolicFactor& factor, std::size_t level);

/// Computes entries of the tables that tasks point into. Only the device stores complete tables.
class LaunchTables {
 public:
  /// Precondition: `plan` outlives this object.
  explicit LaunchTables(const FactorStructure& plan) : plan_(plan) {}

  PanelInfo panel(SupernodeId s) const;
  UpdateInfo update(UpdateId u) const;
  /// Writes, for entries first … last−1 of SymbolicFactor::rows, the index of the update that contains each.
  void write_update_of_row(std::int64_t first, std::int64_t last, std::int32_t* to) const;
  /// Returns the index of L(j, j) among the values.
  std::int64_t diagonal(NewIndex j) const;

 private:
  const FactorStructure& plan_;
};

}  // namespace gpusupernodal::cuda
