#include "gpusupernodal/build_config.hpp"
#include "kernels/common/scalar_products.hpp"
#include "kernels/host/sparse_products.hpp"

namespace gpusupernodal {

template <class S>
void add_coo_product(const SparseArrays<S>& a, const ProductVectors<S>& v, std::int32_t first, std::int32_t last) {
  for (std::int32_t c = 0; c < v.columns; ++c) {
    const S* const x = v.x + c * v.ld_x;
    for (std::int32_t e = first; e < last;) {
      const std::int32_t row = a.order[e];
      S sum = S(0);
      for (; e < last && a.order[e] == row; ++e) sum += times(a.values[e], x[a.index[e]]);
      v.y[row + c * v.ld_y] += times(v.alpha, sum);
    }
  }
}

template <class S>
void scale_rows(const ProductVectors<S>& v, std::int32_t first, std::int32_t last) {
  for (std::int32_t c = 0; c < v.columns; ++c) {
    S* const y = v.y + c * v.ld_y;
    for (std::int32_t i = first; i < last; ++i) y[i] = v.beta == S(0) ? S(0) : times(v.beta, y[i]);
  }
}

#define GPUSUPERNODAL_INSTANTIATE(T)                                                                           \
  template void add_coo_product(const SparseArrays<T>&, const ProductVectors<T>&, std::int32_t, std::int32_t); \
  template void scale_rows(const ProductVectors<T>&, std::int32_t, std::int32_t);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
