#include <cstring>

#include "gpusupernodal/build_config.hpp"
#include "kernels/common/scalar_products.hpp"
#include "kernels/host/sparse_products.hpp"
#include "kernels/host/sparse_rows.hpp"

namespace gpusupernodal {
namespace {

/// Sums of one slice for one column of x.
template <class S, int B>
struct SliceSums {
  S sum[B][slice_lanes] = {};
  std::int32_t column[slice_lanes] = {};

  /// Adds the blocks of one step, whose columns are set.
  void add(const S* values, const S* x) {
    for (int r = 0; r < B; ++r) {
      for (int c = 0; c < B; ++c) {
        const S* const entry = values + (r * B + c) * slice_lanes;
        for (int l = 0; l < slice_lanes; ++l) sum[r][l] += times(entry[l], x[std::int64_t{column[l]} * B + c]);
      }
    }
  }
};

template <class S, int B>
void multiply_slice(const SparseArrays<S>& a, const Slice& slice, const S* x, SliceSums<S, B>& sums) {
  for (std::int32_t& column : sums.column) column = slice.base;
  const bool narrow = slice.deltas >= 0;
  const std::uint16_t* deltas = a.delta + std::int64_t{slice_lanes} * (narrow ? slice.deltas : ~slice.deltas);
  const S* values = a.values + std::int64_t{slice.first} * (B * B * slice_lanes);
  for (std::int32_t k = slice.first; k < slice.last; ++k) {
    if (narrow) {
      for (int l = 0; l < slice_lanes; ++l) sums.column[l] += deltas[l];
      deltas += slice_lanes;
    } else {
      std::memcpy(sums.column, deltas, sizeof(sums.column));
      deltas += 2 * slice_lanes;
    }
    sums.add(values, x);
    values += B * B * slice_lanes;
  }
}

template <class S, int B>
void multiply_slices(const SparseArrays<S>& a, const ProductVectors<S>& v, std::int32_t first, std::int32_t last) {
  const std::int32_t rows_of_slice = slice_lanes / a.width;
  for (std::int32_t s = first; s < last; ++s) {
    Slice slice;
    std::memcpy(&slice, a.index + std::int64_t{4} * s, sizeof(slice));
    for (std::int32_t c = 0; c < v.columns; ++c) {
      SliceSums<S, B> sums;
      multiply_slice(a, slice, v.x + c * v.ld_x, sums);
      for (std::int32_t l = 0; l < rows_of_slice; ++l) {
        const std::int64_t position = std::int64_t{s} * rows_of_slice + l;
        if (position * B >= a.rows) break;
        const std::int32_t row = a.order != nullptr ? a.order[position] : static_cast<std::int32_t>(position);
        for (int r = 0; r < B; ++r) {
          S sum = S(0);
          for (std::int32_t lane = l; lane < slice_lanes; lane += rows_of_slice) sum += sums.sum[r][lane];
          store_row(v, B * row + r, c, sum);
        }
      }
    }
  }
}

}  // namespace

template <class S>
void sell_product(const SparseArrays<S>& a, const ProductVectors<S>& v, std::int32_t first, std::int32_t last) {
  switch (a.block) {
    case 2:
      return multiply_slices<S, 2>(a, v, first, last);
    case 3:
      return multiply_slices<S, 3>(a, v, first, last);
    case 6:
      return multiply_slices<S, 6>(a, v, first, last);
    default:
      return multiply_slices<S, 1>(a, v, first, last);
  }
}

#define GPUSUPERNODAL_INSTANTIATE(T) \
  template void sell_product(const SparseArrays<T>&, const ProductVectors<T>&, std::int32_t, std::int32_t);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
