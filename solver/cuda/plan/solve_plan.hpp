#pragma once

/// \file
/// Triangular solves on a device as launches. They are multifrontal over the assembly tree: a front waits only for its
/// children (forward) or its parent (backward), and all sums have a fixed order. Host-only.

#include <cstdint>
#include <vector>

#include "base/raw_vector.hpp"
#include "base/thread_team.hpp"
#include "kernels/common/records.hpp"
#include "kernels/common/scalar_type.hpp"
#include "solver/factor/updates.hpp"
#include "solver/symbolic/symbolic_factor.hpp"

namespace gpusupernodal {

/// Sources of the contributions that children leave for each row of a front. Supernode s leaves a contribution vector
/// of rows_below(s) numbers at row_offset[s]. Rows of fronts are numbered: column j's own row is j; row i below
/// supernode s is order + row_offset[s] + i.
struct FrontGather {
  RawVector<cuda::RowSources> rows;  ///< Positions of the contributions to a row, by ascending child.
  RawVector<std::int32_t> more;      ///< Positions that do not fit into a record.
};

/// Lists the sources of every row. Precondition: fewer than 2³¹ contributions. Cost O(contributions).
FrontGather build_front_gather(const SymbolicFactor& factor, const UpdateList& updates, ThreadTeam& team);

/// Index that stands for "no counter".
inline constexpr std::int32_t no_counter = -1;

/// One task of a sweep: a cuda::SolveTask whose front is named, not described.
struct CudaSolveTask : cuda::SolveWork {
  std::int32_t supernode = 0;
};

/// Returns the second counter that a task waits for; none for most kinds.
inline cuda::SolveAlso second_wait(const cuda::SolveWork& task) {
  if (task.kind == cuda::SolveKind::rows) return task.get<cuda::SolveKind::rows>();
  if (task.kind == cuda::SolveKind::last_columns) return task.get<cuda::SolveKind::last_columns>();
  return {};
}

/// Returns the tasks of a sweep's second list that a group stands for. Precondition: is_group(task.kind).
inline cuda::SolveGroup group_of(const cuda::SolveWork& task) { return task.get<cuda::SolveKind::warps>(); }

/// Makes a group stand for other tasks. Precondition: is_group(task.kind).
void set_group(cuda::SolveWork& task, const cuda::SolveGroup& group);

/// The tasks of one direction in an order in which each waits only for earlier ones. CTAs take tasks from the front, so
/// every task that another waits for has been taken: the first unfinished task never waits, however many CTAs run at
/// once.
struct CudaSolveSweep {
  LargeVector<CudaSolveTask> tasks;       ///< Tasks of CTAs.
  LargeVector<CudaSolveTask> warp_tasks;  ///< Tasks of warps and teams. Those of one group do not wait for each other.
  std::int32_t counters = 0;              ///< All start at 0.
  std::int32_t longest_path = 0;          ///< Number of tasks on the longest chain of waits.
};

/// Shape of the tasks for one right-hand side: maximum number of entries, and maximum number of rows of inverses, or of
/// columns, in tasks with few of the other.
struct OneRhsShape {
  std::int64_t entries;
  std::int32_t max_outputs;
};

/// The sweeps for one right-hand side that a solver of one scalar type runs.
struct OneRhsSweeps {
  const CudaSolveSweep& forward;
  const CudaSolveSweep& backward;
};

/// One launch of merges, all of which combine the inverses of blocks of `half` columns into inverses twice as wide.
struct MergeInversesGroup {
  std::int64_t begin = 0;
  std::int32_t count = 0;
  std::int32_t half = 0;
};

struct CudaSolvePlan {
  bool fits = true;  ///< Whether all positions fit into 32 bits; if not, the lists are empty and the CUDA executor is
                     ///< unavailable.
  FrontGather gather;
  CudaSolveSweep forward;
  CudaSolveSweep backward;
  /// Merges of the inverses of diagonal blocks, by `half`, 64 first. They run after the factorization's last level.
  std::vector<cuda::MergeInversesTask> inverse_merges;
  std::vector<MergeInversesGroup> inverse_merge_groups;
  std::int64_t partials = 0;       ///< Partial sums of `backward` per right-hand side.
  CudaSolveSweep forward_one_rhs;  ///< For one right-hand side.
  CudaSolveSweep backward_one_rhs;
  CudaSolveSweep forward_float;  ///< One right-hand side in single precision, if different from the above; otherwise empty.
  CudaSolveSweep backward_float;
  std::int64_t one_rhs_sums = 0;  ///< Numbers that blocks of wide fronts leave for the rows below.
  std::int64_t one_rhs_partials = 0;

  /// The sweeps that solvers of this scalar type run.
  OneRhsSweeps one_rhs_sweeps(ScalarType scalar) const {
    if (scalar == ScalarType::real_single && !forward_float.tasks.empty()) return {forward_float, backward_float};
    return {forward_one_rhs, backward_one_rhs};
  }
};

/// Whether the factor has so many fronts that planning steps in parallel would need several times the memory of A; they
/// then run one after another.
bool is_made_step_by_step(const SymbolicFactor& factor);

/// Builds everything but `gather`. Cost O(supernodes + tiles).
CudaSolvePlan build_cuda_sweeps(const SymbolicFactor& factor, ThreadTeam& team);

/// Builds the sweeps and `gather`. Cost O(contributions + tiles).
CudaSolvePlan build_cuda_solve(const SymbolicFactor& factor, const UpdateList& updates, ThreadTeam& team);

}  // namespace gpusupernodal
