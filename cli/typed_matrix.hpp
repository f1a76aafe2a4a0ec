#pragma once

/// \file
/// A matrix with its values converted to the requested precision.

#include <type_traits>
#include <vector>

#include "gpusupernodal/span.hpp"
#include "gpusupernodal/views.hpp"
#include "io/complex_matrix.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::cli {

/// Right-hand sides and solutions of a matrix.
template <class Matrix>
using DenseOf = std::conditional_t<std::is_same_v<Matrix, io::ComplexMatrix>, io::ComplexDense, io::DenseMatrix>;

/// Converts the values if T is not their type. Keeps a reference to the matrix, which must outlive this object.
template <class T, class Matrix = io::SymmetricMatrix>
class TypedMatrix {
  using Value = typename decltype(Matrix::values)::value_type;

 public:
  explicit TypedMatrix(const Matrix& matrix) : matrix_(matrix) {
    if constexpr (!std::is_same_v<T, Value>) {
      converted_.reserve(matrix.values.size());
      for (const Value& value : matrix.values) converted_.push_back(static_cast<T>(value));
    }
  }

  Span<const T> values() const {
    if constexpr (std::is_same_v<T, Value>) {
      return matrix_.values;
    } else {
      return converted_;
    }
  }

  MatrixView<T> view() const {
    const MatrixView<Value> source = matrix_.view();
    MatrixView<T> view;
    view.n = source.n;
    view.offsets = source.offsets;
    view.indices = source.indices;
    view.values = values().data();
    view.part = source.part;
    view.compression = source.compression;
    return view;
  }

 private:
  const Matrix& matrix_;
  std::vector<T> converted_;
};

}  // namespace gpusupernodal::cli
