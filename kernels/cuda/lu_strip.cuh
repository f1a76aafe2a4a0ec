#pragma once

/// \file
/// LU factorization of a strip of 16 columns by one or several warps, without exchanges. L and Uᵀ lie in two squares of the
/// same shape in shared memory, column-major with leading dimension `stride`. L ends up below the diagonal of the first
/// square, with ones on it, and Uᵀ on and below the diagonal of the second. Strictly above the diagonals lie the
/// transposes of the inverses: L⁻ᵀ in the first square and U⁻¹ in the second.
///
/// A warp eliminates rows of both kinds at once. Its lower half has rows of the kind of L, from which U's rows are
/// subtracted; its upper half has rows of the kind of Uᵀ, from which L's columns are subtracted. In set 0 these are the
/// strip's own block, row by row in the lower half and column by column in the upper half, so that each half finds in
/// the other what it subtracts. Rows of the unit matrix become the inverses: in the lower half U⁻¹, in the upper half
/// L⁻ᵀ.

#include "kernels/cuda/lu_pivots.cuh"
#include "kernels/cuda/shared_memory.hpp"
#include "kernels/cuda/strip_factor.cuh"

namespace gpusupernodal::cuda {

/// The squares of L and Uᵀ.
template <class T>
struct LuSquares {
  T* l;
  T* u;
};

/// A lane's half of the warp, and its row among the 16 of the half.
struct LuLane {
  int row;
  bool upper;

  __device__ LuLane() : row(static_cast<int>(threadIdx.x) % strip), upper((threadIdx.x & strip) != 0) {}
};

/// Pivot of column `lane` of the strip, as it is used and as it was before a replacement.
template <class T>
struct LuPivot {
  T used = T(1);
  T found = T(1);
};

/// Eliminates `Columns` columns from rows in registers, `Sets` rows per lane, by one warp. The first Columns lanes of each
/// half have the diagonal block in set 0. On return, row[…][k] in the upper half is an entry of Uᵀ or of L⁻ᵀ. In the lower
/// half it is an entry of L, or one of U⁻¹ multiplied by pivot k. `shared_memory` has lu_strip_memory entries.
///
/// As in eliminate() of strip_factor.cuh, every lane computes the next pivot from entries that were shuffled while the
/// reciprocal was computed. Columns from `columns` on are those of the unit matrix and need not be eliminated.
template <int Sets, int Columns, class T>
__device__ LuPivot<T> eliminate_lu(T (&row)[Sets][Columns], T* shared_memory, Real<T> smallest_pivot, int columns) {
  const LuLane lane;
  LuPivot<T> mine;
  T found = shuffle(row[0][0], strip);
#pragma unroll
  for (int j = 0; j < Columns; ++j) {
    T* const slot = shared_memory + j % lu_slots * lu_slot;
    T other[Columns];
    if (j + 2 < Columns) {
      slot[lane.row + (lane.upper ? lu_half : 0)] = row[0][j];
      __syncwarp();
      const T* const half = slot + (lane.upper ? 0 : lu_half);
#pragma unroll
      for (int k = (j + 2) / line<T> * line<T>; k < Columns; k += line<T>) load_line(half + k, other + k);
    }
    const int next = (j + 1) % Columns;
    const T next_l = shuffle(row[0][j], next);
    const T next_u = shuffle(row[0][j], strip + next);
    const T diagonal = shuffle(row[0][next], strip + next);
    const T pivot = accepted_pivot(found, smallest_pivot);
    const T inverse = signed_reciprocal(pivot);
    if (lane.row == j) mine = {pivot, found};
    if (j + 1 == Columns || (j % 2 == 1 && j + 1 >= columns)) break;
    found = diagonal - (next_l * inverse) * next_u;
    const T next_other = lane.upper ? next_l : next_u;
    T scaled[Sets];
#pragma unroll
    for (int set = 0; set < Sets; ++set) {
      scaled[set] = row[set][j] * inverse;
      subtract_product(row[set][next], scaled[set], next_other);
    }
#pragma unroll
    for (int k = j + 2; k < Columns; ++k) {
#pragma unroll
      for (int set = 0; set < Sets; ++set) subtract_product(row[set][k], scaled[set], other[k]);
    }
  }
  return mine;
}

/// Sets factor[k] to what entry k of the lane's rows is multiplied by in the end: 1/pivot k in the lower half (0 for a
/// pivot that is not finite), 1 in the upper half. Returns the lane's own reciprocal.
template <int Columns, class T>
__device__ T share_reciprocals(T pivot, T* shared_memory, T (&factor)[Columns]) {
  const LuLane lane;
  const T mine = signed_reciprocal(pivot);
  __syncwarp();
  if (!lane.upper && lane.row < Columns) shared_memory[lane.row] = mine;
  __syncwarp();
#pragma unroll
  for (int k = 0; k < Columns; k += line<T>) load_line(shared_memory + k, factor + k);
#pragma unroll
  for (int k = 0; k < Columns; ++k) factor[k] = lane.upper ? T(1) : factor[k];
  return mine;
}

/// Rows of a block that a warp has while a strip is factorized: in set 0 the strip's own, in set 1 another 16 rows of
/// each kind. Those of warp 0 are rows of the unit matrix.
struct LuStripPlace {
  int columns;  ///< Columns of the strip.
  int own;      ///< The lane's row in the strip's own block.
  int row;      ///< Its other row.
  bool unit;
  bool in_inverse;  ///< The other row belongs to the inverse that an earlier strip has begun.

