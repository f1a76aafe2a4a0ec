#pragma once

/// \file
/// Cholesky factorization of a strip of 16 columns by one or several warps. The chain of dependent steps of a column
/// stays in registers, one row per lane. Columns lie in shared memory with leading dimension `stride`, 4 more than a
/// multiple of 8. L ends up in the lower part and the transpose of L⁻¹ strictly above the diagonal; the reciprocals of
/// the diagonal are stored separately.
///
/// The inverse costs no extra steps: rows of the unit matrix, eliminated like rows below the block, become L⁻ᵀ. Row r
/// of it takes the place of row r of the block, which holds zeros until then. So all rows but the strip's own are
/// treated alike.

#include <type_traits>

#include "kernels/common/records.hpp"
#include "kernels/cuda/mma.cuh"
#include "kernels/cuda/positive_pivots.cuh"
#include "kernels/cuda/shared_memory.hpp"

namespace gpusupernodal::cuda {

inline constexpr unsigned whole_warp = 0xffffffffu;

/// Returns a value that is equal in all lanes, in a form that the compiler knows to be uniform. Branches on it are then
/// not divergent; in divergent code every shuffle would form a separate basic block, across which nothing is moved.
__device__ inline int uniform(int value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_max_sync(whole_warp, value);
#else
  return __shfl_sync(whole_warp, value, 0);
#endif
}
__device__ inline int warp_number() { return uniform(static_cast<int>(threadIdx.x / 32u)); }

__device__ inline void load_pair(const double* from, double& first, double& second) {
  const double2 pair = *reinterpret_cast<const double2*>(from);
  first = pair.x;
  second = pair.y;
}
__device__ inline void load_pair(const float* from, float& first, float& second) {
  const float2 pair = *reinterpret_cast<const float2*>(from);
  first = pair.x;
  second = pair.y;
}
template <class R>
__device__ void load_pair(const Complex<R>* from, Complex<R>& first, Complex<R>& second) {
  first = from[0];
  second = from[1];
}

/// Entries in 16 bytes of shared memory.
template <class T>
inline constexpr int line = 16 / static_cast<int>(sizeof(T));
__device__ inline void load_line(const double* from, double* to) { load_pair(from, to[0], to[1]); }
__device__ inline void load_line(const float* from, float* to) {
  const float4 four = *reinterpret_cast<const float4*>(from);
  to[0] = four.x;
  to[1] = four.y;
  to[2] = four.z;
  to[3] = four.w;
}
template <class R>
__device__ void load_line(const Complex<R>* from, Complex<R>* to) {
#pragma unroll
  for (int e = 0; e < line<Complex<R>>; ++e) to[e] = from[e];
}

/// Returns a pivot from a diagonal entry: its real part where pivots are real.
template <class Pivot, class T>
__device__ Pivot as_pivot(T diagonal) {
  if constexpr (std::is_same_v<Pivot, T>) {
    return diagonal;
  } else {
    return ScalarTraits<T>::real(diagonal);
  }
}

/// Eliminates `Columns` columns from rows in registers, `Sets` rows per lane, by one warp. Set 0 of the first lanes is
/// the diagonal block. On return row[…][k] = l·√pivot for column k. The first lanes return pivot `lane`.
/// `shared_memory` has strip_memory entries.
///
/// The chain of a column is a reciprocal and two products: every lane computes the next pivot redundantly from two
/// entries that were shuffled while the reciprocal was computed. The other entries of the column, by which all rows are
/// multiplied, go through shared memory.
template <int Sets, int Columns, class T, class Pivots>
__device__ auto eliminate(T (&row)[Sets][Columns], T* shared_memory, const Pivots& pivots) {
  using Pivot = typename Pivots::Value;
  constexpr bool adjoint = Pivots::is_adjoint;
  const int lane = static_cast<int>(threadIdx.x & 31u);
  Pivot mine = Pivot(0);
  Pivot pivot = as_pivot<Pivot>(shuffle(row[0][0], 0));
#pragma unroll
  for (int j = 0; j < Columns; ++j) {
    T* const column = shared_memory + j % strip_slots * strip;
    T other[Columns];
    if (j + 2 < Columns) {
      if (lane < Columns) column[lane] = row[0][j];
      __syncwarp();
#pragma unroll
      for (int k = (j + 2) / line<T> * line<T>; k < Columns; k += line<T>) load_line(column + k, other + k);
    }
    const T next = shuffle(row[0][j], (j + 1) % Columns);
    const T diagonal = shuffle(row[0][(j + 1) % Columns], (j + 1) % Columns);
    const Pivot inverse = pivots.reciprocal(pivot);
    mine = lane == j ? pivot : mine;
    if (j + 1 == Columns) break;
    pivot = as_pivot<Pivot>(diagonal - (next * inverse) * conjugate_if<adjoint>(next));
    T scaled[Sets];
#pragma unroll
    for (int set = 0; set < Sets; ++set) {
      scaled[set] = row[set][j] * inverse;
      subtract_product(row[set][(j + 1) % Columns], scaled[set], conjugate_if<adjoint>(next));
    }
#pragma unroll
    for (int k = j + 2; k < Columns; ++k) {
#pragma unroll
      for (int set = 0; set < Sets; ++set) subtract_product(row[set][k], scaled[set], conjugate_if<adjoint>(other[k]));
    }
  }
  return mine;
}

/// Sets root[k] = 1/√pivot k in all lanes (0 for a failed pivot) from pivot `lane` in the first lanes. Returns this
/// lane's root.
template <int Columns, class T, class Pivots, class Pivot>
__device__ Pivot share_roots(Pivot pivot, T* scratch, Pivot (&root)[Columns], const Pivots& pivots) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  Pivot* const shared_memory = reinterpret_cast<Pivot*>(scratch);
  const Pivot mine = pivots.root(pivot);
  __syncwarp();
  if (lane < Columns) shared_memory[lane] = mine;
  __syncwarp();
#pragma unroll
  for (int k = 0; k < Columns; k += line<Pivot>) load_line(shared_memory + k, root + k);
  return mine;
}

