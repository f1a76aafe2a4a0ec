/// \file
/// Replaces batches and side streams on a device in builds without the CUDA toolkit.

#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/backend/batch_factors.hpp"
#include "solver/backend/side_streams.hpp"

namespace gpusupernodal {
namespace {

[[noreturn]] void refuse_batch() {
  throw BackendUnavailable("this build of gpusupernodal has no CUDA backend (it was configured without a CUDA toolkit)",
                           __FILE__, __LINE__);
}

}  // namespace

template <class S>
std::unique_ptr<BatchFactors<S>> make_cuda_batch(const BatchProgram&, const BatchFactorsOptions&) {
  refuse_batch();
}

std::unique_ptr<SideStreams> make_cuda_side_streams(int, int) { refuse_batch(); }

#define GPUSUPERNODAL_INSTANTIATE(T) \
  template std::unique_ptr<BatchFactors<T>> make_cuda_batch(const BatchProgram&, const BatchFactorsOptions&);
GPUSUPERNODAL_FOR_EACH_REAL(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
