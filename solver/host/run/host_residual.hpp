#pragma once

/// \file
/// The residual of a solution on the host.

#include "solver/backend/executor.hpp"
#include "solver/host/plan/host_plan.hpp"

namespace gpusupernodal {

/// r := b − (scale·A + shift·I) x for one column, in the caller's numbering, summed in double; and the norms of its parts.
/// `work` has room for 2 n numbers. Cost O(nnz).
template <class T>
typename Executor<T>::ResidualNorms host_residual(const HostPlan& plan, const FactorInput<T>& input,
                                                  const DenseView<const T>& b, const DenseView<const T>& x,
                                                  const DenseView<T>& r, double* work);

}  // namespace gpusupernodal
