/// \file
/// Replaces the CUDA executor in builds without the CUDA toolkit: every call reports that CUDA is unavailable.

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

template std::unique_ptr<Executor<float>> make_cuda_executor<float>(std::shared_ptr<const CudaPlan>, const ExecutorOptions&);
template std::unique_ptr<Executor<double>> make_cuda_executor<double>(std::shared_ptr<const CudaPlan>,
                                                                      const ExecutorOptions&);
template std::unique_ptr<Executor<std::complex<float>>> make_cuda_executor<std::complex<float>>(
    std::shared_ptr<const CudaPlan>, const ExecutorOptions&);
template std::unique_ptr<Executor<std::complex<double>>> make_cuda_executor<std::complex<double>>(
    std::shared_ptr<const CudaPlan>, const ExecutorOptions&);

CudaAvailability cuda_availability() { return {false, reason, {}}; }

}  // namespace gpusupernodal
