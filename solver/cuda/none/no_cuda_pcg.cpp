/// \file
/// Replaces conjugate gradients on a device in builds without the CUDA toolkit.

#include "gpusupernodal/error.hpp"
#include "solver/backend/pcg_engine.hpp"

namespace gpusupernodal {

template <class S>
std::unique_ptr<PcgEngine<S>> make_cuda_pcg(std::int32_t, const PcgEngineOptions&) {
  throw BackendUnavailable("this build of gpusupernodal has no CUDA backend (it was configured without a CUDA toolkit)",
                           __FILE__, __LINE__);
}

template std::unique_ptr<PcgEngine<float>> make_cuda_pcg(std::int32_t, const PcgEngineOptions&);
template std::unique_ptr<PcgEngine<double>> make_cuda_pcg(std::int32_t, const PcgEngineOptions&);

}  // namespace gpusupernodal
