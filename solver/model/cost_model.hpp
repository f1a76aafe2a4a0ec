#pragma once

/// \file
/// How long a refactorize and a solve take on each backend, from what is known of a plan. The figures are those of a
/// machine; bench/fit_cost_model measures them.

#include <cstdint>

#include "solver/model/cost_figures.hpp"
#include "solver/model/front_tree.hpp"

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

/// Dependent steps of a front: one for at most `narrow` columns, `steps_per_block` for each `block` columns of a wider
/// front.
struct StepRule {
  std::int64_t narrow = 64;
  std::int64_t block = 64;
  std::int32_t steps_per_block = 1;

  std::int32_t steps(std::int64_t width) const {
    return width <= narrow ? 1 : steps_per_block * static_cast<std::int32_t>((width + block - 1) / block);
  }
};

/// Prices that merging compares: a longer path against more explicit zeros.
struct MergeCosts {
  StepRule factor;                      ///< Levels of launches of a factorization.
  StepRule solve;                       ///< Dependent tasks of a solve, in one direction.
  double seconds_per_level = 0.0;       ///< Of a factorization.
  double seconds_per_solve_step = 0.0;  ///< Both directions together.
  double seconds_per_value = 0.0;       ///< One value of a panel, in a factorization and a solve.
  double seconds_per_flop = 0.0;
};

/// The one model that prices work on a machine: merging asks it about trees of fronts, the choice of the backend about
/// plans. It is immutable. Tests derive from it to replace prices.
class CostModel {
 public:
  explicit CostModel(const CostFigures& figures = {});
  virtual ~CostModel() = default;

  const CostFigures& figures() const { return figures_; }
  const MergeCosts& merge_costs() const { return merge_costs_; }

  /// Estimated seconds of one factorization and one solve in double precision, with A, b and x on the device. Cost
  /// O(fronts + tiles).
  virtual double device_seconds(const FrontTree& tree) const;
  /// Estimated seconds of the same on the host with 16 threads, whatever the number of threads, so that plans do not depend
  /// on it. Cost O(fronts).
  virtual double host_seconds(const FrontTree& tree) const;

  /// Estimated seconds of one refactorize and one solve with one right-hand side, with A's values, b and x in host memory.
  double device_seconds(const CostFeatures& features, std::int64_t scalar_bytes) const;
  double host_seconds(const CostFeatures& features, int threads, std::int64_t scalar_bytes) const;

 protected:
  explicit CostModel(const MergeCosts& costs) : merge_costs_(costs) {}

 private:
  CostFigures figures_;
  MergeCosts merge_costs_;
};

}  // namespace gpusupernodal
