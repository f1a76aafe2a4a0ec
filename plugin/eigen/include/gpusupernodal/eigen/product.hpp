#pragma once

/// \file
/// Eigen::gpuProduct: the product of two sparse matrices, on the host or on a CUDA device.

#include <Eigen/SparseCore>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "gpusupernodal/sparse_product.hpp"

namespace gpusupernodal {
namespace eigen_detail {

/// The arrays of an expression, compressed and in its order; those of a compressed matrix itself, without a copy.
template <class Derived>
class ProductOperand {
  typedef Eigen::SparseMatrix<typename Derived::Scalar, Derived::IsRowMajor ? Eigen::RowMajor : Eigen::ColMajor,
                              typename Derived::StorageIndex>
      Plain;

 public:
  explicit ProductOperand(const Derived& a) : matrix_(a) {
    // The arrays of some columns of a matrix are a part of its arrays, whose offsets go on from those before it.
    if (matrix_.outerSize() == 0 || matrix_.outerIndexPtr()[0] == 0) return;
    const auto first = matrix_.outerIndexPtr()[0];
    for (Eigen::Index k = 0; k <= matrix_.outerSize(); ++k) offsets_.push_back(matrix_.outerIndexPtr()[k] - first);
    begin_ = static_cast<std::size_t>(first);
  }
  ProductOperand(const ProductOperand&) = delete;
  ProductOperand& operator=(const ProductOperand&) = delete;

  SparseView<typename Derived::Scalar> view() const {
    SparseView<typename Derived::Scalar> view;
    view.rows = matrix_.rows();
    view.columns = matrix_.cols();
    view.offsets = IndexArray(offsets_.empty() ? matrix_.outerIndexPtr() : offsets_.data());
    view.indices = IndexArray(matrix_.innerIndexPtr() + begin_);
    view.compression = Derived::IsRowMajor ? Compression::rows : Compression::columns;
    return view;
  }
  Span<const typename Derived::Scalar> values() const {
    return {matrix_.valuePtr() + begin_, static_cast<std::size_t>(matrix_.nonZeros())};
  }

 private:
  Eigen::Ref<const Plain, Eigen::StandardCompressedFormat> matrix_;
  std::vector<typename Derived::StorageIndex> offsets_;  ///< From 0, if those of the matrix are not.
  std::size_t begin_ = 0;
};

}  // namespace eigen_detail
}  // namespace gpusupernodal

namespace Eigen {

/// Returns A·B by rows, with an entry wherever an entry of A meets one of B, also if the sum is 0. A and B are sparse
/// matrices, maps, blocks or expressions of float or double, column- or row-major, with a 32- or 64-bit StorageIndex. Throws
/// gpusupernodal::InvalidInput if A has not as many columns as B has rows, or if the result has more entries than the
/// StorageIndex of A can count; gpusupernodal::OutOfMemory; gpusupernodal::BackendUnavailable. Values go to the device and
/// back; where they change often, keep a gpusupernodal::SparseProduct.
template <typename Lhs, typename Rhs>
SparseMatrix<typename Lhs::Scalar, RowMajor, typename Lhs::StorageIndex> gpuProduct(
    const SparseMatrixBase<Lhs>& a, const SparseMatrixBase<Rhs>& b,
    gpusupernodal::ProductOptions options = gpusupernodal::ProductOptions()) {
  typedef typename Lhs::Scalar Scalar;
  typedef typename Lhs::StorageIndex StorageIndex;
  static_assert(std::is_same<Scalar, float>::value || std::is_same<Scalar, double>::value,
                "gpuProduct multiplies matrices of float or double");
  static_assert(std::is_same<Scalar, typename Rhs::Scalar>::value, "gpuProduct needs matrices of one scalar type");
  const gpusupernodal::eigen_detail::ProductOperand<Lhs> left(a.derived());
  const gpusupernodal::eigen_detail::ProductOperand<Rhs> right(b.derived());
  gpusupernodal::SparseProduct<Scalar> product(std::move(options));
  product.analyze(left.view(), right.view());
  const std::int64_t entries = product.report().entries;
  if (entries > static_cast<std::int64_t>((std::numeric_limits<StorageIndex>::max)())) {
    throw gpusupernodal::InvalidInput("the product has " + std::to_string(entries) +
                                          " entries, more than its StorageIndex can count; use a 64-bit StorageIndex",
                                      __FILE__, __LINE__);
  }
  product.compute(left.values(), right.values());
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(product.rows()) + 1);
  std::vector<std::int32_t> indices(static_cast<std::size_t>(entries));
  product.copy_pattern(offsets, indices);
  SparseMatrix<Scalar, RowMajor, StorageIndex> c(a.rows(), b.cols());
  c.resizeNonZeros(static_cast<Index>(entries));
  for (std::size_t i = 0; i < offsets.size(); ++i) c.outerIndexPtr()[i] = static_cast<StorageIndex>(offsets[i]);
  for (std::size_t e = 0; e < indices.size(); ++e) c.innerIndexPtr()[e] = static_cast<StorageIndex>(indices[e]);
  product.copy_values({c.valuePtr(), indices.size()});
  return c;
}

}  // namespace Eigen
