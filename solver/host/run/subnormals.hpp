#pragma once

/// \file
/// Numbers below the least normal one. Many processors take a hundred times as long for an operation that meets one.

#include "solver/backend/factorization.hpp"
#include "solver/host/plan/host_plan.hpp"
#include "solver/host/run/workers.hpp"

namespace gpusupernodal {

/// Whether a factorization in T of scale·A + shift·I stays as accurate as it is if numbers below the least normal one, u,
/// become zero. An entry of A is the sum of at most n products of entries of L; so the backward error of entry (i, j) grows
/// by n·u at most, which is nothing beside rounding, eps·sqrt(a_ii·a_jj), if all diagonal entries are some n·u / eps or
/// more. False for double, where such numbers are rare, and where a diagonal entry is missing. Cost: what is read of A's map
/// and diagonal, by the team.
template <class T>
bool subnormals_are_negligible(const HostPlan& plan, const FactorInput<T>& input, WorkerTeam& team);

extern template bool subnormals_are_negligible(const HostPlan&, const FactorInput<float>&, WorkerTeam&);
extern template bool subnormals_are_negligible(const HostPlan&, const FactorInput<double>&, WorkerTeam&);
extern template bool subnormals_are_negligible(const HostPlan&, const FactorInput<std::complex<float>>&, WorkerTeam&);
extern template bool subnormals_are_negligible(const HostPlan&, const FactorInput<std::complex<double>>&, WorkerTeam&);

}  // namespace gpusupernodal
