/// \file
/// Replaces sparse products on a device in builds without the CUDA toolkit.

#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/sparse/sparse_apply.hpp"

namespace gpusupernodal {

template <class S>
std::unique_ptr<SparseApply<S>> make_cuda_apply(const SparseLayout&, const ApplyOptions&) {
  throw BackendUnavailable("this build of gpusupernodal has no CUDA backend (it was configured without a CUDA toolkit)",
                           __FILE__, __LINE__);
}

#define GPUSUPERNODAL_INSTANTIATE(T) \
  template std::unique_ptr<SparseApply<T>> make_cuda_apply(const SparseLayout&, const ApplyOptions&);
GPUSUPERNODAL_FOR_EACH_REAL(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
