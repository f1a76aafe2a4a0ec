/// \file
/// Replaces conjugate gradients on a device in builds without the CUDA toolkit.

#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/backend/pcg_engine.hpp"

namespace gpusupernodal {

template <class S>
std::unique_ptr<PcgEngine<S>> make_cuda_pcg(std::int32_t, const PcgEngineOptions&) {
  throw BackendUnavailable("this build of gpusupernodal has no CUDA backend (it was configured without a CUDA toolkit)",
                           __FILE__, __LINE__);
}

#define GPUSUPERNODAL_INSTANTIATE(T) \
  template std::unique_ptr<PcgEngine<T>> make_cuda_pcg(std::int32_t, const PcgEngineOptions&);
GPUSUPERNODAL_FOR_EACH_REAL(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
