/// \file
/// Replaces the CUDA executor in builds without the CUDA toolkit: every call reports that CUDA is unavailable.

#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/backend/executor.hpp"

namespace gpusupernodal {
namespace {

constexpr const char* reason = "this build of gpusupernodal has no CUDA backend (it was configured without a CUDA toolkit)";

}  // namespace

template <class T>
std::unique_ptr<Executor<T>> make_cuda_executor(std::shared_ptr<const CudaPlan>, const ExecutorOptions&) {
  throw BackendUnavailable(reason, __FILE__, __LINE__);
}

template <class T>
std::unique_ptr<Executor<T>> make_devices_executor(std::shared_ptr<const DevicesPlan>, const ExecutorOptions&,
                                                   const std::vector<int>&) {
  throw BackendUnavailable(reason, __FILE__, __LINE__);
}

#define GPUSUPERNODAL_INSTANTIATE(T)                                                                                    \
  template std::unique_ptr<Executor<T>> make_cuda_executor<T>(std::shared_ptr<const CudaPlan>, const ExecutorOptions&); \
  template std::unique_ptr<Executor<T>> make_devices_executor<T>(std::shared_ptr<const DevicesPlan>,                    \
                                                                 const ExecutorOptions&, const std::vector<int>&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

std::int64_t free_device_memory(int) { throw BackendUnavailable(reason, __FILE__, __LINE__); }

CudaAvailability cuda_availability() { return {false, reason, {}}; }

}  // namespace gpusupernodal
