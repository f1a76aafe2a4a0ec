/// \file
/// Replaces batches on a device in builds without the CUDA toolkit.

#include "gpusupernodal/error.hpp"
#include "solver/backend/batch_factors.hpp"

namespace gpusupernodal {

template <class S>
std::unique_ptr<BatchFactors<S>> make_cuda_batch(const BatchProgram&, const BatchFactorsOptions&) {
  throw BackendUnavailable("this build of gpusupernodal has no CUDA backend (it was configured without a CUDA toolkit)",
                           __FILE__, __LINE__);
}

template std::unique_ptr<BatchFactors<float>> make_cuda_batch(const BatchProgram&, const BatchFactorsOptions&);
template std::unique_ptr<BatchFactors<double>> make_cuda_batch(const BatchProgram&, const BatchFactorsOptions&);

}  // namespace gpusupernodal
