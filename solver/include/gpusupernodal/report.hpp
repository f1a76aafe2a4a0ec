#pragma once

/// \file
/// What the solver tells about what it did: plain values, filled when asked for.

#include <cstdint>
#include <string>

#include "gpusupernodal/options.hpp"

namespace gpusupernodal {

/// Outcome of a numerical phase.
enum class Status { success, not_positive_definite, non_finite_input };

/// Memory that a backend takes for one solver, in bytes, known after analyze and before anything is taken.
struct MemoryEstimate {
  std::int64_t factor = 0;     ///< Values of L (panels, explicit zeros included).
  std::int64_t index = 0;      ///< Structures that the numerical phases read.
  std::int64_t workspace = 0;  ///< Buffers of factorize and of a solve with one right-hand side.
  std::int64_t total() const { return factor + index + workspace; }
};

struct AnalyzeReport {
  std::int64_t n = 0;
  std::int64_t nonzeros_a = 0;  ///< Of the half that is read, diagonal included.
  Ordering ordering = Ordering::automatic;
  std::string ordering_reason;  ///< Why `automatic` took this one.
  std::int64_t nonzeros_l = 0;  ///< Of L, diagonal included, without explicit zeros.
  std::int64_t stored_l = 0;    ///< As stored: lower trapezoids with the explicit zeros of merging.
  double flops = 0.0;           ///< Σ count², of L without explicit zeros (as CHOLMOD counts).
  double stored_flops = 0.0;    ///< With explicit zeros.
  std::int64_t supernodes = 0;
  std::int64_t largest_width = 0;
  std::int64_t largest_front = 0;  ///< Largest width + rows below.
  std::int64_t tree_height = 0;    ///< Supernodes on the longest path to a root.
  double critical_path_flops = 0.0;
  std::int64_t tasks = 0;
  Backend backend = Backend::host;  ///< The one chosen.
  std::string backend_reason;
  std::string device;     ///< Name of the device or processor.
  MemoryEstimate memory;  ///< For the backend chosen.
  double seconds_ordering = 0.0;
  double seconds_symbolic = 0.0;
  double seconds_total = 0.0;
};

struct FactorReport {
  Status status = Status::success;
  std::int64_t failed_column =
      -1;                        ///< In the caller's numbering: the pivot that failed, or the column of a non-finite entry.
  std::int64_t failed_row = -1;  ///< Of a non-finite entry.
  double failed_value = 0.0;     ///< The pivot before its square root, or the non-finite value.
  double smallest_pivot = 0.0;   ///< Of L's diagonal, squared; of the columns done.
  double largest_pivot = 0.0;
  double shift = 0.0;               ///< What was added to the diagonal.
  double seconds = 0.0;             ///< Host time of the call; on CUDA of the launch unless status was read.
  std::int64_t factorizations = 0;  ///< With this analysis, so far.
};

struct SolveReport {
  int refinement_steps = 0;
  double backward_error = -1.0;  ///< Of the last refinement residual; −1: not computed.
  double seconds = 0.0;
};

}  // namespace gpusupernodal
