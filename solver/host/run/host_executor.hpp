#pragma once

/// \file
/// HostExecutor: the parts of an executor on the host.

#include <algorithm>
#include <memory>
#include <optional>

#include "gpusupernodal/built_with.hpp"
#include "solver/host/run/host_context.hpp"
#include "solver/host/run/host_factor.hpp"
#include "solver/host/run/host_operator.hpp"
#include "solver/host/run/host_system.hpp"
#include "solver/host/run/host_vectors.hpp"

namespace gpusupernodal {

/// Workspace for the systems of one plan. Precondition of factorize, solve and products: attach was called.
template <class S>
class HostExecutor final : public Executor<S> {
 public:
  HostExecutor(const std::shared_ptr<const HostPlan>& plan, const ExecutorOptions& options)
      : context_(options, host_kernels<S>().name), vectors_(context_.allocator()) {
    if (options.keep_a) {
      matrix_.emplace(plan, options.symmetric, context_.allocator());
      transposed_.emplace(*matrix_, Orientation{true, false});
      adjoint_.emplace(*matrix_, Orientation{true, true});
    }
    HostOperator<S>* const matrix = matrix_ ? &*matrix_ : nullptr;
    if constexpr (built_with(Form::lu)) {
      if (plan->structure->columns) factor_ = make_column_factor<S>(plan, options, context_, matrix);
      if (plan->structure->dense) factor_ = make_dense_factor<S>(plan, options, context_, matrix);
    }
    if (!factor_) factor_ = std::make_unique<HostFactor<S>>(plan, options, context_, matrix);
  }

  /// Later calls are for this system, which must outlive them.
  void attach(HostSystem<S>& system) {
    factor_->attach(system);
    if (matrix_) matrix_->attach(system);
  }
  /// Attaches to a system that this owns.
  void attach(std::unique_ptr<HostSystem<S>> system) {
    own_system_ = std::move(system);
    attach(*own_system_);
  }

  DeviceContext& context() override { return context_; }
  Factorization<S>& factorization() override { return *factor_; }
  LinearOperator<S>& matrix() override { return *matrix_; }
  LinearOperator<S>& transposed_matrix() override { return *transposed_; }
  LinearOperator<S>& adjoint_matrix() override { return *adjoint_; }
  VectorSpace<S>& vectors() override { return vectors_; }
  void copy_values(Span<S> host) override { std::copy_n(matrix_->values(), host.size(), host.data()); }

 private:
  HostContext context_;
  HostVectors<S> vectors_;
  std::unique_ptr<HostSystem<S>> own_system_;
  std::optional<HostOperator<S>> matrix_;  ///< Only with ExecutorOptions::keep_a.
  std::optional<TransposedOperator<HostOperator<S>, S>> transposed_;
  std::optional<TransposedOperator<HostOperator<S>, S>> adjoint_;
  std::unique_ptr<SystemFactor<S>> factor_;
};

}  // namespace gpusupernodal