  __device__ LuStripPlace(int warp, int first, int width) {
    const LuLane lane;
    const int strips = (width + strip - 1) / strip;
    const int number = first / strip + warp;
    columns = min(strip, width - first);
    unit = warp == 0;
    in_inverse = number >= strips;
    own = first + lane.row;
    row = lane.row + (in_inverse ? number - strips : number) * strip;
  }
};

/// A warp's rows of a strip between loading and storing.
template <class T>
struct LuStripRows {
  T row[2][strip];
  T factor[strip];
  LuPivot<T> pivot;
  T reciprocal;
};

/// Returns the square that has the lane's other row: rows of the kind of L lie below the diagonal in the square of L, and
/// above it, as U⁻¹, in that of Uᵀ.
template <class T>
__device__ T* square_of(const LuSquares<T>& squares, bool upper, bool above) {
  return upper != above ? squares.u : squares.l;
}

/// Loads the strip's rows. Columns past the strip's end become those of the unit matrix.
template <class T>
__device__ void load_lu_strip(T (&row)[2][strip], const LuSquares<T>& squares, int stride, const LuStripPlace& place,
                              int first, int width) {
  const LuLane lane;
  const T* const own = (lane.upper ? squares.u : squares.l) + first * stride + place.own;
  const T* const other = square_of(squares, lane.upper, place.in_inverse) + first * stride + place.row;
  const bool inside = place.own < width;
  const bool has_other = !place.unit && place.row < width;
#pragma unroll
  for (int k = 0; k < strip; ++k) {
    const T one = lane.row == k ? T(1) : T(0);
    const bool exists = k < place.columns;
    row[0][k] = exists ? (inside && k <= lane.row ? own[k * stride] : T(0)) : one;
    row[1][k] = place.unit ? one : (exists && has_other ? other[k * stride] : T(0));
  }
}

/// Factorizes columns first … first+15 of a block, including the rows below and those of the inverses. Precondition: all
/// preceding columns have updated them. Run it by as many warps as the block has strips; `shared_memory` has
/// lu_strip_memory entries for each.
template <class T>
__device__ void factor_lu_strip(LuStripRows<T>& rows, const LuSquares<T>& squares, int stride, T* shared_memory,
                                const LuStripPlace& place, int warp, int first, int width, Real<T> smallest_pivot) {
  load_lu_strip(rows.row, squares, stride, place, first, width);
  rows.pivot = eliminate_lu<2, strip>(rows.row, shared_memory + warp * lu_strip_memory, smallest_pivot, place.columns);
  rows.reciprocal = share_reciprocals(rows.pivot.used, shared_memory + warp * lu_strip_memory, rows.factor);
}

/// Stores a strip's rows after a barrier, when all warps have read the strip's own rows. `inverses` receives the
/// transposed inverses of the strip's diagonal block, those of L and of Uᵀ, including zeros, with leading dimension
/// inverse_stride, for products with them. Warp 0 reports the pivots of columns from `column` on to the status.
template <class T>
__device__ void store_lu_strip(const LuStripRows<T>& rows, const LuSquares<T>& squares, int stride, T* reciprocal,
                               const LuSquares<T>& inverses, const LuStripPlace& place, int warp, int first, int width,
                               const LuPivotReport& report) {
  const LuLane lane;
  const bool above = place.unit || place.in_inverse;
  T* const other = square_of(squares, lane.upper, above) + first * stride + place.row;
  T* const inverse = lane.upper ? inverses.l : inverses.u;
#pragma unroll
  for (int k = 0; k < strip; ++k) {
    const T value = rows.row[1][k] * rows.factor[k];
    if (place.unit) inverse[k * inverse_stride + lane.row] = value;
    if (place.row < width && k < place.columns && (!place.unit || k > lane.row)) other[k * stride] = value;
  }
  if (warp != 0 || place.own >= width) return;
  T* const own = (lane.upper ? squares.u : squares.l) + first * stride + place.own;
#pragma unroll
  for (int k = 0; k < strip; ++k) {
    if (k < lane.row && k < place.columns) own[k * stride] = rows.row[0][k] * rows.factor[k];
  }
  if (lane.row >= place.columns) return;
  own[lane.row * stride] = lane.upper ? rows.pivot.used : T(1);
  if (lane.upper) return;
  reciprocal[place.own] = rows.reciprocal;
  report.note(rows.pivot.found, rows.pivot.used, first + lane.row);
}

}  // namespace gpusupernodal::cuda
