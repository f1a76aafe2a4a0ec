#pragma once

/// \file
/// Flexible GMRES, restarted, with a factorization as preconditioner: for factors that replaced pivots, where refinement
/// diverges.

#include "gpusupernodal/report.hpp"
#include "solver/backend/linear_operator.hpp"
#include "solver/backend/vector_space.hpp"
#include "solver/iterative/approximate_inverse.hpp"

namespace gpusupernodal {

/// When FlexibleGmres stops.
struct KrylovLimits {
  double backward_error = 0.0;  ///< normwise_error to reach.
  int iterations = 0;           ///< The most iterations of one column, all restarts together.
};

/// Improves x for A x = b by flexible GMRES [Saad93], preconditioned by `m`. With a factorization L·U = A + E as `m`, where
/// E has the changes of k replaced pivots, A M⁻¹ differs from the identity by a matrix of rank k, so k + 1 iterations
/// suffice in exact arithmetic, while refinement needs a spectral radius of E·M⁻¹ below 1. [ADGP07, AD09] show that backward
/// errors become small. It restarts after 30 iterations. Each takes a solve with `m`, a product with A, and two vectors in
/// host memory, where they are made orthogonal in double precision. A restart that does not halve the backward error is the
/// last one; x is only replaced by a better one.
///
/// b and x: one column each, in scratch slots 0 and 1 of `vectors`, where richardson leaves them. Uses slots 2 to 4. Waits
/// for the device in each iteration. Adds the iterations to report.fgmres_iterations and sets report.backward_error.
/// Throws std::bad_alloc without memory for the vectors; x is then as good as it was.
template <class S>
void flexible_gmres(LinearOperator<S>& a, ApproximateInverse<S>& m, VectorSpace<S>& vectors, const KrylovLimits& limits,
                    std::int64_t n, SolveReport& report);

}  // namespace gpusupernodal
