#pragma once

/// \file
/// Triangular solves on the host's panels.

#include <cstdint>

#include "kernels/host/host_kernels.hpp"
#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {

/// Solves in elimination order, in place in an n × nrhs matrix y with leading dimension n.
template <class T>
class HostSolve {
 public:
  /// `values` are the factor's panels; `scratch` has room for largest rows below × nrhs.
  HostSolve(const FactorPlan& plan, const T* values, T* scratch);

  void forward(T* y, std::int32_t nrhs) const;   ///< y := L⁻¹ y
  void backward(T* y, std::int32_t nrhs) const;  ///< y := L⁻ᵀ y

 private:
  void forward_supernode(SupernodeId s, T* y, std::int32_t nrhs) const;
  void backward_supernode(SupernodeId s, T* y, std::int32_t nrhs) const;

  const FactorPlan& plan_;
  const HostKernels<T>& kernels_;
  const T* values_;
  T* scratch_;
};

extern template class HostSolve<float>;
extern template class HostSolve<double>;

}  // namespace gpusupernodal
