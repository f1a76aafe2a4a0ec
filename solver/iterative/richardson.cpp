#include "solver/iterative/richardson.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpusupernodal/build_config.hpp"

namespace gpusupernodal {

double normwise_error(const ResidualNorms& norms) {
  const double scale = norms.a * norms.x + norms.b;
  if (!std::isfinite(scale)) return std::numeric_limits<double>::quiet_NaN();
  return scale > 0.0 ? norms.r / scale : norms.r;
}

void take_worse(const SolveReport& column, SolveReport& worst) {
  worst.refinement_steps = std::max(worst.refinement_steps, column.refinement_steps);
  worst.fgmres_iterations = std::max(worst.fgmres_iterations, column.fgmres_iterations);
  if (!(column.backward_error <= worst.backward_error)) worst.backward_error = column.backward_error;
}

namespace {

/// Iterates for one column; returns the number of steps and the last backward error.
template <class S>
SolveReport solve_column(LinearOperator<S>& a, ApproximateInverse<S>& m, VectorSpace<S>& vectors,
                         const Refinement& refinement, const DenseView<const S>& b, const DenseView<S>& x) {
  const DenseView<S> right = vectors.scratch(0, b.rows, 1);
  const DenseView<S> solution = vectors.scratch(1, b.rows, 1);
  const DenseView<S> residual = vectors.scratch(2, b.rows, 1);
  const DenseView<S> correction = vectors.scratch(3, b.rows, 1);
  const DenseView<S> before = vectors.scratch(4, b.rows, 1);
  vectors.copy(b, right);
  m.apply(right, solution);
  SolveReport report;
  double previous = std::numeric_limits<double>::infinity();
  for (;;) {
    report.backward_error = normwise_error(a.residual(right, solution, residual));
    // The step increased the error, or made it NaN: return to the solution before it.
    if (report.refinement_steps > 0 && !(report.backward_error <= previous)) {
      report.backward_error = previous;
      vectors.copy(before, solution);
      break;
    }
    const bool reached = refinement.backward_error > 0.0 && report.backward_error <= refinement.backward_error;
    if (reached || report.refinement_steps == refinement.max_steps || !(report.backward_error <= 0.5 * previous)) break;
    previous = report.backward_error;
    vectors.copy(solution, before);
    m.apply(residual, correction);
    vectors.axpy(S(1), correction, solution);
    ++report.refinement_steps;
  }
  vectors.copy(solution, x);
  return report;
}

}  // namespace

template <class S>
SolveReport richardson(LinearOperator<S>& a, ApproximateInverse<S>& m, VectorSpace<S>& vectors, const Refinement& refinement,
                       const DenseView<const S>& b, const DenseView<S>& x) {
  SolveReport worst;
  for (std::int64_t c = 0; c < b.cols; ++c) {
    const SolveReport column =
        solve_column(a, m, vectors, refinement, DenseView<const S>(b.data + c * b.ld, b.rows, b.space),
                     DenseView<S>(x.data + c * x.ld, x.rows, x.space));
    take_worse(column, worst);
  }
  return worst;
}

#define GPUSUPERNODAL_INSTANTIATE(T)                                                                              \
  template SolveReport richardson(LinearOperator<T>&, ApproximateInverse<T>&, VectorSpace<T>&, const Refinement&, \
                                  const DenseView<const T>&, const DenseView<T>&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
