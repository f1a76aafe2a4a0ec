#pragma once

/// \file
/// HostOperator: products with the caller's matrix on the host.

#include <memory>

#include "solver/backend/buffer.hpp"
#include "solver/backend/factorization.hpp"
#include "solver/backend/linear_operator.hpp"
#include "solver/host/plan/host_plan.hpp"
#include "solver/host/run/host_system.hpp"

namespace gpusupernodal {

/// Which of A, its transpose and their conjugates an operation takes.
struct Orientation {
  bool transposed = false;
  bool conjugated = false;
};

/// The transpose or the adjoint of another operator.
template <class Operator, class S>
class TransposedOperator final : public LinearOperator<S> {
 public:
  /// `matrix` must outlive this.
  TransposedOperator(Operator& matrix, Orientation orientation) : matrix_(matrix), orientation_(orientation) {}
  void apply(const DenseView<const S>& x, const DenseView<S>& y) override { matrix_.apply(x, y, orientation_); }
  ResidualNorms residual(const DenseView<const S>& b, const DenseView<const S>& x, const DenseView<S>& r) override {
    return matrix_.residual(b, x, r, orientation_);
  }

 private:
  Operator& matrix_;
  Orientation orientation_;
};

/// scale·A + shift·I of the system to which this is attached, with that system's copy of A's values. Products are summed in
/// double precision on the calling thread.
template <class S>
class HostOperator final : public LinearOperator<S> {
 public:
  using Wide = typename ScalarTraits<S>::Wide;

  /// Takes memory for sums. Throws OutOfMemory. `symmetric` says that a complex matrix whose half is stored is symmetric,
  /// not Hermitian.
  HostOperator(std::shared_ptr<const HostPlan> plan, bool symmetric, const std::shared_ptr<Allocator>& allocator);

  /// Later calls are for this system, which must outlive them. Precondition of every other call.
  void attach(HostSystem<S>& system) { system_ = &system; }
  /// Copies the values, which lie in host memory.
  void set_values(const FactorInput<S>& input);
  /// A's values, in the caller's order of entries.
  const S* values() const { return system_->a.data(); }
  void apply(const DenseView<const S>& x, const DenseView<S>& y) override;
  ResidualNorms residual(const DenseView<const S>& b, const DenseView<const S>& x, const DenseView<S>& r) override;
  /// As apply and residual, with the transpose or a conjugate of A.
  void apply(const DenseView<const S>& x, const DenseView<S>& y, Orientation orientation);
  ResidualNorms residual(const DenseView<const S>& b, const DenseView<const S>& x, const DenseView<S>& r,
                         Orientation orientation);

 private:
  void subtract_product(const S* x, Orientation orientation);
  template <bool transposed>
  void subtract_general_product(const S* x, bool conjugated);
  double norm_of_general(bool transposed);
  bool is_shifted() const { return system_->shift != 0.0; }
  void subtract_symmetric_product(const S* x, bool conjugated);
  double norm_of_symmetric();
  double norm(Orientation orientation);
  template <class Visit>
  void for_each_entry(Visit visit) const;
  void subtract_diagonal(const S* x, bool conjugated);
  void subtract_off_diagonal(const S* x, bool conjugated);

  std::shared_ptr<const HostPlan> plan_;
  bool symmetric_;
  HostSystem<S>* system_ = nullptr;
  Buffer<Wide> sums_;         ///< n: the residual before it is rounded.
  Buffer<Wide> ordered_;      ///< 2n unless A is general: a vector and a product in elimination order.
  Buffer<double> row_norms_;  ///< n: absolute row sums of A.
};

}  // namespace gpusupernodal
