#pragma once

/// \file
/// RowPattern: the entries of a matrix by rows, with the place of each value in the caller's array. No scalar type.

#include <cstdint>
#include <limits>

#include "base/raw_vector.hpp"
#include "gpusupernodal/views.hpp"

namespace gpusupernodal {

/// Bound on numbers of rows, columns and entries in products: below 2³¹ by more than kernels step beyond an end.
inline constexpr std::int64_t largest_product_size = std::numeric_limits<std::int32_t>::max() - (1 << 20);

/// The place of a value that a format stores and the matrix does not have.
inline constexpr std::int32_t padding_source = -1;

/// Where RowPattern::source says that an entry is the conjugate of a value: a number below padding_source for the value's
/// place, and the place for that number.
template <class Integer>
constexpr Integer conjugate_of(Integer place) {
  return -2 - place;
}

/// A caller's pattern, as SparseView without values.
struct SparsePatternView {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  IndexArray offsets;
  IndexArray indices;
  StoredPart part = StoredPart::full;
  Compression compression = Compression::rows;

  /// Number of offsets less one.
  std::int64_t outer() const { return compression == Compression::rows ? rows : columns; }
  std::int64_t inner() const { return compression == Compression::rows ? columns : rows; }
  std::int64_t entries() const { return outer() == 0 || offsets.is_null() ? 0 : offsets[outer()]; }
};

/// Both halves of a symmetric matrix, or all entries of another. The columns of a row ascend.
struct RowPattern {
  std::int32_t rows = 0;
  std::int32_t columns = 0;
  std::int64_t input_values = 0;    ///< Length of the caller's array of values.
  bool symmetric = false;           ///< A symmetric half was given, so Aᵀ = A.
  RawVector<std::int32_t> offsets;  ///< rows + 1.
  RawVector<std::int32_t> index;    ///< The column of each entry.
  /// The place of its value, or conjugate_of(place) if the entry is the conjugate of the value; empty: entry e has value e.
  RawVector<std::int32_t> source;

  std::int64_t entries() const { return offsets.empty() ? 0 : offsets.back(); }
  std::int32_t source_of(std::int64_t entry) const {
    return source.empty() ? static_cast<std::int32_t>(entry) : source[static_cast<std::size_t>(entry)];
  }
};

/// Checks a pattern and sorts it by rows. Throws InvalidInput that names the entry at fault: offsets that decrease, indices
/// outside the matrix or the stored part, duplicates, 2³¹ entries or more. Cost O(entries) where rows are sorted.
RowPattern make_row_pattern(const SparsePatternView& view);

/// Makes a matrix Hermitian whose symmetric half `part` was given: the entries of the other half become conjugates.
void make_hermitian(RowPattern& pattern, StoredPart part);

/// Makes all entries the conjugates of what they are.
void conjugate(RowPattern& pattern);

/// The pattern of Aᵀ with the same array of values. Cost O(entries).
RowPattern transposed(const RowPattern& pattern);

}  // namespace gpusupernodal
