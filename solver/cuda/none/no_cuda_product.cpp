/// \file
/// Replaces products of sparse matrices on a device in builds without the CUDA toolkit.

#include "gpusupernodal/error.hpp"
#include "solver/sparse/product_engine.hpp"

namespace gpusupernodal {
template <class S>
std::unique_ptr<ProductEngine<S>> make_cuda_product(ProductInput, const ProductEngineOptions&) {
  throw BackendUnavailable("this build of gpusupernodal has no CUDA backend (it was configured without a CUDA toolkit)",
                           __FILE__, __LINE__);
}

template std::unique_ptr<ProductEngine<float>> make_cuda_product(ProductInput, const ProductEngineOptions&);
template std::unique_ptr<ProductEngine<double>> make_cuda_product(ProductInput, const ProductEngineOptions&);

bool device_rows_ascend(const ProductOperand&, const ProductEngineOptions&) {
  throw BackendUnavailable("this build of gpusupernodal has no CUDA backend (it was configured without a CUDA toolkit)",
                           __FILE__, __LINE__);
}

}  // namespace gpusupernodal
