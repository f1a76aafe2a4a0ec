#pragma once

/// \file
/// Scales of the rows and columns of a general matrix, for the values of one factorization.

#include <memory>

#include "gpusupernodal/allocator.hpp"
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

/// Factors in elimination order: powers of two in the range of T. They come from the matching if the plan has one, as long
/// as its scales suit the values; otherwise the matrix is equilibrated with each set of values.
template <class T>
class LuScales {
 public:
  using Real = typename ScalarTraits<T>::Real;

  /// Precondition: the plan is for LU.
  LuScales(const HostPlan& plan, const std::shared_ptr<Allocator>& allocator);

  /// Computes the scales for these values, and the largest magnitude of a scaled entry. Allocates nothing if the vectors of
  /// `workspace` have n entries each. Cost O(nnz).
  void set(const FactorInput<T>& input, Scales& workspace);

  const Real* row() const { return row_.data(); }
  const Real* column() const { return column_.data(); }
  /// Largest finite magnitude of a scaled entry; 0 for a zero matrix.
  double largest_entry() const { return largest_entry_; }

 private:
  void put(const std::vector<double>& row, const std::vector<double>& column);
  double largest_scaled(const FactorInput<T>& input) const;

  const HostPlan& plan_;
  Buffer<Real> row_;
  Buffer<Real> column_;
  bool holds_matching_ = false;  ///< row_ and column_ are the scales of the matching.
  double largest_entry_ = 0.0;
};

extern template class LuScales<float>;
extern template class LuScales<double>;
extern template class LuScales<std::complex<float>>;
extern template class LuScales<std::complex<double>>;

}  // namespace gpusupernodal
