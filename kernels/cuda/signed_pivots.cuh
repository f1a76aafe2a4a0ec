#pragma once

/// \file
/// Pivots of LDLᵀ without exchanges: their signs, which are replaced, and where they are noted.

#include "kernels/cuda/ldlt_kernels.hpp"
#include "kernels/cuda/lu_pivots.cuh"
#include "kernels/cuda/strip_factor.cuh"

namespace gpusupernodal::cuda {

/// The pivots of a block of LDLᵀ. Members as in PositivePivots; a column's root is 1/√|pivot| with the sign of the pivot.
template <class T>
class SignedPivots {
 public:
  using Value = Real<T>;  ///< Pivots of Hermitian matrices are real too.
  static constexpr bool is_signed = true;
  static constexpr bool is_adjoint = true;

  /// `column`: first column of the block in the matrix. Precondition: the status has the largest magnitude of the scaled A.
  __device__ SignedPivots(const LdltData<T>& data, std::int32_t column)
      : smallest_(smallest_pivot<T>(data.status, data.perturbation)),
        reciprocal_of_smallest_(Value(1) / smallest_),
        found_(data.pivots + column) {}

  __device__ Value reciprocal(Value pivot) const {
    const Value inverse = signed_reciprocal(pivot);
    return is_replaced(pivot) ? copysign(reciprocal_of_smallest_, pivot) : inverse;
  }
  __device__ Value root(Value pivot) const {
    return copysign(pivot_rsqrt(is_replaced(pivot) ? smallest_ : static_cast<Value>(fabs(pivot))), pivot);
  }
  /// Notes the pivot of column `column` of the block and puts a failed or a replaced one onto the diagonal.
  __device__ void settle(Value pivot, Value root, int column, T* diagonal) const {
    found_[column] = pivot;
    if (root == Value(0)) {
      *diagonal = isfinite(pivot) ? not_a_number<Value> : pivot;
    } else if (is_replaced(pivot)) {
      *diagonal = smallest_ * root;
    }
  }

 private:
  __device__ bool is_replaced(Value pivot) const { return fabs(pivot) < smallest_; }

  Value smallest_;
  Value reciprocal_of_smallest_;
  T* found_;
};

/// The pivots of a block that begins at this column.
template <class T>
__device__ PositivePivots<Real<T>> pivots_of(const FactorData<T>&, std::int32_t) {
  return {};
}
template <class T>
__device__ SignedPivots<T> pivots_of(const LdltData<T>& data, std::int32_t column) {
  return SignedPivots<T>(data, column);
}

}  // namespace gpusupernodal::cuda
