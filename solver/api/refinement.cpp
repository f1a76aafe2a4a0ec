#include "solver/api/refinement.hpp"

#include <algorithm>
#include <limits>

namespace gpusupernodal {
namespace {

constexpr SolveSteps copy_only{false, false, false, false};

template <class Norms>
double normwise_error(const Norms& norms) {
  const double scale = norms.a * norms.x + norms.b;
  return scale > 0.0 ? norms.r / scale : norms.r;
}

/// One column; returns the steps taken and the last backward error.
template <class T>
SolveReport refine_column(Executor<T>& executor, const Refinement& refinement, const DenseView<const T>& b,
                          const DenseView<T>& x) {
  const DenseView<T> right = executor.scratch(0, b.rows, 1);
  const DenseView<T> solution = executor.scratch(1, b.rows, 1);
  const DenseView<T> residual = executor.scratch(2, b.rows, 1);
  const DenseView<T> correction = executor.scratch(3, b.rows, 1);
  const DenseView<T> before = executor.scratch(4, b.rows, 1);
  executor.solve(copy_only, b, right);
  executor.solve(SolveSteps(), right, solution);
  SolveReport report;
  double previous = std::numeric_limits<double>::infinity();
  for (;;) {
    report.backward_error = normwise_error(executor.residual(right, solution, residual));
    if (report.backward_error > previous) {  // The step did harm: back to the solution before it.
      report.backward_error = previous;
      executor.solve(copy_only, before, solution);
      break;
    }
    const bool reached = refinement.backward_error > 0.0 && report.backward_error <= refinement.backward_error;
    if (reached || report.refinement_steps == refinement.max_steps || !(report.backward_error <= 0.5 * previous)) break;
    previous = report.backward_error;
    executor.solve(copy_only, solution, before);
    executor.solve(SolveSteps(), residual, correction);
    executor.add(correction, solution);
    ++report.refinement_steps;
  }
  executor.solve(copy_only, solution, x);
  return report;
}

}  // namespace

template <class T>
SolveReport solve_refined(Executor<T>& executor, const Refinement& refinement, const DenseView<const T>& b,
                          const DenseView<T>& x) {
  SolveReport worst;
  for (std::int64_t c = 0; c < b.cols; ++c) {
    const SolveReport column = refine_column(executor, refinement, DenseView<const T>(b.data + c * b.ld, b.rows, b.space),
                                             DenseView<T>(x.data + c * x.ld, x.rows, x.space));
    worst.refinement_steps = std::max(worst.refinement_steps, column.refinement_steps);
    // Written so that NaN counts as the worst.
    if (!(column.backward_error <= worst.backward_error)) worst.backward_error = column.backward_error;
  }
  return worst;
}

template SolveReport solve_refined(Executor<float>&, const Refinement&, const DenseView<const float>&,
                                   const DenseView<float>&);
template SolveReport solve_refined(Executor<double>&, const Refinement&, const DenseView<const double>&,
                                   const DenseView<double>&);

}  // namespace gpusupernodal
