#pragma once

/// \file
/// Whether an LU factorization with doubtful pivots can be trusted. Its answer is a residual, not an estimate.

#include <cstdint>

#include "gpusupernodal/report.hpp"
#include "solver/backend/executor.hpp"
#include "solver/iterative/flexible_gmres.hpp"

namespace gpusupernodal {

/// Backward error that a solve has to reach to be trusted: 100·sqrt(n)·eps, relative to ‖A‖∞‖x‖∞ + ‖b‖∞.
template <class T>
double trusted_backward_error(std::int64_t n);

/// Whether a factorization must be probed: pivots were replaced, or its growth (FactorReport::growth) exceeds 100. Otherwise
/// the backward error of the scaled system is at most about 100·n²·eps [Higham02, Theorem 9.4]. That of A itself can be
/// larger by the ratios of the scales, so solves are verified in any case.
bool is_doubtful(const FactorOutcome& outcome);

/// The matrix that a solve with these steps is for: A, its transpose or its adjoint. Precondition: ExecutorOptions::keep_a.
template <class T>
LinearOperator<T>& matrix_of(Executor<T>& executor, const SolveSteps& steps);

/// The refinement of verified solves: at least ten steps, until the caller's backward error or `target` is reached,
/// whichever is smaller. 0: as long as steps help.
Refinement verifying(const Refinement& refinement, double target);

/// How solves are verified.
struct SolveRules {
  Refinement refinement;
  KrylovLimits krylov;  ///< Of FGMRES, for columns whose backward error exceeds krylov.backward_error after refinement.
};

/// Solves A x = b, or with the matrix that the steps name, and refines the columns whose backward error exceeds
/// refinement.backward_error. Columns are solved together unless b and x share memory or that error is 0. The caller
/// compares SolveReport::backward_error, the largest of all columns, with what it trusts. Without memory for FGMRES, that of
/// refinement stays. Precondition: ExecutorOptions::keep_a.
template <class T>
SolveReport verified_solve(Executor<T>& executor, const SolveSteps& steps, const SolveRules& rules,
                           const DenseView<const T>& b, const DenseView<T>& x);

/// Whether b and x overlap.
template <class T>
bool share_memory(const DenseView<const T>& b, const DenseView<T>& x);

/// Result of solving with a right-hand side of ±1.
struct Probe {
  double backward_error = 0.0;  ///< After refinement.
  double condition = 0.0;  ///< ‖A‖∞‖x‖∞ / ‖b‖∞, a lower bound for the condition number if x is accurate.
  /// ‖Av‖∞ / (‖A‖∞‖v‖∞) after two steps v −= (LU)⁻¹Av that begin at x: A becomes singular by a change of about this size,
  /// relative to A. Infinity if v is zero or not finite.
  double null_residual = 0.0;
  double residual = 0.0;  ///< ‖b − Ax‖∞ / ‖b‖∞.
  int fgmres_iterations = 0;
};

/// Solves with a fixed right-hand side of pseudorandom ±1 and refinement, and by FGMRES with `krylov` if that is not 0. Uses
/// scratch slots 0 to refinement_vectors + probe_vectors − 1. Precondition: ExecutorOptions::keep_a. Waits for the device.
/// Cost: up to 13 solves, and one for each iteration of FGMRES.
template <class T>
Probe probe_factorization(Executor<T>& executor, std::int64_t n, const KrylovLimits& krylov);

/// Status of a doubtful factorization with this outcome after its probe. `singular`: a pivot is zero up to rounding, and
/// either null_residual is at most 10·sqrt(n)·eps, or a right-hand side of ±1 has an accurate solution that is larger than
/// it by 1 / (10·eps). Where pivots were replaced, they are those of another matrix and need not be small: `singular` too if
/// FGMRES makes the backward error small only by a large x, with a residual above 1 % of b. `unstable`: such a result of
/// refinement alone, or a backward error that is not small.
template <class T>
Status status_of(const Probe& probe, const FactorOutcome& outcome, std::int64_t n);

}  // namespace gpusupernodal
