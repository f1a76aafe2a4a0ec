#pragma once

/// \file
/// What the solver tells about what it did: plain values, filled when asked for.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gpusupernodal/options.hpp"

namespace gpusupernodal {

/// Outcome of a numerical phase.
enum class Status { success, not_positive_definite, non_finite_input };

/// Where the plan of an analysis comes from: made by analyze, kept from an earlier one (Options::plan_cache), read from a
/// file (Solver::load_plan), or handed over by the caller.
enum class PlanSource { analyzed, cache, file, caller };

/// Memory that a backend takes for one solver, in bytes, known after analyze and before anything is taken.
struct MemoryEstimate {
  std::int64_t factor = 0;     ///< Values of L (panels, explicit zeros included).
  std::int64_t index = 0;      ///< Structures that the numerical phases read.
  std::int64_t workspace = 0;  ///< Buffers of factorize and of a solve with one right-hand side.
  /// Sum of the three.
  std::int64_t total() const { return factor + index + workspace; }
};

/// A step of an analysis.
struct AnalysisStep {
  const char* name = "";   ///< Lives as long as the program.
  double seconds = 0.0;    ///< Wall-clock. Steps that run beside others overlap them.
  std::int64_t bytes = 0;  ///< Host memory of what it made; of `adjacency` only as long as the analysis runs.
};

/// What analyze decided and found. Numbers are of L in the order of elimination; times are wall-clock seconds.
struct AnalyzeReport {
  std::int64_t n = 0;                       ///< Order of A.
  std::int64_t nonzeros_a = 0;              ///< Of the half that is read, diagonal included.
  Ordering ordering = Ordering::automatic;  ///< The one taken.
  std::string ordering_reason;              ///< Why `automatic` took this one.
  std::int64_t nonzeros_l = 0;              ///< Of L, diagonal included, without explicit zeros.
  /// Values that L takes in memory: for each supernode a rectangle, its columns by its front's rows. Counts the explicit
  /// zeros of merging, the unused upper triangles, and padding; extract_l returns fewer.
  std::int64_t stored_l = 0;
  double flops = 0.0;                             ///< Σ count², of L without explicit zeros (as CHOLMOD counts).
  double stored_flops = 0.0;                      ///< With explicit zeros.
  std::int64_t supernodes = 0;                    ///< After merging.
  std::int64_t largest_width = 0;                 ///< Columns of the widest.
  std::int64_t largest_front = 0;                 ///< Largest width + rows below.
  std::int64_t tree_height = 0;                   ///< Supernodes on the longest path to a root.
  double critical_path_flops = 0.0;               ///< Of the longest path through the backend's tasks.
  std::int64_t tasks = 0;                         ///< Of the backend's schedule.
  Backend backend = Backend::host;                ///< The one chosen.
  std::string backend_reason;                     ///< Why it was chosen, or why not the other.
  std::string device;                             ///< Name of the device or processor.
  MemoryEstimate memory;                          ///< For the backend chosen.
  PlanSource plan_source = PlanSource::analyzed;  ///< Where the plan comes from.
  /// Of the ordering, with what `automatic` compared; 0 where the plan was not made in this analyze.
  double seconds_ordering = 0.0;
  /// From the elimination tree to the rows of the supernodes; 0 for a plan of the cache or the caller.
  double seconds_symbolic = 0.0;
  double seconds_total = 0.0;  ///< Of analyze.
  /// What of the plan was made in this analyze, in the order in which the steps ended; none for a plan of the cache or the
  /// caller. A CUDA plan's lists that are made after that, because the backend was not known before, are not among them.
  std::vector<AnalysisStep> steps;
};

/// How fast a part of the assembly tree was factorized.
struct RegimeReport {
  const char* name = "";  ///< "leaf": the leaf subtrees of the schedule; "top": supernodes of more than 256 columns above
                          ///< them; "middle": the others. Lives as long as the program.
  double flops = 0.0;     ///< Of its supernodes, their updates to ancestors and explicit zeros included.
  double seconds = 0.0;   ///< In which at least one of its tasks ran; regimes overlap in time.
  /// 0 where nothing was measured.
  double flops_per_second() const { return seconds > 0.0 ? flops / seconds : 0.0; }
};

/// What the last factorization found.
struct FactorReport {
  Status status = Status::success;  ///< Whether there is a factor.
  std::int64_t failed_column =
      -1;                        ///< In the caller's numbering: the pivot that failed, or the column of a non-finite entry.
  std::int64_t failed_row = -1;  ///< Of a non-finite entry.
  double failed_value =
      0.0;  ///< The pivot before its square root (NaN where cuSOLVER keeps it back), or the non-finite value.
  double smallest_pivot = 0.0;      ///< Of L's diagonal, squared; of the columns done.
  double largest_pivot = 0.0;       ///< Likewise.
  double shift = 0.0;               ///< What was added to the diagonal.
  double seconds = 0.0;             ///< Host time of the call; on CUDA of the launch unless status was read.
  std::int64_t factorizations = 0;  ///< With this analysis, so far; those that threw are not counted.
  /// Measured with Options::trace alone.
  std::array<RegimeReport, 3> regimes{{{"leaf"}, {"middle"}, {"top"}}};
};

/// What the last solve did.
struct SolveReport {
  int refinement_steps = 0;      ///< The most of all its columns.
  double backward_error = -1.0;  ///< Of the last refinement residual; −1: not computed.
  double seconds = 0.0;          ///< Host time of the call; on CUDA of the launch where it does not wait.
  double bytes_of_l =
      0.0;  ///< AnalyzeReport::stored_l values, once for each triangular solve, however many right-hand sides.
};

}  // namespace gpusupernodal
