#pragma once

/// \file
/// Views of the caller's matrices and vectors. Nothing here owns memory.

#include <cstdint>
#include <type_traits>

namespace gpusupernodal {

/// Where the elements of a view live.
enum class MemorySpace { host, device };

/// Which part of the symmetric matrix A is stored. Of a full matrix the lower half is read.
enum class StoredPart { full, lower, upper };

/// Whether `offsets` delimit columns (CSC) or rows (CSR).
enum class Compression { columns, rows };

/// A read-only integer array of 32- or 64-bit elements, chosen at run time.
class IndexArray {
 public:
  constexpr IndexArray() noexcept = default;  ///< Null.
  /// Views 32-bit integers.
  constexpr IndexArray(const std::int32_t* data) noexcept : narrow_(data) {}
  /// Views 64-bit integers.
  constexpr IndexArray(const std::int64_t* data) noexcept : wide_(data) {}
  /// `long long` is a type of its own where `std::int64_t` is `long`; both are 64 bits wide.
  template <class Integer, class = std::enable_if_t<std::is_integral<Integer>::value && std::is_signed<Integer>::value &&
                                                    sizeof(Integer) == 8 && !std::is_same<Integer, std::int64_t>::value>>
  IndexArray(const Integer* data) noexcept : wide_(reinterpret_cast<const std::int64_t*>(data)) {}

  /// Whether the elements have 64 bits.
  constexpr bool is_wide() const noexcept { return wide_ != nullptr; }
  /// Whether there is no array.
  constexpr bool is_null() const noexcept { return wide_ == nullptr && narrow_ == nullptr; }
  constexpr const std::int32_t* narrow() const noexcept { return narrow_; }  ///< The array, or null where it is wide.
  constexpr const std::int64_t* wide() const noexcept { return wide_; }      ///< The array, or null where it is narrow.
  /// Element i, not checked.
  constexpr std::int64_t operator[](std::int64_t i) const noexcept {
    return wide_ != nullptr ? wide_[i] : static_cast<std::int64_t>(narrow_[i]);
  }

 private:
  const std::int32_t* narrow_ = nullptr;
  const std::int64_t* wide_ = nullptr;
};

/// A compressed sparse symmetric matrix of order n, Hermitian if T is complex.
/// `offsets` has n + 1 entries starting at 0; `indices` and `values` have offsets[n] (null pointers will do for none).
/// Indices are zero-based and may be unsorted within a column (row). analyze refuses duplicates, and entries outside the
/// part that `part` says is stored. A diagonal entry that is not stored is zero, so without a shift (set_shift) the matrix
/// is then not positive definite. A full matrix need not be symmetric: what is above the diagonal is not read.
/// The pattern (offsets, indices) is in host memory, or analyze and factorize refuse it; the values are in `value_space`.
template <class T>
struct MatrixView {
  std::int64_t n = 0;                              ///< Rows, and columns; below 2³¹.
  IndexArray offsets;                              ///< n + 1, ascending from 0.
  IndexArray indices;                              ///< offsets[n] rows (of columns) or columns (of rows).
  const T* values = nullptr;                       ///< offsets[n]; analyze does not read them.
  StoredPart part = StoredPart::lower;             ///< What of A is in the arrays.
  Compression compression = Compression::columns;  ///< What the offsets delimit.
  MemorySpace value_space = MemorySpace::host;     ///< Where `values` is.
  MemorySpace pattern_space = MemorySpace::host;   ///< Where `offsets` and `indices` are.
};

/// A dense column-major matrix of `rows` × `cols` with leading dimension `ld` ≥ max(1, rows).
/// A vector is a matrix of one column.
template <class T>
struct DenseView {
  T* data = nullptr;                      ///< Entry (0, 0).
  std::int64_t rows = 0;                  ///< Rows.
  std::int64_t cols = 1;                  ///< Columns.
  std::int64_t ld = 0;                    ///< Elements from one column to the next.
  MemorySpace space = MemorySpace::host;  ///< Where the elements are.

  constexpr DenseView() noexcept = default;  ///< Of nothing.
  /// r × c entries, columns l elements apart.
  constexpr DenseView(T* d, std::int64_t r, std::int64_t c, std::int64_t l, MemorySpace s = MemorySpace::host) noexcept
      : data(d), rows(r), cols(c), ld(l), space(s) {}
  /// A contiguous vector of r entries.
  constexpr DenseView(T* d, std::int64_t r, MemorySpace s = MemorySpace::host) noexcept
      : data(d), rows(r), cols(1), ld(r > 0 ? r : 1), space(s) {}
  /// A view of mutable elements converts to a view of constant ones.
  template <class U, class = std::enable_if_t<std::is_convertible<U (*)[], T (*)[]>::value>>
  constexpr DenseView(const DenseView<U>& o) noexcept : data(o.data), rows(o.rows), cols(o.cols), ld(o.ld), space(o.space) {}
};

}  // namespace gpusupernodal
