#include <algorithm>

#include "gpusupernodal/build_config.hpp"
#include "kernels/common/scalar_products.hpp"
#include "kernels/host/sparse_products.hpp"
#include "kernels/host/sparse_rows.hpp"

namespace gpusupernodal {
namespace {

/// sum[i − first] += diagonal[i]·x[i + shift] for the rows first … last−1 that have such a column and such an entry.
template <class S>
void add_diagonal(const S* diagonal, const S* x, std::int64_t shift, std::int64_t columns, std::int64_t first,
                  std::int64_t last, S* sum) {
  const std::int64_t begin = std::max(first, -shift), end = std::min(last, columns - shift);
  for (std::int64_t i = begin; i < end; ++i) sum[i - first] += times(diagonal[i], x[i + shift]);
}

}  // namespace

template <class S>
void dia_product(const SparseArrays<S>& a, const ProductVectors<S>& v, std::int32_t first, std::int32_t last) {
  const std::int64_t stride = diagonal_stride(a.rows);
  for (std::int32_t c = 0; c < v.columns; ++c) {
    const S* const x = v.x + c * v.ld_x;
    for (std::int32_t begin = first; begin < last; begin += diagonal_rows_at_once) {
      const std::int32_t end = std::min(last, begin + diagonal_rows_at_once);
      S sum[diagonal_rows_at_once] = {};
      for (std::int32_t d = 0; d < a.width; ++d) {
        const S* const diagonal = a.values + d * stride;
        const std::int64_t distance = a.index[d];
        add_diagonal(diagonal, x, distance, a.columns, begin, end, sum);
        // The entry left of the diagonal in row i is the one above it in column i.
        if (a.symmetric && distance > 0) add_diagonal(diagonal - distance, x, -distance, a.columns, begin, end, sum);
      }
      for (std::int32_t i = begin; i < end; ++i) store_row(v, i, c, sum[i - begin]);
    }
  }
}

#define GPUSUPERNODAL_INSTANTIATE(T) \
  template void dia_product(const SparseArrays<T>&, const ProductVectors<T>&, std::int32_t, std::int32_t);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
