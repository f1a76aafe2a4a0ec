#pragma once

/// \file
/// When numbers below the least normal one may be flushed to zero. On many processors, an operation on such a number takes a
/// hundred times as long.

#include <cstdint>
#include <limits>

#include "gpusupernodal/build_config.hpp"
#include "solver/backend/factorization.hpp"
#include "solver/host/plan/host_plan.hpp"
#include "solver/host/run/workers.hpp"

namespace gpusupernodal {

/// Whether flushing numbers below the least normal one, u, to zero leaves a factorization in T of scale·A + shift·I as
/// accurate as before. An entry of A is a sum of at most n products of entries of L, so the backward error of entry (i, j)
/// grows by at most n·u. This is negligible beside rounding, eps·sqrt(a_ii·a_jj), if every diagonal entry is at least a
/// multiple of n·u / eps. Returns false for double, where such numbers are rare, and if a diagonal entry is missing. Cost:
/// one pass over A's map by the team.
template <class T>
bool subnormals_are_negligible(const HostPlan& plan, const FactorInput<T>& input, WorkerTeam& team);

/// The least diagonal entry of a matrix of order n for which this holds. Precondition: T is in single precision.
template <class T>
typename ScalarTraits<T>::Real least_diagonal_to_flush(std::int64_t n) {
  using Real = typename ScalarTraits<T>::Real;
  constexpr Real margin = 16;
  return margin * static_cast<Real>(n) * (std::numeric_limits<Real>::min() / std::numeric_limits<Real>::epsilon());
}

#define GPUSUPERNODAL_INSTANTIATE(T) \
  extern template bool subnormals_are_negligible(const HostPlan&, const FactorInput<T>&, WorkerTeam&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
