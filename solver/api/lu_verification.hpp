#pragma once

/// \file
/// Whether an LU factorization with doubtful pivots can be trusted. Its answer is a residual, not an estimate.

#include <cstdint>

#include "solver/backend/executor.hpp"

namespace gpusupernodal {

/// Backward error that a solve has to reach to be trusted: 100·sqrt(n)·eps, relative to ‖A‖∞‖x‖∞ + ‖b‖∞.
template <class T>
double trusted_backward_error(std::int64_t n);

/// Whether a factorization must be verified: pivots were replaced, or its growth (FactorReport::growth) exceeds 100.
/// Otherwise the scaled |L|·|U| is at most 100·n·|A|, and so is the backward error of a solve, up to a factor n·eps
/// [Higham02, Theorem 9.4]; in practice it is far smaller.
bool is_doubtful(const FactorOutcome& outcome);

/// The refinement of solves with a doubtful factorization: at least ten steps, until the caller's backward error or the
/// trusted one is reached, whichever is smaller.
Refinement verifying(const Refinement& refinement, double trusted);

/// Result of solving with a right-hand side of ±1.
struct Probe {
  double backward_error = 0.0;  ///< After refinement.
  double condition = 0.0;  ///< ‖A‖∞‖x‖∞ / ‖b‖∞, a lower bound for the condition number if x is accurate.
  /// ‖Av‖∞ / (‖A‖∞‖v‖∞) after two steps v −= (LU)⁻¹Av that begin at x: A becomes singular by a change of about this size,
  /// relative to A. Infinity if v is zero or not finite.
  double null_residual = 0.0;
};

/// Solves with a fixed right-hand side of pseudorandom ±1 and refinement. Uses scratch slots 0 to refinement_vectors +
/// probe_vectors − 1. Precondition: ExecutorOptions::keep_a. Waits for the device. Cost: up to 13 solves.
template <class T>
Probe probe_factorization(Executor<T>& executor, std::int64_t n);

/// Status of a doubtful factorization with this outcome after its probe. `singular`: a pivot is zero up to rounding, and
/// either a right-hand side of ±1 has a solution that is larger than it by 1 / (10·eps), or refined solves do not reach the
/// trusted backward error and null_residual is at most 10·sqrt(n)·eps. `unstable`: refined solves do not reach that error
/// otherwise.
template <class T>
Status status_of(const Probe& probe, const FactorOutcome& outcome, std::int64_t n);

}  // namespace gpusupernodal
