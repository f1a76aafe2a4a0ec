#pragma once

/// \file
/// Views Eigen's dense expressions as the library's DenseView; helpers for expressions that cannot be viewed.

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>

#include "gpusupernodal/views.hpp"

namespace gpusupernodal {
namespace eigen_detail {

/// Whether `Expression` is an array of columns of `Scalar` in memory. Its inner stride must be checked at run time.
template <class Expression, class Scalar>
struct IsColumnArray
    : std::integral_constant<bool, std::is_same<typename Expression::Scalar, Scalar>::value&& bool(
                                       Eigen::internal::has_direct_access<Expression>::ret) &&
                                       (!bool(Expression::IsRowMajor) || int(Expression::ColsAtCompileTime) == 1)> {};

/// Read-only view of `x`. Precondition: IsColumnArray holds and the inner stride is 1.
template <class Scalar, class Expression>
DenseView<const Scalar> const_dense_view(const Expression& x) {
  return DenseView<const Scalar>(x.data(), x.rows(), x.cols(), x.cols() > 1 ? x.outerStride() : x.rows());
}
/// Writable view of `x`. Precondition: IsColumnArray holds and the inner stride is 1.
template <class Scalar, class Expression>
DenseView<Scalar> dense_view(Expression& x) {
  return DenseView<Scalar>(x.data(), x.rows(), x.cols(), x.cols() > 1 ? x.outerStride() : x.rows());
}

/// Whether solve may read `b` and write `x`: both are the same array, or they do not overlap.
template <class Scalar>
bool may_share(const DenseView<const Scalar>& b, const DenseView<const Scalar>& x) {
  if (b.data == x.data && b.ld == x.ld) return true;
  const Scalar* b_end = b.data + (b.cols - 1) * b.ld + b.rows;
  const Scalar* x_end = x.data + (x.cols - 1) * x.ld + x.rows;
  const std::less_equal<const Scalar*> not_after;
  return not_after(b_end, x.data) || not_after(x_end, b.data);
}

/// Resizes `matrix` without keeping its entries; leaves it unchanged if the allocation throws. Eigen's own resize frees
/// before it allocates: when the allocation throws, it leaves a matrix that would be freed twice.
template <class Matrix>
void resize_or_keep(Matrix& matrix, Eigen::Index rows, Eigen::Index cols) {
  if (matrix.rows() == rows && matrix.cols() == cols) return;
  Matrix fresh(rows, cols);
  matrix.swap(fresh);
}

/// Sets all entries of `x` to NaN: there is no solution.
template <class Dest>
void fill_with_nan(Eigen::MatrixBase<Dest>& x) {
  using Real = typename Eigen::NumTraits<typename Dest::Scalar>::Real;
  x.setConstant(typename Dest::Scalar((std::numeric_limits<Real>::quiet_NaN)()));
}

/// Returns the power of two that scales the largest entry of `x` close to 1, so that rounding `x` to a narrower type neither
/// overflows nor underflows it; 1 if `x` is zero or not finite.
template <class Vector>
double scale_towards_one(const Vector& x) {
  const double largest = static_cast<double>(x.cwiseAbs().maxCoeff());
  if (!(largest > 0) || !(std::isfinite)(largest)) return 1.0;
  int exponent = 0;
  (std::frexp)(largest, &exponent);
  // The clamp keeps the inverse finite at the ends of double's range.
  exponent = exponent < -1000 ? -1000 : (exponent > 1000 ? 1000 : exponent);
  return (std::ldexp)(1.0, -exponent);
}

}  // namespace eigen_detail
}  // namespace gpusupernodal
