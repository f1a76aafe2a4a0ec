#pragma once

/// \file
/// Estimates the seconds of a refactorize and of a solve on each backend from a plan's features and a machine's figures,
/// which bench/fit_cost_model measures.

#include <cstdint>

#include "solver/model/cost_figures.hpp"

namespace gpusupernodal {

/// The features of a plan that its cost depends on.
struct CostFeatures {
  double flops = 0.0;           ///< Flops of the factorization, explicit zeros included.
  double critical_flops = 0.0;  ///< Flops on the longest path of the host's tasks.
  double values = 0.0;          ///< Stored values of L.
  double entries = 0.0;         ///< Entries of A as the caller stores it.
  double order = 0.0;           ///< Order of A.
  double updates = 0.0;         ///< Updates of one supernode by another.
  double supernodes = 0.0;
  double levels = 0.0;        ///< Maximum number of 64-column pieces on a path of the assembly tree: launch levels.
  double path_columns = 0.0;  ///< Maximum number of columns on a path, which are eliminated sequentially.
  double solve_steps = 0.0;   ///< Longest chain of dependent tasks in a solve of one right-hand side on a device.
};

/// Number of workers, at most `threads`, that a host factorization of `flops` keeps busy. One if the work is small or if
/// nearly all of it lies on the longest path of `critical_flops`.
int host_factor_workers(double flops, double critical_flops, int threads);

/// Number of workers, at most `threads`, that a solve with `columns` right-hand sides on the host keeps busy. `values` is
/// the number of values of L that several workers share; 0 if the sweeps run on one worker.
int host_solve_workers(double order, double values, double columns, int threads);

/// Seconds of one refactorize, or of one solve with one right-hand side. `scalar_bytes` is the size of a value of L.
double host_factor_seconds(const CostFeatures& plan, const HostFigures& figures, int threads, std::int64_t scalar_bytes);
double host_solve_seconds(const CostFeatures& plan, const HostFigures& figures, int threads, std::int64_t scalar_bytes);
double cuda_factor_seconds(const CostFeatures& plan, const CudaFigures& figures, std::int64_t scalar_bytes);
double cuda_solve_seconds(const CostFeatures& plan, const CudaFigures& figures, std::int64_t scalar_bytes);

/// Seconds of a refactorize and a solve with one right-hand side.
double host_seconds(const CostFeatures& features, const CostFigures& figures, int threads, std::int64_t scalar_bytes);
double cuda_seconds(const CostFeatures& features, const CostFigures& figures, std::int64_t scalar_bytes);

}  // namespace gpusupernodal
