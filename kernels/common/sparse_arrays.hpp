#pragma once

/// \file
/// What the kernels of sparse products read. Plain C++; the arrays lie where the kernels run.

#include <cstdint>

namespace gpusupernodal {

/// Lanes of a slice, and of a warp.
inline constexpr int slice_lanes = 32;

/// Entries of a chunk of COO, which one warp sums up.
inline constexpr int coo_chunk = 256;

/// A slice of SELL, ELL and block formats: 32 / width consecutive rows (block rows). Lane l of the slice has every width-th
/// block of row l % (32 / width), beginning with block l / (32 / width); in step k it has the entries
/// values[((first + k)·b² + r·b + c)·32 + l] of a b × b block, at block column `base` plus the lane's deltas of steps 0 … k.
struct Slice {
  std::int32_t first;  ///< Steps before this slice.
  std::int32_t last;   ///< Steps before the next slice.
  std::int32_t base;   ///< Smallest block column.
  /// Its deltas begin at 32·begin of `delta`; if this is negative, absolute columns in 32 bits begin at 32·~begin.
  std::int32_t deltas;
};

/// A row of COO that spans several chunks.
struct RowSpan {
  std::int32_t row;
  std::int32_t first_chunk;
  std::int32_t last_chunk;
};

/// A stored matrix.
/// - csr: row i has entries offsets[i] … offsets[i+1]−1, entry e is values[e] in column index[e]. On a device, `width` lanes
///   share a row.
/// - sell, ell, block: `index` has `units` slices (Slice), whose deltas are in `delta`; `block` is b. order[p] is the row
///   (block row) at position p; if `order` is null, it is p.
/// - dia: `width` diagonals; values[d·ld + i] is in row i and column i + index[d], with ld = diagonal_stride(rows). If
///   `symmetric`, only diagonals on and above the main one are stored.
/// - coo: values[e] is in row order[e] and column index[e], by rows; `offsets` has `units` spans (RowSpan).
template <class S>
struct SparseArrays {
  std::int32_t rows = 0;
  std::int32_t columns = 0;
  std::int32_t width = 0;
  std::int32_t block = 1;
  std::int32_t units = 0;
  bool symmetric = false;
  bool streamed = false;  ///< The matrix is larger than the cache: keep vectors there instead of it.
  std::int64_t stored_values = 0;
  const std::int32_t* offsets = nullptr;
  const std::int32_t* index = nullptr;
  const std::uint16_t* delta = nullptr;
  const std::int32_t* order = nullptr;
  const S* values = nullptr;
};

/// Rows whose sums the host keeps in its first cache while it adds all diagonals of DIA.
inline constexpr std::int32_t diagonal_rows_at_once = 512;

/// Distance of a DIA matrix's diagonals, so that each begins at a multiple of 128 bytes.
constexpr std::int64_t diagonal_stride(std::int32_t rows) { return (std::int64_t{rows} + 31) / 32 * 32; }

/// y := alpha·A x + beta·y, column-major. y is not read if beta is 0.
template <class S>
struct ProductVectors {
  S alpha = S(1);
  const S* x = nullptr;
  std::int64_t ld_x = 0;
  S beta = S(0);
  S* y = nullptr;
  std::int64_t ld_y = 0;
  std::int32_t columns = 1;
  double* partials = nullptr;  ///< Receives sums of x[i]·y[i] of one column; nullptr: not wanted.
};

}  // namespace gpusupernodal
