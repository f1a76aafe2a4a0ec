#pragma once

/// \file
/// Device memory of a CUDA plan, computed from its lists.

#include <cstdint>

#include "gpusupernodal/report.hpp"
#include "kernels/common/scalar_type.hpp"

namespace gpusupernodal {

class CudaPlan;
struct MemoryRequest;

/// Returns the bytes of the lists that a factorization and its solves read on the device, each rounded up to 256 bytes.
std::int64_t cuda_index_bytes(const CudaPlan& plan, const MemoryRequest& request);

/// Returns the bytes of the counters and positions for ordered accumulation; 0 if no level of the plan needs it.
std::int64_t cuda_order_bytes(const CudaPlan& plan);

/// Returns the number of counters that are 0 between launches: one for each panel, and the claims of a run of levels.
std::int64_t cuda_panel_counters(const CudaPlan& plan);

/// Returns the number of values that the device holds: the panels, for LU with their partners, and what tiles may read past
/// the end.
std::int64_t cuda_value_count(const CudaPlan& plan);

/// Returns how many right-hand sides a solve processes together when memory for `reserved` was reserved: 1, 8 or 16.
std::int64_t cuda_solve_columns(std::int64_t reserved);

/// Counters before those of the tasks: for each direction the index of the next task to claim, in a separate cache
/// line; with several devices, a quarter further on, that of the tasks of the top.
inline constexpr std::int64_t cuda_solve_claims = 64;

/// Returns the number of 32-bit counters of a solve: the claims, then the task counters of both directions for several
/// right-hand sides. Tasks for one right-hand side use no counters.
std::int64_t cuda_solve_counters(const CudaPlan& plan);

/// Returns the device memory, in bytes, that running the plan takes with one right-hand side reserved; every array is
/// rounded up to 256 bytes. A's values are always counted because values from the host are copied there. The *streams*
/// schedule needs more for its libraries, see cuda_block_workspace.
MemoryEstimate cuda_memory(const CudaPlan& plan, const MemoryRequest& request);

/// Returns the part of cuda_memory().workspace that a factorization needs: A's values, the status, the counters, for LU and
/// LDLᵀ the scales, for LDLᵀ the pivots, and what residuals need if A is kept.
std::int64_t cuda_factor_workspace(const CudaPlan& plan, const MemoryRequest& request);

/// Returns how many sweeps of an equilibration a factorization of LU or LDLᵀ makes: one that adapts the scales of the
/// analysis to the values, or several if the analysis gave no scales.
std::int64_t cuda_scaling_sweeps(const CudaPlan& plan);

/// Residuals of LU and LDLᵀ that are computed at once.
inline constexpr std::int64_t cuda_residual_columns = 16;

/// Doubles for each row with which a residual of a symmetric matrix is computed: its sum and the norm of A's row.
constexpr std::int64_t cuda_residual_doubles(ScalarType scalar) { return is_complex(scalar) ? 3 : 2; }

/// Returns the part of cuda_memory().workspace that refinement's vectors take if A is kept.
std::int64_t cuda_refinement_bytes(const CudaPlan& plan, const MemoryRequest& request);

/// Sizes that the *streams* schedule (CudaSchedule::streams) needs.
struct CudaBlockSizes {
  std::int32_t widest = 0;           ///< Columns of the widest block column above the leaf subtrees.
  std::int64_t largest_product = 0;  ///< Elements of the largest product of an update_between task.
};
CudaBlockSizes cuda_block_sizes(const CudaPlan& plan);

/// Returns the device memory, in bytes, that the *streams* schedule takes in addition to cuda_memory, without the 32
/// MiB that cuBLAS allocates per stream. `factor_work` is the number of elements of cuSOLVER's workspace, which only
/// the device can tell (0 in estimates).
std::int64_t cuda_block_workspace(const CudaPlan& plan, ScalarType scalar, std::int64_t factor_work);

/// Returns the number of entries, besides the vectors, that a solve for one right-hand side marks as unset before it
/// begins.
std::int64_t one_rhs_unset_entries(const CudaPlan& plan);
/// Returns the entries, for each right-hand side, of contributions or partial sums; for LU by columns, of the solution and
/// of right-hand sides of the dense tail.
std::int64_t cuda_sum_entries(const CudaPlan& plan);
/// Returns the bytes of the vectors for `reserved` right-hand sides; cuda_memory().workspace includes those for 1.
std::int64_t cuda_vector_bytes(const CudaPlan& plan, ScalarType scalar, std::int64_t reserved);

}  // namespace gpusupernodal
