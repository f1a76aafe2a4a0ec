#pragma once

/// \file
/// What an LDLᵀ factorization on the host has beside its panels: scales and pivots.

#include <memory>
#include <vector>

#include "gpusupernodal/allocator.hpp"
#include "gpusupernodal/build_config.hpp"
#include "solver/backend/buffer.hpp"
#include "solver/backend/factorization.hpp"
#include "solver/host/plan/host_plan.hpp"
#include "solver/host/run/ldlt_pivots.hpp"

namespace gpusupernodal {

/// Workspace in which scales are computed; n entries each, unless stated otherwise.
template <class T>
struct LdltWorkspace {
  std::vector<float> entry;  ///< Logarithms of A's entries in the order of the assembly map; no_logarithm on the diagonal.
  std::vector<double> logarithm;  ///< Logarithms of the scales while they are computed; then powers of two.
  std::vector<double> maximum;    ///< Maxima of rows, in a sweep.
  std::vector<typename ScalarTraits<T>::Wide> diagonal;  ///< Diagonal of scale·A + shift·I.

  void resize(std::size_t n, std::size_t entries) {
    entry.resize(entries);
    logarithm.resize(n);
    maximum.resize(n);
    diagonal.resize(n);
  }
};

/// Scales and pivots of one system. Rows and columns have the same scales, so that the scaled matrix is symmetric.
template <class T>
class LdltData {
 public:
  using Real = typename ScalarTraits<T>::Real;
  using Wide = typename ScalarTraits<T>::Wide;

  /// `symmetric`: LdltPivots::symmetric.
  LdltData(const HostPlan& plan, bool symmetric, const std::shared_ptr<Allocator>& allocator);

  /// Computes the scales for these values by Ruiz's iteration [Ruiz01]: powers of two, so that the largest entry of each row
  /// is about 1. Sets the rule for small pivots: `perturbation` times the largest scaled entry. Allocates nothing.
  /// Cost O(nnz) for each of at most 5 sweeps.
  void set(const FactorInput<T>& input, double perturbation, LdltWorkspace<T>& workspace);

  LdltRules<T> rules() const;
  const Real* scale() const { return scale_.data(); }
  const T* d() const { return d_.data(); }
  const std::int32_t* exchange() const { return exchange_.data(); }
  bool symmetric() const { return symmetric_; }

  /// Adds to an outcome what the pivots of a finished factorization say. Cost O(n).
  void describe(FactorOutcome& outcome) const;
  /// D of the matrix that is not scaled; see Factorization::copy_pivots.
  void copy_pivots(Span<T> diagonal, Span<T> beside) const;
  /// See Factorization::small_pivots.
  std::vector<SmallPivot> small_pivots(double magnitude) const;

 private:
  NewIndex column_of_step(std::int32_t k) const;
  std::vector<NewIndex> columns_of_steps() const;
  void take_logarithms(const FactorInput<T>& input, LdltWorkspace<T>& workspace) const;
  double sweep(LdltWorkspace<T>& workspace) const;
  double largest_scaled(const FactorInput<T>& input, const std::vector<Wide>& diagonal) const;
  std::int32_t order() const { return plan_.structure->symbolic.order(); }

  const HostPlan& plan_;
  bool symmetric_;
  Buffer<Real> scale_;
  Buffer<T> d_;
  Buffer<std::int32_t> exchange_;
  Buffer<Real> magnitude_;
  Buffer<Real> largest_in_l_;
  double largest_entry_ = 0.0;
  Real smallest_allowed_ = 0;
};

#if GPUSUPERNODAL_HAVE_LDLT
#define GPUSUPERNODAL_INSTANTIATE(T) extern template class LdltData<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE
#endif

}  // namespace gpusupernodal
