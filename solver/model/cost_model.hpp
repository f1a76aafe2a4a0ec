#pragma once

/// \file
/// How long a refactorize and a solve take on each backend, from what is known of a plan. The figures are those of a
/// machine; bench/fit_cost_model measures them.

#include <cstdint>

#include "solver/model/cost_figures.hpp"

namespace gpusupernodal {

/// What the cost of a plan depends on.
struct CostFeatures {
  double flops = 0.0;           ///< Of the factorization, explicit zeros included.
  double critical_flops = 0.0;  ///< Of the longest path of the host's tasks.
  double values = 0.0;          ///< Stored values of L.
  double entries = 0.0;         ///< Of A, as the caller stores it.
  double order = 0.0;           ///< Of A.
  double updates = 0.0;         ///< Of one supernode by another.
  double supernodes = 0.0;
  double levels = 0.0;        ///< Most pieces of 64 columns on a path of the assembly tree: a device's launches.
  double path_columns = 0.0;  ///< Most columns on a path: what diagonal blocks do one after the other.
  double solve_steps = 0.0;   ///< Tasks that wait for each other in a solve of one right-hand side on a device.
};

/// How many of `threads` workers a factorization of `flops` on the host keeps busy: one where the tasks are little work, or
/// where nearly all of it lies on the longest path of `critical_flops`.
int host_factor_workers(double flops, double critical_flops, int threads);

/// How many of `threads` workers a solve on the host keeps busy. `values`: values of L that several workers share; 0 for a
/// solve whose sweeps run on one worker.
int host_solve_workers(double order, double values, double columns, int threads);

double host_factor_seconds(const CostFeatures& plan, const HostFigures& figures, int threads, std::int64_t scalar_bytes);
double host_solve_seconds(const CostFeatures& plan, const HostFigures& figures, int threads, std::int64_t scalar_bytes);
double cuda_factor_seconds(const CostFeatures& plan, const CudaFigures& figures, std::int64_t scalar_bytes);
double cuda_solve_seconds(const CostFeatures& plan, const CudaFigures& figures, std::int64_t scalar_bytes);

/// A refactorize and a solve with one right-hand side.
double host_seconds(const CostFeatures& features, const CostFigures& figures, int threads, std::int64_t scalar_bytes);
double cuda_seconds(const CostFeatures& features, const CostFigures& figures, std::int64_t scalar_bytes);

}  // namespace gpusupernodal
