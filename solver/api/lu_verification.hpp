#pragma once

/// \file
/// Whether an LU factorization with doubtful pivots can be trusted. Its answer is a residual, not an estimate.

#include <cstdint>

#include "solver/backend/executor.hpp"

namespace gpusupernodal {

/// Backward error that a solve has to reach to be trusted: 100·sqrt(n)·eps, relative to ‖A‖∞‖x‖∞ + ‖b‖∞.
template <class T>
double trusted_backward_error(std::int64_t n);

/// Whether the pivots alone do not vouch for the factorization: some were replaced, or |U| grew to more than 100·|A|.
/// Without either, the backward error is at most about 100·n·eps [Higham02, Theorem 9.3].
bool is_doubtful(const FactorOutcome& outcome);

/// The refinement of solves with a doubtful factorization: at least ten steps.
Refinement verifying(const Refinement& refinement);

/// Result of solving with a right-hand side of ±1.
struct Probe {
  double backward_error = 0.0;  ///< After refinement.
  /// A lower bound for the condition number: ‖A‖∞‖x‖∞ / ‖b‖∞ if x is accurate, else the same for the direction in which
  /// refinement stalls.
  double condition = 0.0;
};

/// Solves with a fixed right-hand side of pseudorandom ±1 and refinement. Uses scratch slots 0 to refinement_vectors +
/// probe_vectors − 1. Precondition: ExecutorOptions::keep_a. Waits for the device. Cost: up to 15 solves.
template <class T>
Probe probe_factorization(Executor<T>& executor, std::int64_t n);

/// Status of a doubtful factorization after its probe. `singular`: the condition number is at least 1 / (10·eps).
/// `unstable`: refined solves do not reach the trusted backward error.
template <class T>
Status status_of(const Probe& probe, std::int64_t n);

}  // namespace gpusupernodal
