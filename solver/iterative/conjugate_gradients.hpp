#pragma once

/// \file
/// Preconditioned conjugate gradients: tolerances, restarts from the true residual, outcomes.

#include <functional>

#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/pcg.hpp"
#include "solver/backend/pcg_engine.hpp"

namespace gpusupernodal {

/// When a solve ends.
struct PcgCriteria {
  double tolerance = 0.0;  ///< Relative to ‖b‖₂.
  double absolute = 0.0;
  std::int64_t max_iterations = 0;
  std::function<bool(const PcgProgress&)> progress;  ///< PcgOptions::progress; may be empty.
};

/// Solves A x = b for one right-hand side and fills in the numerical part of a report. x may be null: start at 0. Writes x
/// unless b is not finite or the caller cancels, which throws Cancelled. `converged` holds for the x that is written. Cost:
/// a product with A, M⁻¹ and 6 n operations for each iteration, and a product for each restart.
template <class S>
PcgReport conjugate_gradients(PcgEngine<S>& engine, const PcgCriteria& criteria, const DenseView<const S>& b,
                              const DenseView<S>& x, bool use_start);

#define GPUSUPERNODAL_INSTANTIATE(T)                                                                          \
  extern template PcgReport conjugate_gradients(PcgEngine<T>&, const PcgCriteria&, const DenseView<const T>&, \
                                                const DenseView<T>&, bool);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
