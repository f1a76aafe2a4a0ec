/// \file
/// The host backend: assembles the parts of an executor.

#include <algorithm>
#include <optional>

#include "solver/host/run/host_context.hpp"
#include "solver/host/run/host_factor.hpp"
#include "solver/host/run/host_operator.hpp"
#include "solver/host/run/host_vectors.hpp"

namespace gpusupernodal {
namespace {

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
    factor_.emplace(plan, options, context_, matrix_ ? &*matrix_ : nullptr);
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
  std::optional<HostOperator<S>> matrix_;  ///< Only with ExecutorOptions::keep_a.
  std::optional<TransposedOperator<HostOperator<S>, S>> transposed_;
  std::optional<TransposedOperator<HostOperator<S>, S>> adjoint_;
  std::optional<HostFactor<S>> factor_;
};

}  // namespace

template <class S>
std::unique_ptr<Executor<S>> make_host_executor(std::shared_ptr<const HostPlan> plan, const ExecutorOptions& options) {
  return std::make_unique<HostExecutor<S>>(plan, options);
}

template std::unique_ptr<Executor<float>> make_host_executor(std::shared_ptr<const HostPlan>, const ExecutorOptions&);
template std::unique_ptr<Executor<double>> make_host_executor(std::shared_ptr<const HostPlan>, const ExecutorOptions&);
template std::unique_ptr<Executor<std::complex<float>>> make_host_executor(std::shared_ptr<const HostPlan>,
                                                                           const ExecutorOptions&);
template std::unique_ptr<Executor<std::complex<double>>> make_host_executor(std::shared_ptr<const HostPlan>,
                                                                            const ExecutorOptions&);

}  // namespace gpusupernodal
