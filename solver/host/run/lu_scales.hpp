#pragma once

/// \file
/// Scales of the rows and columns of a general matrix, for the values of one factorization.

#include <memory>

#include "gpusupernodal/allocator.hpp"
#include "gpusupernodal/build_config.hpp"
#include "solver/backend/buffer.hpp"
#include "solver/backend/factorization.hpp"
#include "solver/general/equilibration.hpp"
#include "solver/host/plan/host_plan.hpp"

namespace gpusupernodal {

/// row·value·column in double precision, because a product of two of them may leave the range of float.
template <class T>
T scaled_entry(typename ScalarTraits<T>::Real row, T value, typename ScalarTraits<T>::Real column) {
  using Wide = typename ScalarTraits<T>::Wide;
  return static_cast<T>(static_cast<double>(row) * static_cast<Wide>(value) * static_cast<double>(column));
}

/// Factors in elimination order: powers of two in the range of T. The scales of the analysis are kept while they suit the
/// values. Scales of a matching suit while no scaled entry exceeds 1024. Scales of an equilibration suit while every row and
/// every column has its largest scaled entry between 1/16 and 16. No scaled entry may leave the range of T. If the scales do
/// not suit, or if the analysis had no values, the matrix is equilibrated. The scales depend only on the values of the
/// analysis and on the current values.
template <class T>
class LuScales {
 public:
  using Real = typename ScalarTraits<T>::Real;

  /// Precondition: the plan is for LU.
  LuScales(const HostPlan& plan, const std::shared_ptr<Allocator>& allocator);

  /// Sets the scales for these values, and the largest magnitude of a scaled entry. `scaled`, unless it is nullptr, receives
  /// the scaled entries in the order of the assembly map. Allocates nothing if the vectors of `workspace` have n entries
  /// each. Cost: O(nnz), one pass if the scales of the analysis suit.
  void set(const FactorInput<T>& input, Scales& workspace, T* scaled = nullptr);

  const Real* row() const { return row_.data(); }
  const Real* column() const { return column_.data(); }
  /// Largest finite magnitude of a scaled entry; 0 for a zero matrix.
  double largest_entry() const { return largest_entry_; }

 private:
  void put(const Scales& scales);
  void put_analyzed();
  bool analyzed_suit(const FactorInput<T>& input, Scales& workspace, T* scaled);
  bool is_equilibrated(const FactorInput<T>& input, Scales& workspace, T* scaled);
  bool has_underflow(const FactorInput<T>& input) const;
  void find_largest(const FactorInput<T>& input, T* scaled);
  template <class See>
  void for_each_scaled(const FactorInput<T>& input, T* scaled, const See& see) const;

  const HostPlan& plan_;
  Buffer<Real> row_;
  Buffer<Real> column_;
  bool holds_analyzed_ = false;  ///< row_ and column_ are the scales of the analysis.
  double largest_entry_ = 0.0;
};

#if GPUSUPERNODAL_HAVE_LU
#define GPUSUPERNODAL_INSTANTIATE(T) extern template class LuScales<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE
#endif

}  // namespace gpusupernodal
