#pragma once

/// \file
/// Reports of the solver: plain values, filled on request.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gpusupernodal/options.hpp"

namespace gpusupernodal {

/// Outcome of a factorization. The last two belong to Form::lu and Form::ldlt. `singular`: a verifying solve showed that A
/// is singular up to rounding. `unstable`: pivots were too small or L and U too large, and refined solves did not reach a
/// small backward error; Options::repivot decides what follows.
enum class Status { success, not_positive_definite, non_finite_input, singular, unstable };

/// Source of an analysis's plan: made by analyze, found in the cache (Options::plan_cache), read from a file
/// (Solver::load_plan), or passed in by the caller.
enum class PlanSource { analyzed, cache, file, caller };

/// Memory that a backend needs for one solver, in bytes, computed from the plan before any is allocated.
struct MemoryEstimate {
  std::int64_t factor = 0;     ///< Values of L (panels, including explicit zeros).
  std::int64_t index = 0;      ///< Index structures that the numerical phases read.
  std::int64_t workspace = 0;  ///< Buffers of factorize and of a solve with one right-hand side.
  std::int64_t host = 0;       ///< Page-locked host memory for panels that a device does not hold (FactorMemory::hybrid).
  /// Sum of the first three: the memory of the backend's device.
  std::int64_t total() const { return factor + index + workspace; }
};

/// What one of several devices has to hold and to do.
struct DeviceUse {
  int device = 0;         ///< Its number.
  MemoryEstimate memory;  ///< Its needs.
  double share = 0.0;     ///< Its share of the flops of a factorization, in [0, 1].
};

/// A step of an analysis.
struct AnalysisStep {
  const char* name = "";   ///< Name of the step; a string of static lifetime.
  double seconds = 0.0;    ///< Wall-clock time. Concurrent steps overlap.
  std::int64_t bytes = 0;  ///< Host memory of its result; that of `adjacency` is freed after the analysis.
};

/// Decisions and results of analyze. Counts refer to L in elimination order; times are wall-clock seconds.
struct AnalyzeReport {
  std::int64_t n = 0;                       ///< Order of A.
  std::int64_t nonzeros_a = 0;              ///< Entries in the half that is read, including the diagonal.
  Ordering ordering = Ordering::automatic;  ///< Ordering chosen.
  /// Schedule of LU chosen; `automatic` for other forms. Its `columns` have no supernodes: the counts that follow then mean
  /// the columns of the dense tail (width and front) and the levels of rows (tree height). Nor has `dense`: width and front
  /// are n, and entries and flops are counted as if there were no zeros.
  LuSchedule lu_schedule = LuSchedule::automatic;
  std::string ordering_reason;  ///< Why `automatic` chose it.
  /// Nonzeros of L, including the diagonal, without explicit zeros; for LU by columns, half of those of L and U.
  std::int64_t nonzeros_l = 0;
  /// Values of L stored in memory: for each supernode, block columns of up to 512 columns. Counts the explicit zeros from
  /// merging, the upper triangles of the block columns and padding; extract_l returns fewer. For Form::lu, of L and U.
  std::int64_t stored_l = 0;
  double flops = 0.0;  ///< Σ count² over the columns of L without explicit zeros (as CHOLMOD counts); twice that for LU.
  double stored_flops = 0.0;         ///< Flops including explicit zeros.
  std::int64_t supernodes = 0;       ///< Number of supernodes after merging.
  std::int64_t largest_width = 0;    ///< Columns of the widest supernode.
  std::int64_t largest_front = 0;    ///< Largest front: width + rows below.
  std::int64_t tree_height = 0;      ///< Supernodes on the longest path to a root.
  double critical_path_flops = 0.0;  ///< Flops on the longest path through the backend's tasks.
  std::int64_t tasks = 0;            ///< Tasks in the backend's schedule.
  Backend backend = Backend::host;   ///< Backend chosen.
  std::string backend_reason;        ///< Why it was chosen, or why the other was not.
  std::string device;                ///< Name of the device; for the host, the number of threads and the instruction set.
  MemoryEstimate memory;             ///< Needs of the chosen backend; of several devices, the sum.
  std::vector<DeviceUse> devices;    ///< With several devices (Options::devices): each of them.
  PlanSource plan_source = PlanSource::analyzed;  ///< Source of the plan.
  /// Time of the ordering, including candidates that `automatic` compared; 0 if this analyze did not make the plan.
  double seconds_ordering = 0.0;
  /// Time from the elimination tree to the row structures; 0 for a plan from the cache or the caller.
  double seconds_symbolic = 0.0;
  double seconds_total = 0.0;  ///< Time of analyze.
  /// Parts of the plan that this analyze made, in the order in which the steps ended; empty for a plan from the cache
  /// or the caller. Lists of a CUDA plan that are made after the choice of the backend are not included.
  std::vector<AnalysisStep> steps;
};

/// Speed of the factorization in one part of the assembly tree.
struct RegimeReport {
  const char* name = "";  ///< "leaf": the schedule's leaf subtrees; "top": supernodes above them with more than 256 columns;
                          ///< "middle": all others. A string of static lifetime.
  double flops = 0.0;     ///< Flops of its supernodes, including updates to ancestors and explicit zeros.
  double seconds = 0.0;   ///< Time in which at least one of its tasks ran; regimes overlap in time.
  /// 0 if nothing was measured.
  double flops_per_second() const { return seconds > 0.0 ? flops / seconds : 0.0; }
};

/// Numbers of positive, negative and zero eigenvalues of a symmetric matrix.
struct Inertia {
  std::int64_t positive = 0;  ///< Positive eigenvalues.
  std::int64_t negative = 0;  ///< Negative eigenvalues.
  std::int64_t zero = 0;      ///< Eigenvalues that are zero up to rounding.
};

/// Result of the last factorization.
struct FactorReport {
  Form form = Form::llt;            ///< Kind of factorization.
  Status status = Status::success;  ///< Outcome; a factor exists only after success.
  std::int64_t failed_column = -1;  ///< Column of the failed pivot or of the non-finite entry, in the caller's numbering.
  std::int64_t failed_row = -1;     ///< Row of the non-finite entry.
  double failed_value = 0.0;        ///< Pivot before its square root (NaN if cuSOLVER withholds it), or non-finite value.
  /// Smallest square of L's diagonal entries in the columns done; for Form::lu and Form::ldlt,
  /// smallest magnitude of a pivot of the scaled matrix before it was replaced (of a 2×2 pivot, of its eigenvalues; of
  /// complex symmetric matrices, an estimate of its singular values).
  double smallest_pivot = 0.0;
  double largest_pivot = 0.0;         ///< Largest of the same.
  std::int64_t perturbed_pivots = 0;  ///< Form::lu, Form::ldlt: pivots replaced because they were too small.
  /// Form::lu, Form::ldlt: factorizations repeated since the analysis, by Options::repivot. Always 0 with LuSchedule::dense.
  std::int64_t repivoted = 0;
  /// Form::lu, Form::ldlt: iterations of FGMRES in the probe that decided the status; 0 if refinement was enough.
  int probe_iterations = 0;
  /// Form::lu, Form::ldlt: backward error that this probe reached; −1: the factorization was not doubtful.
  double probe_error = -1.0;
  /// Form::lu: the largest product of a column of L and the row of U with the same number, over the largest magnitude in A,
  /// all scaled; for magnitudes of vectors take their largest entries. Above 100, solves are refined. 0 for Form::llt. For
  /// Form::ldlt, U = D·Lᵀ.
  double growth = 0.0;
  /// Form::ldlt: the signs of the pivots. Pivots that were replaced count as `zero` if the status is `singular` and they
  /// were zero up to rounding; otherwise with the sign of the value that replaced them. Of a complex symmetric matrix,
  /// whose eigenvalues have no signs, only `zero` is set.
  Inertia inertia;
  /// Form::ldlt: whether no pivot was replaced, and the smallest one exceeds the bound of its rounding error,
  /// 10·n·eps·max(growth, 1) times the largest magnitude in the scaled matrix. docs/ldlt.md says what this means.
  bool inertia_exact = false;
  /// Form::ldlt, status `singular`: the columns of A, zero-based and ascending, whose pivots count as `zero`.
  std::vector<std::int64_t> null_pivots;
  double shift = 0.0;               ///< Value added to the diagonal.
  double seconds = 0.0;             ///< Host time of the call; on CUDA, of the launch unless status was read.
  std::int64_t factorizations = 0;  ///< Factorizations with this analysis so far, without those that threw.
  /// Measured only with Options::trace.
  std::array<RegimeReport, 3> regimes{{{"leaf"}, {"middle"}, {"top"}}};
};

/// Result of the last solve.
struct SolveReport {
  int refinement_steps = 0;      ///< Maximum over its columns.
  int fgmres_iterations = 0;     ///< Form::lu, Form::ldlt: iterations of FGMRES after refinement; maximum over its columns.
  double backward_error = -1.0;  ///< Backward error of the last refinement residual; −1: not computed.
  double seconds = 0.0;          ///< Host time of the call; on CUDA, of the launch if the call does not wait.
  double bytes_of_l = 0.0;       ///< Bytes of L read: stored_l values per triangular solve, for any number of columns.
};

}  // namespace gpusupernodal
