#pragma once

/// \file
/// SystemFactor: a factorization on the host that works on one system after another.

#include <memory>

#include "solver/backend/factorization.hpp"
#include "solver/host/run/host_context.hpp"
#include "solver/host/run/host_operator.hpp"
#include "solver/host/run/host_system.hpp"

namespace gpusupernodal {

/// Workspace of a factorization; the factor is that of the system to which this is attached.
template <class T>
class SystemFactor : public Factorization<T> {
 public:
  /// Later calls are for this system, which must outlive them. Precondition of every call of Factorization.
  virtual void attach(HostSystem<T>& system) = 0;
};

/// Makes the factorization of a plan for LU by columns. `context` and `matrix`, which may be null and receives the values of
/// each factorize, must outlive it. Throws OutOfMemory. Builds without LU by columns link a stub.
template <class T>
std::unique_ptr<SystemFactor<T>> make_column_factor(std::shared_ptr<const HostPlan> plan, const ExecutorOptions& options,
                                                    HostContext& context, HostOperator<T>* matrix);

/// As make_column_factor, for a plan for LU on dense storage.
template <class T>
std::unique_ptr<SystemFactor<T>> make_dense_factor(std::shared_ptr<const HostPlan> plan, const ExecutorOptions& options,
                                                   HostContext& context, HostOperator<T>* matrix);

}  // namespace gpusupernodal
