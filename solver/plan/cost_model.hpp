#pragma once

/// \file
/// How long a refactorize and a solve take on each backend, as far as a plan tells. The figures are those of a machine:
/// bench/fit_cost_model measures them.

#include <cstdint>
#include <string_view>

#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {

/// Workers of at most `threads` that a factorization on the host keeps busy.
int host_factor_workers(const FactorPlan& plan, int threads);

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
  double solve_steps = 0.0;   ///< Tasks that wait for each other, of a forward and a backward solve on a device.
};
CostFeatures cost_features(const FactorPlan& plan);

/// What the host takes. The defaults were fitted on 16 threads of an Intel Xeon (docs/measurements.md).
struct HostFigures {
  double flops_per_second = 3.1e10;        ///< Of a thread, in large products of doubles; twice that of floats.
  double seconds_per_value = 1.6e-9;       ///< Of L, by a thread, beside its flops.
  double seconds_per_update = 9.7e-8;      ///< By a thread.
  double seconds_per_supernode = 6.1e-8;   ///< By a thread.
  double seconds_per_worker = 7.4e-5;      ///< To wake one more and wait for it.
  double seconds_fixed = 1.4e-6;           ///< Of a factorization.
  double solve_bytes_per_second = 6.7e10;  ///< Of L, by all threads.
  double solve_seconds_fixed = 2.1e-6;     ///< Of a solve.
  double solve_seconds_per_row = 3.1e-8;   ///< Of b and x.
};

/// What a CUDA device takes. The defaults were fitted on an NVIDIA H200.
struct CudaFigures {
  double flops_per_second = 4.8e13;          ///< In large products.
  double bytes_per_second = 1.1e12;          ///< Of L: zeroing, assembling, adding up.
  double seconds_per_level = 1.4e-6;         ///< Of a factorization: its launches, one after the other.
  double seconds_per_column = 7.7e-7;        ///< Of the longest path.
  double seconds_fixed = 5.5e-5;             ///< Of a factorization.
  double solve_bytes_per_second = 2.7e12;    ///< Of L, which is read twice.
  double solve_seconds_per_step = 5.0e-6;    ///< One after the other.
  double solve_seconds_fixed = 2.9e-5;       ///< Of a solve.
  double transfer_bytes_per_second = 3.7e9;  ///< To and from pageable memory of the host: A's values, b and x.
};

/// Of one machine.
struct CostFigures {
  HostFigures host;
  CudaFigures cuda;
};

/// Calls visit(name, value) for every figure: what files hold and what is fitted. `Figures` is HostFigures or CudaFigures,
/// constant or not.
template <class Figures, class Visit>
void for_each_host_figure(Figures& f, const Visit& visit) {
  visit("flops_per_second", f.flops_per_second);
  visit("seconds_per_value", f.seconds_per_value);
  visit("seconds_per_update", f.seconds_per_update);
  visit("seconds_per_supernode", f.seconds_per_supernode);
  visit("seconds_per_worker", f.seconds_per_worker);
  visit("seconds_fixed", f.seconds_fixed);
  visit("solve_bytes_per_second", f.solve_bytes_per_second);
  visit("solve_seconds_fixed", f.solve_seconds_fixed);
  visit("solve_seconds_per_row", f.solve_seconds_per_row);
}
template <class Figures, class Visit>
void for_each_cuda_figure(Figures& f, const Visit& visit) {
  visit("flops_per_second", f.flops_per_second);
  visit("bytes_per_second", f.bytes_per_second);
  visit("seconds_per_level", f.seconds_per_level);
  visit("seconds_per_column", f.seconds_per_column);
  visit("seconds_fixed", f.seconds_fixed);
  visit("solve_bytes_per_second", f.solve_bytes_per_second);
  visit("solve_seconds_per_step", f.solve_seconds_per_step);
  visit("solve_seconds_fixed", f.solve_seconds_fixed);
  visit("transfer_bytes_per_second", f.transfer_bytes_per_second);
}

/// Measured figures of the device whose description contains a name that is known ("NVIDIA H200, compute capability 9.0,
/// …"), and cautious ones for all others: a device that is taken for too slow costs less than one that is taken for too
/// fast.
CudaFigures cuda_figures_of(std::string_view device);

/// Estimated seconds of one refactorize and one solve with a right-hand side; A's values, b and x in host memory.
struct CostEstimate {
  double host = 0.0;
  double cuda = 0.0;
  /// `cuda` is without the steps of solves, as it is no less than `host` even so: small matrices need no plan for a device.
  bool cuda_is_more = false;
};

double host_factor_seconds(const CostFeatures& plan, const HostFigures& figures, int threads, std::int64_t scalar_bytes);
double host_solve_seconds(const CostFeatures& plan, const HostFigures& figures, std::int64_t scalar_bytes);
double cuda_factor_seconds(const CostFeatures& plan, const CudaFigures& figures, std::int64_t scalar_bytes);
double cuda_solve_seconds(const CostFeatures& plan, const CudaFigures& figures, std::int64_t scalar_bytes);

/// They decide only which backend `automatic` takes.
CostEstimate estimate_cost(const FactorPlan& plan, const CostFigures& figures, int host_threads, std::int64_t scalar_bytes);

}  // namespace gpusupernodal
