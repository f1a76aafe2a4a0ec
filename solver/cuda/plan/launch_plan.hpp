#pragma once

/// \file
/// A factorization as launches: which tasks go together, in which order, on which stream.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/raw_vector.hpp"
#include "base/thread_team.hpp"
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

/// Product tiles that need not be done by the next level: they run on a stream of their own.
struct ProductGroup {
  TaskRange tiles;
  std::int32_t deadline = 0;  ///< First level that needs their results.
  std::int32_t stream = 0;    ///< 1 … streams−1.
};

inline constexpr std::int32_t after_all_levels = std::numeric_limits<std::int32_t>::max();
/// Inverses of blocks of one size that become those of blocks twice as wide, once a level's rows below are scaled, beside
/// what follows.
struct MergeInversesGroup {
  TaskRange tasks;
  std::int32_t half = 0;
  std::int32_t level = after_all_levels;
};

/// What is launched for one level, in this order: whole fronts, then of the others: first diagonal blocks of panels, rows
/// below all of the level's blocks, or both at once, inverses of wider blocks, groups of products on their streams, and
/// urgent products beside the later diagonal blocks of the next level. Where additions are in a fixed
/// order, a level may be followed by others that have what adds to the same columns as its own tasks.
struct Level {
  TaskRange tiny, small, diagonal, scale, ahead, urgent;
  std::int32_t factorized = 0;      ///< Of its diagonal blocks, those that are done when it begins.
  std::int32_t first_group = 0;     ///< Into LaunchSequence::groups, up to the next level's.
  std::int32_t narrow = 0;          ///< Tiny fronts from the first on that have a launch of their own.
  std::int32_t small_entries = 0;   ///< Of the largest small front, in shared memory.
  std::int32_t ordered_level = -1;  ///< Its number among the levels whose tasks take turns; −1: they need not.
  double flops = 0.0;               ///< Of its columns, their updates to ancestors included.
};

/// Levels in the order of their launches, and the groups of all of them.
struct LaunchSequence {
  std::vector<Level> levels;
  std::vector<ProductGroup> groups;
  std::vector<MergeInversesGroup> inverse_merges;  ///< By level, then by size.

  std::span<const MergeInversesGroup> inverse_merges_of(std::int32_t level) const {
    const auto range = std::ranges::equal_range(inverse_merges, level, {}, &MergeInversesGroup::level);
    return {range.begin(), range.end()};
  }
  /// Where the groups of a level end; they begin at its first_group.
  std::int32_t groups_end(std::size_t level) const {
    return level + 1 < levels.size() ? levels[level + 1].first_group : static_cast<std::int32_t>(groups.size());
  }
};

/// The block tasks of Schedule::graph grouped for a device that wants thousands of tasks a launch. A panel is cut into
/// pieces of 64 columns. Level of a piece: one more than that of the piece before it in its panel, or, of the first, than
/// the last level of all children. All pieces of a level are independent, and a level's launches do all their block tasks:
/// `scale_diagonal`, `scale_below`, `update_internal` (the products within a panel) and, after a panel's last piece,
/// `update_between` into all ancestors. A front small enough for the shared memory of a CTA, or of a warp, is one task. A
/// leaf subtree is spread over the levels too: what the schedule promises of it, narrow supernodes many of which are alike,
/// is what makes the low levels full.
///
/// Writers of one tile add by reductions in memory, so that they need no order among themselves; an edge of the task graph
/// between two of them is the only kind that launches do not keep.
struct LaunchPlan : LaunchSequence {
  std::int32_t streams = 1;
  LargeVector<FrontTask> tiny, small;
  LargeVector<DiagonalTask> diagonal;
  LargeVector<TrsmTask> scale;
  LargeVector<ProductTask> product;
  std::vector<MergeInversesTask> inverse_merge_tasks;
  IdVector<SupernodeId, std::int32_t> first_level;  ///< Of each supernode's first piece.
  /// The level in whose launches a front's first diagonal block is factorized: its first one, or the one before if nothing
  /// is added to the block by then.
  IdVector<SupernodeId, std::int32_t> first_block_level;
  std::vector<std::int32_t> tasks_before_row;  ///< FactorData::tasks_before_row; empty where no level takes turns.

  std::int32_t last_level(const SymbolicFactor& factor, SupernodeId s) const;
};

/// What the launches of a factorization cover.
enum class LaunchScope { everything, leaf_subtrees };
/// Whether the tasks that add to one column do so in the order of their launches, or lists. Then there is one stream, and
/// products are not cut along their depth.
enum class AdditionOrder { any, fixed };

/// The launches of a plan whose fronts, sweeps and schedule are there, as its options say. Cost O(tasks).
LaunchPlan build_launch_plan(const CudaPlan& plan, const SymbolicFactor& factor, ThreadTeam& team);

/// The same with another number of streams, scope or order. Precondition: 1 ≤ streams. With one stream there are no groups.
LaunchPlan build_launch_plan(const CudaPlan& plan, const SymbolicFactor& factor, std::int32_t streams, LaunchScope scope,
                             AdditionOrder order, ThreadTeam& team);

/// Flops of the largest task of a level.
double largest_task_flops(const LaunchPlan& launches, const SymbolicFactor& factor, std::size_t level);

/// Tables that tasks point into, entry by entry: the device alone has all of them.
class LaunchTables {
 public:
  /// The structure must outlive this.
  explicit LaunchTables(const FactorStructure& plan) : plan_(plan) {}

  PanelInfo panel(SupernodeId s) const;
  UpdateInfo update(UpdateId u) const;
  /// Writes, for entries first … last−1 of SymbolicFactor::rows, the update that each is in.
  void write_update_of_row(std::int64_t first, std::int64_t last, std::int32_t* to) const;
  /// Where L(j, j) lies.
  std::int64_t diagonal(NewIndex j) const;

 private:
  const FactorStructure& plan_;
};

}  // namespace gpusupernodal::cuda
