#pragma once

/// \file
/// What each method is forecast to take, and which one ends first.

#include <cstdint>
#include <limits>
#include <string>

#include "gpusupernodal/system_solver.hpp"
#include "kernels/common/scalar_type.hpp"
#include "solver/iterative/lanczos.hpp"
#include "solver/model/cost_model.hpp"
#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {

/// Seconds that a method takes; infinite where it is out of the question.
struct MethodPrice {
  double setup = 0.0;      ///< Once, before the first of the solves that remain.
  double first = 0.0;      ///< That solve.
  double per_solve = 0.0;  ///< Each of the others.

  double total(double solves) const { return setup + first + (solves - 1.0) * per_solve; }
};

inline constexpr MethodPrice impossible{std::numeric_limits<double>::infinity(), 0.0, 0.0};

/// Prices of the methods between which `automatic` chooses.
struct SystemPrices {
  MethodPrice direct = impossible;
  MethodPrice mixed = impossible;
  MethodPrice pcg = impossible;
};

/// The method with the lowest total for this many solves (at least 1); `mixed` only if it is clearly lower than `direct`.
Method cheapest(const SystemPrices& prices, double solves);
/// Totals in one sentence, which names the chosen method first.
std::string forecast_sentence(const SystemPrices& prices, double solves, double iterations, Method chosen);

/// Seconds that a factorization with new memory, one with known memory, and a solve take.
struct FactorPrice {
  double first_factorize = 0.0;
  double factorize = 0.0;
  double solve = 0.0;
};

/// Estimates of the cost model for a plan on a backend. The object copies what they need, because looking that up takes as
/// long as an iteration.
class FactorPrices {
 public:
  /// Precondition: the plan has a part for the backend. Throws as figures_of_device. Cost: O(supernodes).
  FactorPrices(const FactorPlan& plan, Backend backend, const Options& options);

  /// `bytes_per_second` is the rate at which this host read memory in an iteration, for its solves; 0: not known.
  FactorPrice of(ScalarType scalar, double bytes_per_second) const;

 private:
  CostFeatures features_;
  CostFigures figures_;
  int threads_;
  bool cuda_;
};

/// Bytes of A, with `entries` in both triangles, and of vectors that an iteration reads or writes.
double bytes_of_iteration(double rows, double entries, ScalarType scalar);

/// Bytes per second at which an iteration on the host read this many bytes in `seconds`, waking workers not counted.
double read_rate(double bytes, double seconds, int threads);

/// Iterations after which Jacobi's preconditioner has reduced the residual to `tolerance` at the latest, by Gershgorin's
/// circles: `besides` is the largest sum of a row's magnitudes beside its diagonal entry, divided by that, and `spread` the
/// quotient of the largest and the smallest ‖·‖₁ of a row. Infinite if `besides` is not below 1.
double most_iterations_by_jacobi(double besides, double spread, double tolerance);

/// Seconds of an iteration on the host, for a matrix with `entries` in both triangles.
double host_iteration(const HostFigures& figures, double rows, double entries, ScalarType scalar, int threads);
/// Seconds of an iteration on a device, for a matrix with `entries` in both triangles.
double device_iteration(const CudaFigures& figures, double rows, double entries, ScalarType scalar);

/// Seconds in which Pcg takes over a matrix with `entries` in both triangles: with a factor on the host; on a device, where
/// it chooses a format for products.
double host_setup_of_pcg(double entries);
double device_setup_of_pcg(double entries);

/// Iterations, each with a product that reads `bytes_of_product`, that take as long as a factorization in single precision.
/// This is an estimate of the cost model for one host thread, without any measured time, so equal plans give equal numbers.
/// Precondition and exceptions: as for factor_price.
double iterations_worth_a_factor(const FactorPlan& plan, Backend backend, const Options& options, double bytes_of_product);

/// Iterations to the relative residual `tolerance` with a factor in single precision; infinite where the condition that the
/// Ritz values show leaves it few correct digits. Without Ritz values, those of a well-conditioned matrix.
double mixed_iterations(const RitzValues& ritz, double tolerance);

}  // namespace gpusupernodal
