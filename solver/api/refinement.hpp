#pragma once

/// \file
/// Iterative refinement over an executor.

#include "gpusupernodal/options.hpp"
#include "gpusupernodal/report.hpp"
#include "solver/backend/executor.hpp"

namespace gpusupernodal {

/// Solves A x = b and refines each column as `refinement` says [Higham02, ch. 12]; a step that does not halve the backward
/// error ends it. Preconditions: the executor keeps A; b and x are views that it reaches. Waits for the device.
template <class T>
SolveReport solve_refined(Executor<T>& executor, const Refinement& refinement, const DenseView<const T>& b,
                          const DenseView<T>& x);

}  // namespace gpusupernodal
