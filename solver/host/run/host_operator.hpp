#pragma once

/// \file
/// HostOperator: products with the caller's matrix on the host.

#include <memory>

#include "solver/backend/buffer.hpp"
#include "solver/backend/factorization.hpp"
#include "solver/backend/linear_operator.hpp"
#include "solver/host/plan/host_plan.hpp"

namespace gpusupernodal {

/// A := scale·A + shift·I for the pattern of a plan, with its own copy of the values. Products are summed in double
/// precision on the calling thread.
template <class S>
class HostOperator final : public LinearOperator<S> {
 public:
  using Wide = typename ScalarTraits<S>::Wide;

  /// Takes memory for A's values and for sums. Throws OutOfMemory.
  HostOperator(std::shared_ptr<const HostPlan> plan, const std::shared_ptr<Allocator>& allocator);

  /// Copies the values, which lie in host memory.
  void set_values(const FactorInput<S>& input);
  void apply(const DenseView<const S>& x, const DenseView<S>& y) override;
  ResidualNorms residual(const DenseView<const S>& b, const DenseView<const S>& x, const DenseView<S>& r) override;

 private:
  template <class Visit>
  void for_each_entry(Visit visit) const;
  void subtract_diagonal(const S* x);
  void subtract_off_diagonal(const S* x);

  std::shared_ptr<const HostPlan> plan_;
  Buffer<S> values_;
  Buffer<Wide> sums_;         ///< n: the residual before it is rounded.
  Buffer<double> row_norms_;  ///< n: absolute row sums of A.
  double scale_ = 1.0;
  double shift_ = 0.0;
};

}  // namespace gpusupernodal
