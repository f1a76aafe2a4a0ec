#include "gpusupernodal/info.hpp"

#include "base/thread_team.hpp"
#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/names.hpp"
#include "kernels/host/host_kernels.hpp"
#include "solver/backend/executor.hpp"
#include "solver/common/built.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {

const char* version() { return GPUSUPERNODAL_VERSION; }

BuildInfo build_info() { return {built_scalars(), built_forms()}; }

namespace {

/// All scalar types have kernels for the same instruction sets.
template <class First, class... Others>
const char* name_of_kernels() {
  return host_kernels<First>().name;
}

}  // namespace

std::vector<BackendInfo> backends() {
  const CudaAvailability cuda = cuda_availability();
  BackendInfo host;
  host.name = name_of(Backend::host);
  host.available = true;
  host.reason = fmt::format("kernels for {}", name_of_kernels<GPUSUPERNODAL_SCALAR_TYPES>());
  const int threads = worker_count(0);
  host.devices = {fmt::format("{} {}", threads, threads == 1 ? "thread" : "threads")};
  BackendInfo device;
  device.name = name_of(Backend::cuda);
  device.available = cuda.available;
  device.reason = cuda.reason;
  device.devices = cuda.devices;
  return {host, device};
}

}  // namespace gpusupernodal
