#pragma once

/// \file
/// Triangular solves on a device as launches: multifrontal over the assembly tree, so that a front waits for its children
/// (forward) or its parent (backward) alone, and all sums have a fixed order. Host-only code.

#include <array>
#include <cstdint>
#include <vector>

#include "base/raw_vector.hpp"
#include "base/thread_team.hpp"
#include "solver/plan/updates.hpp"
#include "solver/symbolic/symbolic_factor.hpp"

namespace gpusupernodal {

/// What children leave for a front. Supernode s leaves a vector of rows_below(s) numbers, its contribution, at
/// row_offset[s]. Rows of fronts are numbered: column j's own row is j, row i below supernode s is
/// order + row_offset[s] + i.
struct FrontGather {
  /// Positions in the contributions to a row, children ascending: so few of them that one load brings all, mostly.
  struct Row {
    std::array<std::int32_t, 3> first{-1, -1, -1};
    std::int32_t more = -1;  ///< Where further ones are: more[more] of them behind that entry.
  };
  RawVector<Row> rows;
  RawVector<std::int32_t> more;
};

/// Cost O(contributions). Precondition: fewer than 2³¹ of them.
FrontGather build_front_gather(const SymbolicFactor& factor, const UpdateList& updates, ThreadTeam& team);

/// What a CTA (or, `whole_by_warp`, a warp) does to a front.
enum class CudaSolveKind : std::int16_t {
  whole_by_warp,  ///< All of a small narrow front.
  whole,          ///< All of a narrow front.
  diagonal,       ///< Rows row_begin … row_end−1 of a diagonal block's inverse times the block's vector.
  rows,           ///< Rows row_begin … row_end−1 times a block column of more than 64 columns.
  tall_rows,      ///< The same for at most 64 columns, more rows at once.
  columns,        ///< Backward: columns of a block, transposed, times rows row_begin … row_end−1.
  last_columns,   ///< One right-hand side: the same, and then the sum over all chunks of these columns.
  warps           ///< Tasks of warps, or of teams of them: `width`, from `column` on in CudaSolveSweep::warp_tasks.
};

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
  CudaSolveKind kind = CudaSolveKind::whole;
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

/// A step of widening inverses: columns column … column+half−1 and the next `width` ≤ half columns become one block.
struct CudaWidening {
  std::int32_t supernode = 0;
  std::int32_t column = 0;
  std::int32_t half = 0;
  std::int32_t width = 0;
};

/// How the tasks for one right-hand side are cut: the entries that they have at most, and the rows of inverses or columns
/// of those that have few others.
struct SingleShape {
  std::int64_t entries;
  std::int32_t most_outputs;
};

struct CudaSolvePlan {
  bool fits = true;  ///< Whether the lists have 32-bit positions; without that there are none, and no CUDA executor.
  FrontGather gather;
  CudaSolveSweep forward;
  CudaSolveSweep backward;
  std::vector<CudaWidening> widenings;  ///< By half, 64 first.
  std::int64_t partials = 0;            ///< Numbers of partial sums of `backward`, a right-hand side.
  CudaSolveSweep forward_single;        ///< For one right-hand side.
  CudaSolveSweep backward_single;
  CudaSolveSweep forward_float;  ///< The same for floats where theirs are others.
  CudaSolveSweep backward_float;
  std::int64_t sums_single = 0;  ///< Numbers that blocks of wide fronts leave of rows below.
  std::int64_t partials_single = 0;

  /// The tasks for one right-hand side of scalars of this size.
  const CudaSolveSweep& forward_for_one(std::int64_t scalar_bytes) const {
    return floats_differ(scalar_bytes) ? forward_float : forward_single;
  }
  const CudaSolveSweep& backward_for_one(std::int64_t scalar_bytes) const {
    return floats_differ(scalar_bytes) ? backward_float : backward_single;
  }

 private:
  bool floats_differ(std::int64_t scalar_bytes) const {
    return scalar_bytes == sizeof(float) && !forward_float.tasks.empty();
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
