#pragma once

/// \file
/// ApproximateInverse: approximate solves with a matrix. A factorization is one of them.

#include "gpusupernodal/views.hpp"
#include "solver/backend/factorization.hpp"

namespace gpusupernodal {

/// M ≈ A whose inverse is cheap to apply.
template <class S>
class ApproximateInverse {
 public:
  virtual ~ApproximateInverse() = default;
  ApproximateInverse() = default;
  ApproximateInverse(const ApproximateInverse&) = delete;
  ApproximateInverse& operator=(const ApproximateInverse&) = delete;

  /// z := M⁻¹ r for n × nrhs views, which may be the same.
  virtual void apply(const DenseView<const S>& r, const DenseView<S>& z) = 0;
};

/// M is the matrix that `factorization` has factorized.
template <class S>
class FactorPreconditioner final : public ApproximateInverse<S> {
 public:
  /// `factorization` must outlive this. `steps` are all steps of a solve; M is the matrix, or its transpose or adjoint, as
  /// they say.
  explicit FactorPreconditioner(Factorization<S>& factorization, const SolveSteps& steps = {})
      : factorization_(factorization), steps_(steps) {}
  void apply(const DenseView<const S>& r, const DenseView<S>& z) override { factorization_.solve(steps_, r, z); }

 private:
  Factorization<S>& factorization_;
  SolveSteps steps_;
};

}  // namespace gpusupernodal
