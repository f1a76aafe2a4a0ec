#pragma once

/// \file
/// Estimate of the norm of an inverse from solves.

#include <cstdint>

#include "solver/iterative/approximate_inverse.hpp"

namespace gpusupernodal {

/// Estimates ‖M⁻¹‖₁ for symmetric (Hermitian) M of order n by at most 11 applications of M⁻¹ to host vectors: exact up to
/// rounding for n ≤ 11, above that a lower bound that is seldom off by more than 3 [Higham02, algorithm 15.4].
template <class S>
double inverse_norm_estimate(std::int64_t n, ApproximateInverse<S>& m);

}  // namespace gpusupernodal