/// Returns the factor of a column's entries: for LDLᵀ rows of the inverse (`unit`) take the sign of the pivot, others do
/// not.
template <class Pivots, class T>
__device__ T column_factor(T root, bool unit) {
  if constexpr (Pivots::is_signed) return unit ? root : fabs(root);
  return root;
}

/// Puts onto the diagonal of column `column` what the rows of the strip cannot: a failed or a replaced pivot. `root`: the
/// column's root. For LDLᵀ, notes the pivot that was found.
template <class Pivots, class Pivot, class T>
__device__ void settle_pivot(const Pivots& pivots, Pivot pivot, Pivot root, int column, T* diagonal) {
  if constexpr (Pivots::are_noted) {
    pivots.settle(pivot, root, column, diagonal);
  } else if (root == Pivot(0)) {
    *diagonal = failed_pivot(pivot);
  }
}

/// Returns an entry of L or of its inverse; on L's diagonal, without the imaginary part that rounding has left.
template <class Pivots, class T>
__device__ T stored_entry(T value, bool on_diagonal) {
  if constexpr (std::is_same_v<typename Pivots::Value, T>) {
    return value;
  } else {
    return on_diagonal ? T(ScalarTraits<T>::real(value)) : value;
  }
}

/// Factorizes a front of `columns` ≤ Columns columns and `rows` rows, with the inverse, by one warp. In set 0 the first
/// lanes have the diagonal block and the next ones rows of the unit matrix; all others have the rows below. The warp
/// always runs Columns steps; results past `columns` are not stored. Precondition: 2·Columns + rows − columns ≤
/// 32·Sets.
template <int Sets, int Columns, class T, class Pivots>
__device__ void factor_single_strip(T* s, int stride, T* reciprocal, T* shared_memory, int columns, int rows,
                                    const Pivots& pivots) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const bool own = lane < Columns;
  const bool unit = !own && lane < 2 * Columns;
  const int r = lane % Columns;  // Row of the diagonal block or of the unit matrix.
  int at[Sets];                  // Row in the front; −1: none.
#pragma unroll
  for (int set = 0; set < Sets; ++set) {
    const int below = columns + 32 * set + lane - 2 * Columns;
    at[set] = set == 0 && (own || unit) ? (r < columns ? r : -1) : below < rows ? below : -1;
  }
  T row[Sets][Columns];
#pragma unroll
  for (int k = 0; k < Columns; ++k) {
    const T one = r == k ? T(1) : T(0);
#pragma unroll
    for (int set = 0; set < Sets; ++set) row[set][k] = k < columns && at[set] >= 0 ? s[k * stride + at[set]] : T(0);
    if (own) row[0][k] = k < columns ? (r >= k ? row[0][k] : T(0)) : one;
    if (unit) row[0][k] = one;
  }
  const auto pivot = eliminate(row, shared_memory, pivots);
  typename Pivots::Value root[Columns];
  const auto mine = share_roots(pivot, shared_memory, root, pivots);
