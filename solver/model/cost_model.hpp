#pragma once

/// \file
/// Estimates the seconds of a refactorize and of a solve on each backend from a plan's features and a machine's figures,
/// which bench/fit_cost_model measures.

#include <cstdint>

#include "kernels/common/scalar_type.hpp"
#include "solver/model/cost_figures.hpp"
#include "solver/model/front_tree.hpp"

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
/// Time of a factorization by several workers, in the unit of `work` and of `critical`, the longest path: it bounds the time
/// from below, and the other work is seldom hidden completely behind it.
double host_factor_span(double work, double critical, int workers);

/// Number of workers, at most `threads`, that a solve with `columns` right-hand sides on the host keeps busy. `values` is
/// the number of values of L that several workers share; 0 if the sweeps run on one worker.
int host_solve_workers(double order, double values, double columns, int threads);

/// Seconds of one refactorize, or of one solve with one right-hand side. `scalar` is the type of L's values.
double host_factor_seconds(const CostFeatures& plan, const HostFigures& figures, int threads, ScalarType scalar);
double host_solve_seconds(const CostFeatures& plan, const HostFigures& figures, int threads, ScalarType scalar);
double cuda_factor_seconds(const CostFeatures& plan, const CudaFigures& figures, ScalarType scalar);
double cuda_solve_seconds(const CostFeatures& plan, const CudaFigures& figures, ScalarType scalar);

/// Number of dependent steps of a front: one for at most `narrow` columns, else `steps_per_block` per block of `block`
/// columns.
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
  StepRule factor;                      ///< Launch levels of a factorization.
  StepRule solve;                       ///< Dependent tasks of one sweep of a solve.
  double seconds_per_level = 0.0;       ///< Per launch level of a factorization.
  double seconds_per_solve_step = 0.0;  ///< Both sweeps together.
  double seconds_per_value = 0.0;       ///< Per stored value of a panel, in a factorization and a solve.
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
  /// Estimated seconds of one factorization and one solve in double precision on the host with 16 threads. The actual number
  /// of threads is ignored, so that plans do not depend on it. Cost O(fronts).
  virtual double host_seconds(const FrontTree& tree) const;

  /// Estimated seconds of one refactorize and one solve with one right-hand side, with A's values, b and x in host memory.
  double device_seconds(const CostFeatures& features, ScalarType scalar) const;
  double host_seconds(const CostFeatures& features, int threads, ScalarType scalar) const;

 protected:
  explicit CostModel(const MergeCosts& costs) : merge_costs_(costs) {}

 private:
  CostFigures figures_;
  MergeCosts merge_costs_;
};

}  // namespace gpusupernodal
