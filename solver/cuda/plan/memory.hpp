#pragma once

/// \file
/// Device memory of a CUDA plan, counted from the lists that it holds.

#include <cstdint>

#include "gpusupernodal/report.hpp"

namespace gpusupernodal {

class CudaPlan;

/// Bytes of the lists that a factorization and its solves read on the device, each rounded up to 256 bytes.
std::int64_t cuda_index_bytes(const CudaPlan& plan, std::int64_t scalar_bytes, bool keep_a);

/// Bytes of the counters and places by which tasks add in turn; 0 where no level of the plan needs turns.
std::int64_t cuda_order_bytes(const CudaPlan& plan);

/// Values that the device holds: the panels, and what tiles may read past the end.
std::int64_t cuda_value_count(const CudaPlan& plan);

/// Right-hand sides that a solve takes at once where `reserved` were reserved: 1, 8 or 16.
std::int64_t cuda_solve_columns(std::int64_t reserved);

/// Numbers before the counters of tasks: for each direction the next task to be claimed, in a cache line of its own.
inline constexpr std::int64_t cuda_solve_claims = 64;

/// 32-bit counters of a solve: the claims, then those of the tasks of both directions for several right-hand sides. Tasks
/// for one right-hand side use no counters.
std::int64_t cuda_solve_counters(const CudaPlan& plan);

/// Bytes of device memory that running the plan takes, with one right-hand side reserved: every array rounded up to 256
/// bytes. A's values are always counted: values from the host arrive there. The founding schedule's libraries take more,
/// see cuda_block_workspace.
MemoryEstimate cuda_memory(const CudaPlan& plan, std::int64_t scalar_bytes, bool keep_a);

/// The part of cuda_memory().workspace that a factorization needs: A's values, the status, the counters, and what residuals
/// need where A is kept.
std::int64_t cuda_factor_workspace(const CudaPlan& plan, std::int64_t scalar_bytes, bool keep_a);

/// The part of cuda_memory().workspace that refinement's vectors take where A is kept.
std::int64_t cuda_refinement_bytes(const CudaPlan& plan, std::int64_t scalar_bytes);

/// Sizes of the founding schedule (CudaSchedule::streams).
struct CudaBlockSizes {
  std::int32_t widest = 0;           ///< Columns of the widest block column above the leaf subtrees.
  std::int64_t largest_product = 0;  ///< Elements of the largest product of an update_between task.
};
CudaBlockSizes cuda_block_sizes(const CudaPlan& plan);

/// Bytes of device memory that the founding schedule takes beside cuda_memory. cuBLAS's own 32 MiB a stream are not counted.
/// `factor_work` is the number of elements of cuSOLVER's workspace, which only the device tells (0 in estimates).
std::int64_t cuda_block_workspace(const CudaPlan& plan, std::int64_t scalar_bytes, std::int64_t factor_work);

/// Entries that a solve for one right-hand side marks as unset before it begins, beside the vectors.
std::int64_t one_rhs_unset_entries(const CudaPlan& plan);
/// Bytes of the vectors for `reserved` right-hand sides: part of cuda_memory().workspace for 1.
std::int64_t cuda_vector_bytes(const CudaPlan& plan, std::int64_t scalar_bytes, std::int64_t reserved);

}  // namespace gpusupernodal
