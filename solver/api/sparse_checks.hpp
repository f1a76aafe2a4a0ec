#pragma once

/// \file
/// Checks of views of sparse matrices for products.

#include "gpusupernodal/sparse_operator.hpp"
#include "solver/api/checks.hpp"

namespace gpusupernodal {

/// Throws InvalidInput if an enumeration of the view has an invalid value, or the pattern is not in host memory.
template <class T>
void check_sparse_view(const SparseView<T>& a) {
  MatrixView<T> shape;
  shape.part = a.part;
  shape.compression = a.compression;
  shape.value_space = a.value_space;
  shape.pattern_space = a.pattern_space;
  check_matrix(shape);
}

}  // namespace gpusupernodal
