#include "gpusupernodal/build_config.hpp"
#include "kernels/cuda/spmv_sell.cuh"

namespace gpusupernodal::cuda {

template <class S>
void block_product(const SparseArrays<S>& a, const ProductVectors<S>& v, cudaStream_t stream) {
  const auto launch = a.block == 2 ? launch_sell<S, 2> : a.block == 3 ? launch_sell<S, 3> : launch_sell<S, 6>;
  launch(a, v, stream);
}

template <class S>
void prepare_block_product() {
  load_sell<S, 2>();
  load_sell<S, 3>();
  load_sell<S, 6>();
}

#define INSTANTIATE(S)                                                                         \
  template void block_product(const SparseArrays<S>&, const ProductVectors<S>&, cudaStream_t); \
  template void prepare_block_product<S>();
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
