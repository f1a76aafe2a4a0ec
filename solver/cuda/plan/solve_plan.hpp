#pragma once

/// \file
/// Triangular solves on a device as launches: multifrontal over the assembly tree, so that a front waits for its children
/// (forward) or its parent (backward) alone, and all sums have a fixed order. Host-only code.

#include <cstdint>
#include <vector>

#include "base/raw_vector.hpp"
#include "base/thread_team.hpp"
#include "kernels/common/records.hpp"
#include "solver/factor/updates.hpp"
#include "solver/symbolic/symbolic_factor.hpp"

namespace gpusupernodal {

/// What children leave for a front. Supernode s leaves a vector of rows_below(s) numbers, its contribution, at
/// row_offset[s]. Rows of fronts are numbered: column j's own row is j, row i below supernode s is
/// order + row_offset[s] + i.
struct FrontGather {
  RawVector<cuda::RowSources> rows;  ///< Positions in the contributions to a row, children ascending.
  RawVector<std::int32_t> more;      ///< Positions that do not fit into a record.
};

/// Cost O(contributions). Precondition: fewer than 2³¹ of them.
FrontGather build_front_gather(const SymbolicFactor& factor, const UpdateList& updates, ThreadTeam& team);

/// No counter.
inline constexpr std::int32_t no_counter = -1;

/// Rows and columns count within the panel. `partial`: backward, where partial sums begin, as many a chunk as the block has
/// columns; forward with one right-hand side, where what a block of a wide front leaves of the rows below its first block
/// begins: a number for each of those, and for the next block as many behind them. A task starts when counter `wait` has
/// reached `need` (and `also` `also_need`), and counts itself in `arrive` when what it wrote can be read. The kernels for
/// one right-hand side wait for the entries themselves, not for counters. Where columns of a block have several chunks, for
/// several right-hand sides, `also` counts those that are done, and also_need is 0: it waits for none.
struct CudaSolveTask {
  std::int32_t supernode = 0;
  cuda::SolveKind kind = cuda::SolveKind::whole;
  std::int8_t team = 0;  ///< One right-hand side: warps that may take a whole front, or do so in a group; 0: one, or a CTA.
  bool large = false;    ///< Of a warp, or a group of these, for one right-hand side: takes the room of two.
  std::int32_t column = 0;
  std::int32_t width = 0;
  std::int32_t row_begin = 0;
  std::int32_t row_end = 0;
  std::int32_t partial = 0;
  std::int32_t chunks = 0;  ///< Backward: chunks of partial sums; for one right-hand side, those that the task reads.
  std::int32_t chunk = 0;   ///< Backward, columns for several right-hand sides: which of them this is.
  std::int32_t wait = no_counter;
  std::int32_t need = 0;
  std::int32_t also = no_counter;
  std::int32_t also_need = 0;
  std::int32_t arrive = no_counter;
};

/// The tasks of a direction in an order in which each waits only for earlier ones. CTAs take them from the front, so what is
/// waited for has been taken: whatever CTAs run at once, the first unfinished task never waits.
struct CudaSolveSweep {
  LargeVector<CudaSolveTask> tasks;       ///< Of CTAs.
  LargeVector<CudaSolveTask> warp_tasks;  ///< Those of one CTA task of kind `warps` do not wait for each other.
  std::int32_t counters = 0;              ///< All start at 0.
  std::int32_t longest_path = 0;          ///< Tasks that wait for each other.
};

/// How the tasks for one right-hand side are cut: the entries that they have at most, and the rows of inverses or columns
/// of those that have few others.
struct OneRhsShape {
  std::int64_t entries;
  std::int32_t max_outputs;
};

/// The sweeps that a solver of one scalar type runs for one right-hand side.
struct OneRhsSweeps {
  const CudaSolveSweep& forward;
  const CudaSolveSweep& backward;
};

struct CudaSolvePlan {
  bool fits = true;  ///< Whether the lists have 32-bit positions; without that there are none, and no CUDA executor.
  FrontGather gather;
  CudaSolveSweep forward;
  CudaSolveSweep backward;
  std::vector<cuda::MergeInversesTask> inverse_merges;  ///< By half, 64 first.
  std::int64_t partials = 0;                            ///< Numbers of partial sums of `backward`, a right-hand side.
  CudaSolveSweep forward_one_rhs;                       ///< For one right-hand side.
  CudaSolveSweep backward_one_rhs;
  CudaSolveSweep forward_float;  ///< The same for floats where theirs are others.
  CudaSolveSweep backward_float;
  std::int64_t one_rhs_sums = 0;  ///< Numbers that blocks of wide fronts leave of rows below.
  std::int64_t one_rhs_partials = 0;

  OneRhsSweeps one_rhs_sweeps(std::int64_t scalar_bytes) const {
    if (scalar_bytes == sizeof(float) && !forward_float.tasks.empty()) return {forward_float, backward_float};
    return {forward_one_rhs, backward_one_rhs};
  }
};

/// Whether there are so many fronts that the steps of a plan for a device take, while they run, several times the memory of
/// A: one after the other then.
bool is_made_step_by_step(const SymbolicFactor& factor);

/// All but `gather`. Cost O(supernodes + tiles).
CudaSolvePlan build_cuda_sweeps(const SymbolicFactor& factor, ThreadTeam& team);

/// Cost O(contributions + tiles).
CudaSolvePlan build_cuda_solve(const SymbolicFactor& factor, const UpdateList& updates, ThreadTeam& team);

}  // namespace gpusupernodal
