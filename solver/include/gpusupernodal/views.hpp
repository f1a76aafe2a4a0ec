#pragma once

/// \file
/// Non-owning views of the caller's matrices and vectors.

#include <cstdint>
#include <type_traits>

namespace gpusupernodal {

/// Memory that holds the elements of a view.
enum class MemorySpace { host, device };

/// Stored part of the symmetric matrix A. Only the lower half of a full matrix is read, unless the form is Form::lu.
enum class StoredPart { full, lower, upper };

/// Whether `offsets` delimit columns (CSC) or rows (CSR).
enum class Compression { columns, rows };

/// A read-only integer array of 32- or 64-bit elements, chosen at run time.
class IndexArray {
 public:
  constexpr IndexArray() noexcept = default;  ///< No array.
  /// Views 32-bit integers.
  constexpr IndexArray(const std::int32_t* data) noexcept : narrow_(data) {}
  /// Views 64-bit integers.
  constexpr IndexArray(const std::int64_t* data) noexcept : wide_(data) {}
  /// Views 64-bit integers of another type: where `std::int64_t` is `long`, `long long` is distinct from it.
  template <class Integer, class = std::enable_if_t<std::is_integral<Integer>::value && std::is_signed<Integer>::value &&
                                                    sizeof(Integer) == 8 && !std::is_same<Integer, std::int64_t>::value>>
  IndexArray(const Integer* data) noexcept : wide_(reinterpret_cast<const std::int64_t*>(data)) {}

  /// Whether the elements have 64 bits.
  constexpr bool is_wide() const noexcept { return wide_ != nullptr; }
  /// Whether the pointer is null.
  constexpr bool is_null() const noexcept { return wide_ == nullptr && narrow_ == nullptr; }
  constexpr const std::int32_t* narrow() const noexcept { return narrow_; }  ///< The 32-bit array, or null.
  constexpr const std::int64_t* wide() const noexcept { return wide_; }      ///< The 64-bit array, or null.
  /// Element i. Precondition: the array is not null and has more than i elements; not checked.
  constexpr std::int64_t operator[](std::int64_t i) const noexcept {
    return wide_ != nullptr ? wide_[i] : static_cast<std::int64_t>(narrow_[i]);
  }

 private:
  const std::int32_t* narrow_ = nullptr;
  const std::int64_t* wide_ = nullptr;
};

/// A compressed sparse symmetric matrix of order n; Hermitian if T is complex; for Form::lu, any square matrix with
/// `part` full.
/// `offsets` has n + 1 entries, the first 0. `indices` and `values` have offsets[n] entries each (they may be null if
/// that is 0). Indices are zero-based and may be unsorted within a column (row). analyze refuses duplicates and entries
/// outside `part`. A diagonal entry that is not stored is zero: without a shift (set_shift) the matrix is then not
/// positive definite. A full matrix need not be symmetric: entries above the diagonal are read for Form::lu only.
/// The pattern (offsets, indices) must be in host memory, otherwise analyze and factorize refuse it; the values are in
/// `value_space`. Complex values in device memory must begin at a multiple of their size: 16 bytes for std::complex<double>,
/// 8 for std::complex<float>. The CUDA backend refuses others.
template <class T>
struct MatrixView {
  std::int64_t n = 0;                              ///< Order of A; below 2³¹.
  IndexArray offsets;                              ///< n + 1 entries, nondecreasing from 0.
  IndexArray indices;                              ///< offsets[n] row numbers (CSC) or column numbers (CSR).
  const T* values = nullptr;                       ///< offsets[n] values; analyze reads them for Form::lu only.
  StoredPart part = StoredPart::lower;             ///< Stored part of A.
  Compression compression = Compression::columns;  ///< Columns (CSC) or rows (CSR).
  MemorySpace value_space = MemorySpace::host;     ///< Memory that holds `values`.
  MemorySpace pattern_space = MemorySpace::host;   ///< Memory that holds `offsets` and `indices`.
};

/// A dense column-major matrix of `rows` × `cols` with leading dimension `ld` ≥ max(1, rows).
/// A vector is a matrix of one column. Complex elements in device memory must begin at a multiple of their size, as in
/// MatrixView.
template <class T>
struct DenseView {
  T* data = nullptr;                      ///< Address of entry (0, 0).
  std::int64_t rows = 0;                  ///< Number of rows.
  std::int64_t cols = 1;                  ///< Number of columns.
  std::int64_t ld = 0;                    ///< Leading dimension, in elements.
  MemorySpace space = MemorySpace::host;  ///< Memory that holds the elements.

  constexpr DenseView() noexcept = default;  ///< An empty view.
  /// An r × c matrix with leading dimension l.
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
