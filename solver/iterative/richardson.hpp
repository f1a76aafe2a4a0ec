#pragma once

/// \file
/// Preconditioned Richardson iteration. With a factorization as preconditioner it is iterative refinement.

#include "gpusupernodal/options.hpp"
#include "gpusupernodal/report.hpp"
#include "solver/backend/linear_operator.hpp"
#include "solver/backend/vector_space.hpp"
#include "solver/iterative/approximate_inverse.hpp"

namespace gpusupernodal {

/// ‖r‖∞ / (‖A‖∞‖x‖∞ + ‖b‖∞); NaN if the denominator overflows.
double normwise_error(const ResidualNorms& norms);

/// Raises the counts and the backward error of `worst` to those of a column. NaN counts as the largest error.
void take_worse(const SolveReport& column, SolveReport& worst);

/// Solves A x = b for each column: x := M⁻¹ b, then x += M⁻¹ (b − A x) as `refinement` says [Higham02, ch. 12]. A step that
/// does not halve the backward error is the last one; a step that increases it is undone. Returns the most steps and the
/// largest backward error over the columns. b and x may lie in any memory space that `vectors` can copy from and to; the
/// iteration uses scratch slots 0 to refinement_vectors − 1; afterwards slots 0 and 1 hold the last column of b and of x.
/// Waits for the device in each step.
template <class S>
SolveReport richardson(LinearOperator<S>& a, ApproximateInverse<S>& m, VectorSpace<S>& vectors, const Refinement& refinement,
                       const DenseView<const S>& b, const DenseView<S>& x);

}  // namespace gpusupernodal
