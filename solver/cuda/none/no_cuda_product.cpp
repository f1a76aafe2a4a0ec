/// \file
/// Replaces products of sparse matrices on a device in builds without the CUDA toolkit.

#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/sparse/product_engine.hpp"

namespace gpusupernodal {
template <class S>
std::unique_ptr<ProductEngine<S>> make_cuda_product(ProductInput, const ProductEngineOptions&) {
  throw BackendUnavailable("this build of gpusupernodal has no CUDA backend (it was configured without a CUDA toolkit)",
                           __FILE__, __LINE__);
}

#define GPUSUPERNODAL_INSTANTIATE(T) \
  template std::unique_ptr<ProductEngine<T>> make_cuda_product(ProductInput, const ProductEngineOptions&);
GPUSUPERNODAL_FOR_EACH_REAL(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

bool device_rows_ascend(const ProductOperand&, const ProductEngineOptions&) {
  throw BackendUnavailable("this build of gpusupernodal has no CUDA backend (it was configured without a CUDA toolkit)",
                           __FILE__, __LINE__);
}

}  // namespace gpusupernodal
