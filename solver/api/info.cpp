#include "gpusupernodal/info.hpp"

#include "base/thread_team.hpp"
#include "gpusupernodal/names.hpp"
#include "kernels/host/host_kernels.hpp"
#include "solver/backend/executor.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {

const char* version() { return GPUSUPERNODAL_VERSION; }

std::vector<BackendInfo> backends() {
  const CudaAvailability cuda = cuda_availability();
  BackendInfo host;
  host.name = name_of(Backend::host);
  host.available = true;
  host.reason = fmt::format("kernels for {}", host_kernels<double>().name);
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
