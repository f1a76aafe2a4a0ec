#pragma once

/// \file
/// Eigen's dense expressions as the library's views, and what they need where they cannot be viewed.

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "gpusupernodal/views.hpp"

namespace gpusupernodal {
namespace eigen_detail {

/// Whether `Expression` may be seen as columns of `Scalar` in memory; its inner stride is known at run time only.
template <class Expression, class Scalar>
struct IsColumnArray
    : std::integral_constant<bool, std::is_same<typename Expression::Scalar, Scalar>::value&& bool(
                                       Eigen::internal::has_direct_access<Expression>::ret) &&
                                       (!bool(Expression::IsRowMajor) || int(Expression::ColsAtCompileTime) == 1)> {};

/// View of an expression for which IsColumnArray holds and whose inner stride is 1.
template <class Scalar, class Expression>
DenseView<const Scalar> const_dense_view(const Expression& x) {
  return DenseView<const Scalar>(x.data(), x.rows(), x.cols(), x.cols() > 1 ? x.outerStride() : x.rows());
}
/// The same for one that is written.
template <class Scalar, class Expression>
DenseView<Scalar> dense_view(Expression& x) {
  return DenseView<Scalar>(x.data(), x.rows(), x.cols(), x.cols() > 1 ? x.outerStride() : x.rows());
}

/// Whether solve may read `b` and write `x`: they are the same, or have no byte in common.
template <class Scalar>
bool may_share(const DenseView<const Scalar>& b, const DenseView<const Scalar>& x) {
  if (b.data == x.data && b.ld == x.ld) return true;
  const Scalar* b_end = b.data + (b.cols - 1) * b.ld + b.rows;
  const Scalar* x_end = x.data + (x.cols - 1) * x.ld + x.rows;
  const std::less_equal<const Scalar*> not_after;
  return not_after(b_end, x.data) || not_after(x_end, b.data);
}

/// Gives `matrix` this size without keeping its entries. Where memory is refused it stays what it was: Eigen's own resize
/// frees before it allocates, and leaves a matrix that would be freed twice when the allocation throws.
template <class Matrix>
void resize_or_keep(Matrix& matrix, Eigen::Index rows, Eigen::Index cols) {
  if (matrix.rows() == rows && matrix.cols() == cols) return;
  Matrix fresh(rows, cols);
  matrix.swap(fresh);
}

/// A power of two that brings the largest entry of `x` near 1, so that a narrower type neither overflows nor loses it.
template <class Vector>
double scale_towards_one(const Vector& x) {
  const double largest = static_cast<double>(x.cwiseAbs().maxCoeff());
  if (!(largest > 0) || !(std::isfinite)(largest)) return 1.0;
  int exponent = 0;
  (std::frexp)(largest, &exponent);
  // At the ends of double's range the inverse must stay finite.
  exponent = exponent < -1000 ? -1000 : (exponent > 1000 ? 1000 : exponent);
  return (std::ldexp)(1.0, -exponent);
}

}  // namespace eigen_detail
}  // namespace gpusupernodal
