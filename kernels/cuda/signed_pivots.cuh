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
  static constexpr bool are_noted = true;
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

/// The pivots of a block of a complex symmetric matrix, which have complex roots. Members as in SignedPivots.
template <class T>
class SymmetricPivots {
 public:
  using Value = T;
  static constexpr bool is_signed = false;
  static constexpr bool are_noted = true;
  static constexpr bool is_adjoint = false;

  __device__ SymmetricPivots(const LdltData<T>& data, std::int32_t column)
      : smallest_(smallest_pivot<T>(data.status, data.perturbation)), found_(data.pivots + column) {}

  __device__ T reciprocal(T pivot) const { return signed_reciprocal(accepted_pivot(pivot, smallest_)); }
  __device__ T root(T pivot) const { return signed_reciprocal(root_of(accepted_pivot(pivot, smallest_))); }
  __device__ void settle(T pivot, T root, int column, T* diagonal) const {
    found_[column] = pivot;
    if (root == T(0)) {
      *diagonal = is_finite(pivot) ? ScalarTraits<T>::not_a_number() : pivot;
    } else if (is_small_pivot(pivot, smallest_)) {
      *diagonal = accepted_pivot(pivot, smallest_) * root;
    }
  }

 private:
  Real<T> smallest_;
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
template <class T>
__device__ SymmetricPivots<T> pivots_of(const SymmetricData<T>& data, std::int32_t column) {
  return SymmetricPivots<T>(data, column);
}

}  // namespace gpusupernodal::cuda
