#pragma once

/// \file
/// HostOperator: products with the caller's matrix on the host.

#include <memory>

#include "solver/backend/buffer.hpp"
#include "solver/backend/factorization.hpp"
#include "solver/backend/linear_operator.hpp"
#include "solver/host/plan/host_plan.hpp"

namespace gpusupernodal {

/// The transpose of another operator.
template <class Operator, class S>
class TransposedOperator final : public LinearOperator<S> {
 public:
  /// `matrix` must outlive this.
  explicit TransposedOperator(Operator& matrix) : matrix_(matrix) {}
  void apply(const DenseView<const S>& x, const DenseView<S>& y) override { matrix_.apply_transposed(x, y); }
  ResidualNorms residual(const DenseView<const S>& b, const DenseView<const S>& x, const DenseView<S>& r) override {
    return matrix_.residual_transposed(b, x, r);
  }

 private:
  Operator& matrix_;
};

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
  /// As apply and residual, with Aᵀ. Precondition: the plan is for LU.
  void apply_transposed(const DenseView<const S>& x, const DenseView<S>& y);
  ResidualNorms residual_transposed(const DenseView<const S>& b, const DenseView<const S>& x, const DenseView<S>& r);

 private:
  void subtract_product(const S* x, bool transposed);
  void subtract_general_product(const S* x, bool transposed);
  void apply(const DenseView<const S>& x, const DenseView<S>& y, bool transposed);
  ResidualNorms residual(const DenseView<const S>& b, const DenseView<const S>& x, const DenseView<S>& r, bool transposed);
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
