#pragma once

/// \file
/// Memory of the CUDA executor, as a function of the plan; host-only code.

#include <cstdint>

#include "gpusupernodal/options.hpp"
#include "gpusupernodal/report.hpp"

namespace gpusupernodal {

class FactorPlan;

/// What the memory of a CUDA executor depends on, beside its plan.
struct CudaMemoryOptions {
  std::int64_t scalar_bytes = sizeof(double);
  bool keep_a = false;                           ///< With what refinement needs.
  CudaSchedule schedule = CudaSchedule::levels;  ///< `streams` has tasks of the leaf subtrees alone.
  bool deterministic = false;                    ///< Products are not cut along their depth.
};

/// How many records of each kind a CUDA executor keeps on the device.
struct CudaTaskCounts {
  std::int64_t tiny = 0;      ///< Fronts that a warp factorizes.
  std::int64_t small = 0;     ///< Fronts that a CTA factorizes.
  std::int64_t diagonal = 0;  ///< Pieces of the other fronts.
  std::int64_t scale = 0;     ///< 64-row tiles below them.
  std::int64_t product = 0;   ///< 64×64 tiles of updates.
};

/// The numbers of tasks in the executor's lists, without making these. Cost O(pieces · tile columns).
CudaTaskCounts count_cuda_tasks(const FactorPlan& plan, const CudaMemoryOptions& options = {});

/// Levels of launches: most pieces of 64 columns on a path of the assembly tree.
std::int64_t cuda_levels(const FactorPlan& plan);

/// Bytes that a factorization with additions in a fixed order takes beyond memory() where tasks take turns: a number for
/// each column, each row of fronts, and some a level.
std::int64_t cuda_turn_bytes(const FactorPlan& plan);

/// Values that the device holds: the panels, and room behind them for tiles that read past the end.
std::int64_t cuda_value_count(const FactorPlan& plan);

/// Right-hand sides that a solve takes at once where `reserved` were reserved: 1, 8 or 16.
std::int64_t cuda_solve_columns(std::int64_t reserved);

/// Where the counters of tasks begin: before, each in a cache line of its own, which task of a direction is next.
inline constexpr std::int64_t cuda_solve_claims = 64;

/// 32-bit counters of a solve: those of the claims, then those of the tasks of both directions for several right-hand sides.
/// Tasks for one right-hand side count nothing on the device.
std::int64_t cuda_solve_counters(const FactorPlan& plan);

/// Bytes of device memory that a CUDA executor takes, with one right-hand side reserved: every array rounded up to 256
/// bytes. The executor allocates by this count, and its arrays fill what it allocated. A's values are counted in any case:
/// that is where values from the host arrive.
MemoryEstimate cuda_memory(const FactorPlan& plan, const CudaMemoryOptions& options);

/// Bytes of the vectors of refinement: part of cuda_memory().workspace where A is kept.
std::int64_t cuda_refinement_bytes(const FactorPlan& plan, std::int64_t scalar_bytes);

/// Sizes of the block schedule (CudaSchedule::streams).
struct CudaBlockSizes {
  std::int32_t widest = 0;           ///< Columns of the widest block column above the leaf subtrees.
  std::int64_t largest_product = 0;  ///< Elements of the largest product of an update_between task.
};
CudaBlockSizes cuda_block_sizes(const FactorPlan& plan);

/// Bytes of device memory that the block schedule takes beside cuda_memory, cuBLAS's own 32 MiB a stream apart;
/// `factor_work` is the number of elements of cuSOLVER's workspace, which only the device tells (0 in estimates).
std::int64_t cuda_block_workspace(const FactorPlan& plan, std::int64_t scalar_bytes, std::int32_t streams,
                                  std::int64_t factor_work);

/// Entries that a solve for one right-hand side unsets first, beside the vectors.
std::int64_t cuda_single_unset(const FactorPlan& plan);
/// Bytes of the vectors for `reserved` right-hand sides: part of cuda_memory().workspace for 1.
std::int64_t cuda_vector_bytes(const FactorPlan& plan, std::int64_t scalar_bytes, std::int64_t reserved);

}  // namespace gpusupernodal
