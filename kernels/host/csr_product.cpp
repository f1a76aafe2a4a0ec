#include "gpusupernodal/build_config.hpp"
#include "kernels/common/scalar_products.hpp"
#include "kernels/host/sparse_products.hpp"
#include "kernels/host/sparse_rows.hpp"

namespace gpusupernodal {

template <class S>
void csr_product(const SparseArrays<S>& a, const ProductVectors<S>& v, std::int32_t first, std::int32_t last) {
  for (std::int32_t c = 0; c < v.columns; ++c) {
    const S* const x = v.x + c * v.ld_x;
    for (std::int32_t i = first; i < last; ++i) {
      S sum = S(0);
      for (std::int32_t e = a.offsets[i]; e < a.offsets[i + 1]; ++e) sum += times(a.values[e], x[a.index[e]]);
      store_row(v, i, c, sum);
    }
  }
}

#define GPUSUPERNODAL_INSTANTIATE(T) \
  template void csr_product(const SparseArrays<T>&, const ProductVectors<T>&, std::int32_t, std::int32_t);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
