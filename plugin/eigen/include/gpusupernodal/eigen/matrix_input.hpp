#pragma once

/// \file
/// Views Eigen's sparse matrices and expressions as the library's MatrixView, in place wherever their arrays allow it.

#include <Eigen/SparseCore>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "gpusupernodal/views.hpp"

namespace gpusupernodal {
namespace eigen_detail {

/// Replaces Eigen::Lower and Eigen::Upper for an unsymmetric A, of which all entries are read.
constexpr int whole_matrix = 0;

/// Whether the library's views can point at arrays of this index type.
template <class StorageIndex>
struct IsViewableIndex
    : std::integral_constant<bool, std::is_integral<StorageIndex>::value && std::is_signed<StorageIndex>::value &&
                                       (sizeof(StorageIndex) == 4 || sizeof(StorageIndex) == 8)> {};

/// Whether `Input` stores columns (or rows) in arrays: SparseMatrix, Map, Ref, and their transposes and blocks of columns.
template <class Input>
struct HasArrays : std::integral_constant<bool, std::is_base_of<Eigen::SparseCompressedBase<Input>, Input>::value &&
                                                    IsViewableIndex<typename Input::StorageIndex>::value &&
                                                    !bool(Input::IsVectorAtCompileTime)> {};

/// Calls `action` with `a` in compressed form. Copies `a` only if it is an expression, a block that does not begin at
/// offset 0, or uncompressed.
template <class Input, class Action>
void with_compressed(const Input& a, Action&& action) {
  if constexpr (HasArrays<Input>::value) {
    if (a.isCompressed() && (a.outerSize() == 0 || a.outerIndexPtr()[0] == 0)) {
      action(a);
      return;
    }
  }
  using InputIndex = typename Input::StorageIndex;
  using Index = std::conditional_t<IsViewableIndex<InputIndex>::value, InputIndex, std::int64_t>;
  Eigen::SparseMatrix<typename Input::Scalar, Input::IsRowMajor ? Eigen::RowMajor : Eigen::ColMajor, Index> plain(a);
  plain.makeCompressed();
  action(plain);
}

/// Whether the view of a half has the transpose of what is stored: its lower half is the stored upper one.
template <int UpLo>
constexpr bool reads_transposed = UpLo != whole_matrix && (UpLo & Eigen::Lower) == 0;

/// `value` in another precision, or as a complex number without an imaginary part.
template <class To, class From>
To converted(const From& value) {
  if constexpr (Eigen::NumTraits<To>::IsComplex && !Eigen::NumTraits<From>::IsComplex) {
    return To(static_cast<typename Eigen::NumTraits<To>::Real>(value));
  } else {
    return static_cast<To>(value);
  }
}

/// View of the `UpLo` half of a compressed matrix, or of all of it (whole_matrix). With a half, the other half may be stored
/// and is not read: the library reads the lower half of a full matrix; the upper half by columns is the lower half by rows.
template <int UpLo, class Scalar, class Compressed>
MatrixView<Scalar> matrix_view(const Compressed& a, const Scalar* values) {
  static constexpr typename Compressed::StorageIndex no_columns = 0;
  MatrixView<Scalar> view;
  view.n = a.cols();
  view.offsets = a.outerSize() > 0 ? a.outerIndexPtr() : &no_columns;
  view.indices = a.innerIndexPtr();
  view.values = values;
  view.part = StoredPart::full;
  view.compression = !reads_transposed<UpLo> == !bool(Compressed::IsRowMajor) ? Compression::columns : Compression::rows;
  return view;
}

/// Returns the values of `a` as `Scalar`, the diagonal multiplied by `diagonal_scale`, for matrix_view<UpLo>: conjugated
/// where that has the transpose of a Hermitian matrix. They are in place if nothing changes, in `copy` otherwise.
template <int UpLo, class Scalar, class Compressed>
const Scalar* values_of(const Compressed& a, double diagonal_scale, std::vector<Scalar>& copy) {
  using InputScalar = typename Compressed::Scalar;
  constexpr bool conjugated = reads_transposed<UpLo> && bool(Eigen::NumTraits<InputScalar>::IsComplex);
  if constexpr (std::is_same<InputScalar, Scalar>::value && !conjugated) {
    if (diagonal_scale == 1.0) return a.valuePtr();
  }
  copy.resize(static_cast<std::size_t>(a.nonZeros()));
  const InputScalar* values = a.valuePtr();
  const auto scale = static_cast<typename Eigen::NumTraits<InputScalar>::Real>(diagonal_scale);
  for (Eigen::Index outer = 0; outer < a.outerSize(); ++outer) {
    for (Eigen::Index p = a.outerIndexPtr()[outer]; p < a.outerIndexPtr()[outer + 1]; ++p) {
      const InputScalar stored = conjugated ? Eigen::numext::conj(values[p]) : values[p];
      copy[static_cast<std::size_t>(p)] =
          converted<Scalar>(a.innerIndexPtr()[p] == outer ? static_cast<InputScalar>(stored * scale) : stored);
    }
  }
  return copy.data();
}

/// Whether every entry of scale·diag(a) + offset has a positive real part, a necessary condition for positive definiteness.
template <class Compressed>
bool has_positive_diagonal(const Compressed& a, double scale, double offset) {
  Eigen::Index positive = 0;
  for (Eigen::Index outer = 0; outer < a.outerSize(); ++outer) {
    for (Eigen::Index p = a.outerIndexPtr()[outer]; p < a.outerIndexPtr()[outer + 1]; ++p) {
      if (a.innerIndexPtr()[p] == outer && static_cast<double>(Eigen::numext::real(a.valuePtr()[p])) * scale + offset > 0)
        ++positive;
    }
  }
  return positive == a.outerSize();
}

}  // namespace eigen_detail
}  // namespace gpusupernodal
