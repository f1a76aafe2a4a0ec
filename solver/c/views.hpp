#pragma once

/// \file
/// Views of the C interface as those of C++.

#include <algorithm>
#include <cstdint>

#include "gpusupernodal.h"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/views.hpp"
#include "solver/c/handle.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal::c {

/// Returns the C++ enumerator for a number; both enumerations count from 0 in the same order.
template <class Enum>
Enum enumerator(int number, Enum last, const char* what) {
  if (number < 0 || number > static_cast<int>(last)) {
    fail<InvalidInput>("{} is {}; it must be 0 to {}", what, number, static_cast<int>(last));
  }
  return static_cast<Enum>(number);
}

inline MemorySpace space_of(int number, const char* what) { return enumerator(number, MemorySpace::device, what); }

inline IndexArray index_array(const void* data, int index) {
  if (enumerator(index, GPUSUPERNODAL_INT64, "the matrix's index") == GPUSUPERNODAL_INT64)
    return {static_cast<const std::int64_t*>(data)};
  return {static_cast<const std::int32_t*>(data)};
}

/// Sets the fields of a MatrixView or SparseView that a gpusupernodal_matrix or gpusupernodal_sparse has, all but sizes.
template <class T, class View, class Matrix>
void take_arrays(const Matrix& a, View& view) {
  view.offsets = index_array(a.offsets, a.index);
  view.indices = index_array(a.indices, a.index);
  view.values = static_cast<const T*>(a.values);
  view.part = enumerator(a.part, StoredPart::upper, "the matrix's part");
  view.compression = enumerator(a.compression, Compression::rows, "the matrix's compression");
  view.value_space = space_of(a.value_space, "the matrix's value_space");
}

template <class T>
MatrixView<T> matrix_view(const gpusupernodal_matrix* a) {
  require(a, "the matrix");
  MatrixView<T> view;
  view.n = a->n;
  take_arrays<T>(*a, view);
  return view;
}

template <class T>
DenseView<T> dense_view(const gpusupernodal_dense* x, std::int64_t order, const char* what) {
  require(x, what);
  const std::int64_t ld = x->ld == 0 ? std::max<std::int64_t>(order, 1) : x->ld;
  return DenseView<T>(static_cast<T*>(x->data), order, x->columns, ld, space_of(x->space, "the space of a dense matrix"));
}

}  // namespace gpusupernodal::c
