#include "gpusupernodal/build_config.hpp"
#include "kernels/cuda/spmv_sell.cuh"

namespace gpusupernodal::cuda {

template <class S>
int sell_dot_blocks(const SparseArrays<S>& a) {
  return dot_blocks_of(std::int64_t{slice_lanes} * a.units, max_dot_blocks);
}

template <class S>
void sell_product(const SparseArrays<S>& a, const ProductVectors<S>& v, cudaStream_t stream) {
  launch_sell<S, 1>(a, v, stream);
}

template <class S>
void prepare_sell_product() {
  load_sell<S, 1>();
}

#define INSTANTIATE(S)                                                                        \
  template int sell_dot_blocks(const SparseArrays<S>&);                                       \
  template void sell_product(const SparseArrays<S>&, const ProductVectors<S>&, cudaStream_t); \
  template void prepare_sell_product<S>();
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
