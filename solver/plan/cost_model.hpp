#pragma once

/// \file
/// How long a refactorize and a solve take on each backend, as far as a plan tells. The figures are those of a machine:
/// bench/fit_cost_model measures them.

#include <cstdint>

#include "solver/plan/cost_figures.hpp"
#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {

/// Workers of at most `threads` that a factorization on the host keeps busy: one where the tasks are little work, or nearly
/// all wait for one another.
int host_factor_workers(const FactorPlan& plan, int threads);

/// The same of a solve with `columns` right-hand sides. `values` of L are those that several workers share: 0 where they
/// only permute.
int host_solve_workers(double order, double values, double columns, int threads);

/// What of a plan its cost depends on.
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
CostFeatures cost_features(const FactorPlan& plan);

/// Estimated seconds of one refactorize and one solve with a right-hand side; A's values, b and x in host memory.
struct CostEstimate {
  double host = 0.0;
  double cuda = 0.0;
  /// `cuda` is without the steps of solves, as it is no less than `host` even so: small matrices need no plan for a device.
  bool cuda_is_more = false;
};

double host_factor_seconds(const CostFeatures& plan, const HostFigures& figures, int threads, std::int64_t scalar_bytes);
double host_solve_seconds(const CostFeatures& plan, const HostFigures& figures, int threads, std::int64_t scalar_bytes);
double cuda_factor_seconds(const CostFeatures& plan, const CudaFigures& figures, std::int64_t scalar_bytes);
double cuda_solve_seconds(const CostFeatures& plan, const CudaFigures& figures, std::int64_t scalar_bytes);

/// They decide only which backend `automatic` takes.
CostEstimate estimate_cost(const FactorPlan& plan, const CostFigures& figures, int host_threads, std::int64_t scalar_bytes);

}  // namespace gpusupernodal