#pragma unroll
  for (int k = 0; k < Columns; ++k) {
    const bool first = at[0] >= 0 && (own ? r >= k : !unit || r < k);
    if (k < columns && first)
      s[k * stride + at[0]] = stored_entry<Pivots>(row[0][k] * column_factor<Pivots>(root[k], unit), own && r == k);
#pragma unroll
    for (int set = 1; set < Sets; ++set) {
      if (k < columns && at[set] >= 0) s[k * stride + at[set]] = row[set][k] * column_factor<Pivots>(root[k], false);
    }
  }
  if (lane < columns) {
    reciprocal[lane] = mine;
    settle_pivot(pivots, pivot, mine, lane, s + lane * (stride + 1));
  }
  __syncwarp();
}

/// Rows and columns of a block that a warp has while a strip is factorized: the strip's own rows in lanes 0 … 15, and
/// 16 other rows in the remaining lanes; those of warp 0 are rows of the unit matrix.
struct StripPlace {
  int columns;  ///< Columns of the strip.
  int row;      ///< The lane's row.
  bool own, unit, inside;

  __device__ StripPlace(int warp, int first, int width) {
    const int lane = static_cast<int>(threadIdx.x & 31u);
    const int strips = (width + strip - 1) / strip;
    const int number = first / strip + warp;
    own = lane < strip;
    unit = !own && warp == 0;
    columns = min(strip, width - first);
    row = lane % strip + (own ? first : (number < strips ? number : number - strips) * strip);
    inside = row < width;
  }
};

template <class T>
__device__ void load_strip(T (&row)[strip], const T* entry, int stride, const StripPlace& place) {
  const int r = place.row % strip;
#pragma unroll
  for (int k = 0; k < strip; ++k) row[k] = T(0);
  if (place.columns == strip) {
#pragma unroll
    for (int k = 0; k < strip; ++k) {
      if (place.inside) row[k] = entry[k * stride];
    }
  } else {
#pragma unroll
    for (int k = 0; k < strip; ++k) {
      if (k < place.columns && place.inside) row[k] = entry[k * stride];
      if (k >= place.columns && place.own) row[k] = r == k ? T(1) : T(0);
    }
  }
#pragma unroll
  for (int k = 0; k < strip; ++k) {
    const T one = r == k ? T(1) : T(0);
    row[k] = place.unit ? one : row[k];
  }
}

/// A warp's rows of a strip between loading and storing.
template <class T, class Pivot>
struct StripRows {
  T row[1][strip];
  Pivot root[strip];
  Pivot pivot, mine;
};

/// Factorizes columns first … first+15 of a block, including the rows below and the rows of the inverse. Precondition:
/// all preceding columns have updated them. Run it by as many warps as the block has strips; `shared_memory` has
/// strip_memory entries for each.
template <class T, class Pivots>
__device__ void factor_strip(StripRows<T, typename Pivots::Value>& rows, const T* s, int stride, T* shared_memory,
                             const StripPlace& place, int warp, int first, const Pivots& pivots) {
  load_strip(rows.row[0], s + first * stride + place.row, stride, place);
  rows.pivot = eliminate<1, strip>(rows.row, shared_memory + warp * strip_memory, pivots);
  rows.mine = share_roots(rows.pivot, shared_memory + warp * strip_memory, rows.root, pivots);
}

/// Stores a strip's rows after a barrier, when all warps have read the strip's own rows. `inverse` receives the
/// transposed inverse of the strip's diagonal block, including zeros, with leading dimension inverse_stride, for
/// products with it.
template <class T, class Pivots>
__device__ void store_strip(const StripRows<T, typename Pivots::Value>& rows, T* s, int stride, T* reciprocal, T* inverse,
                            const StripPlace& place, int warp, int first, const Pivots& pivots) {
  const int r = place.row % strip;
  const bool of_inverse = place.unit || place.row < first;
  T* const entry = s + first * stride + place.row;
  const bool writes = place.inside && (warp == 0 || !place.own);
  unsigned columns = writes ? (1u << place.columns) - 1 : 0u;
  if (warp == 0) columns &= place.own ? (2u << r) - 1 : ~((2u << r) - 1);
#pragma unroll
  for (int k = 0; k < strip; ++k) {
    const T value =
        stored_entry<Pivots>(rows.row[0][k] * column_factor<Pivots>(rows.root[k], of_inverse), place.own && r == k);
    if ((columns >> k & 1u) != 0) entry[k * stride] = value;
    if (place.unit) inverse[k * inverse_stride + r] = value;
  }
  if (warp == 0 && place.own && place.inside) {
    reciprocal[place.row] = rows.mine;
    settle_pivot(pivots, rows.pivot, rows.mine, place.row, entry + r * stride);
  }
}

}  // namespace gpusupernodal::cuda
