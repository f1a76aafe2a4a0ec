#pragma once

/// \file
/// LinearOperator: products with a matrix. Iterative methods know their matrix by this interface only.

#include "gpusupernodal/span.hpp"
#include "gpusupernodal/views.hpp"

namespace gpusupernodal {

/// ∞-norms that belong to a residual r = b − A x.
struct ResidualNorms {
  double r = 0, a = 0, x = 0, b = 0;
};

/// A square matrix A. Vectors have one column, lie in the memory space of the operator's VectorSpace, and are in the
/// caller's numbering.
template <class S>
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;
  LinearOperator() = default;
  LinearOperator(const LinearOperator&) = delete;
  LinearOperator& operator=(const LinearOperator&) = delete;

  /// y := A x. x and y must not overlap. A device returns without waiting. Cost O(nnz).
  virtual void apply(const DenseView<const S>& x, const DenseView<S>& y) = 0;
  /// r := b − A x, summed in double precision, and the norms of its parts; r may be b. Waits for the device. Cost O(nnz).
  virtual ResidualNorms residual(const DenseView<const S>& b, const DenseView<const S>& x, const DenseView<S>& r) = 0;
  /// Sets norms[c] to those of b(:, c) − A x(:, c), as residual() would, for all columns of b and x. Uses `work`, one
  /// column. Waits for the device, once where it can. Cost O(nnz) a column.
  virtual void residual_norms(const DenseView<const S>& b, const DenseView<const S>& x, const DenseView<S>& work,
                              Span<ResidualNorms> norms) {
    for (std::int64_t c = 0; c < b.cols; ++c) {
      norms[static_cast<std::size_t>(c)] = residual(DenseView<const S>(b.data + c * b.ld, b.rows, b.space),
                                                    DenseView<const S>(x.data + c * x.ld, x.rows, x.space), work);
    }
  }
};

}  // namespace gpusupernodal
