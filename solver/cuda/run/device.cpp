#include "solver/cuda/run/device.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "gpusupernodal/error.hpp"
#include "kernels/common/records.hpp"
#include "kernels/cuda/check.hpp"
#include "solver/backend/executor.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {
namespace cuda {
namespace {

constexpr int oldest_major = 7;
constexpr int oldest_minor = 5;

/// Returns why no device can be used, or "", and sets `count` to the number of devices.
std::string why_unavailable(int& count) {
  count = 0;
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) return "no CUDA driver was found";
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    count = 0;
    return fmt::format("no CUDA device can be used: {}", cudaGetErrorString(code));
  }
  return count == 0 ? "no CUDA device was found" : "";
}

/// Returns the major and minor compute capability.
std::pair<int, int> capability_of(int device) {
  std::pair<int, int> capability;
  GPUSUPERNODAL_CUDA_CHECK(cudaDeviceGetAttribute(&capability.first, cudaDevAttrComputeCapabilityMajor, device));
  GPUSUPERNODAL_CUDA_CHECK(cudaDeviceGetAttribute(&capability.second, cudaDevAttrComputeCapabilityMinor, device));
  return capability;
}

bool is_too_old(int device) { return capability_of(device) < std::pair(oldest_major, oldest_minor); }

std::string description_of(int device) {
  cudaDeviceProp properties{};
  GPUSUPERNODAL_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  return fmt::format("{}, compute capability {}.{}, {:.1f} GiB", properties.name, properties.major, properties.minor,
                     static_cast<double>(properties.totalGlobalMem) / (1024.0 * 1024.0 * 1024.0));
}

}  // namespace

DeviceGuard::DeviceGuard(int device) {
  GPUSUPERNODAL_CUDA_CHECK(cudaGetDevice(&previous_));
  if (previous_ == device) {
    previous_ = -1;
  } else {
    GPUSUPERNODAL_CUDA_CHECK(cudaSetDevice(device));
  }
}

DeviceGuard::~DeviceGuard() {
  if (previous_ >= 0) static_cast<void>(cudaSetDevice(previous_));
}

Stream::Stream(int priority) {
  GPUSUPERNODAL_CUDA_CHECK(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, priority));
}

Stream::Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}

Stream::~Stream() {
  if (stream_ != nullptr) static_cast<void>(cudaStreamDestroy(stream_));
}

void copy_to_device(void* device, const void* host, std::size_t bytes) {
  if (bytes == 0) return;
  const Stream stream(0);
  GPUSUPERNODAL_CUDA_CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream.get()));
  GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(stream.get()));
}

Event::Event(unsigned flags) { GPUSUPERNODAL_CUDA_CHECK(cudaEventCreateWithFlags(&event_, flags)); }

Event::Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}

Event::~Event() {
  if (event_ != nullptr) static_cast<void>(cudaEventDestroy(event_));
}

void Event::record(cudaStream_t stream) const { GPUSUPERNODAL_CUDA_CHECK(cudaEventRecord(event_, stream)); }

void Event::make_wait(cudaStream_t stream) const { GPUSUPERNODAL_CUDA_CHECK(cudaStreamWaitEvent(stream, event_, 0)); }

int choose_device(int requested) {
  int count = 0;
  const std::string reason = why_unavailable(count);
  if (!reason.empty()) throw BackendUnavailable(reason, __FILE__, __LINE__);
  int device = requested;
  if (device < 0) GPUSUPERNODAL_CUDA_CHECK(cudaGetDevice(&device));
  if (device >= count)
    fail<BackendUnavailable>("CUDA device {} was requested, but the devices of this machine are numbered 0 to {}", device,
                             count - 1);
  if (is_too_old(device)) {
    fail<BackendUnavailable>("CUDA device {} ({}) is too old: compute capability {}.{} or newer is required", device,
                             describe_device(device), oldest_major, oldest_minor);
  }
  return device;
}

/// Cached, because a process keeps its devices.
std::string describe_device(int device) {
  static std::mutex mutex;
  static std::map<int, std::string> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(device);
  return found != known.end() ? found->second : known.emplace(device, description_of(device)).first->second;
}

}  // namespace cuda

namespace {

CudaAvailability find_devices() {
  CudaAvailability availability;
  int count = 0;
  availability.reason = cuda::why_unavailable(count);
  try {
    for (int device = 0; device < count; ++device) {
      availability.devices.push_back(fmt::format("{}: {}", device, cuda::describe_device(device)));
      if (!cuda::is_too_old(device)) availability.available = true;
    }
    if (count > 0 && !availability.available) {
      availability.reason =
          fmt::format("no CUDA device has compute capability {}.{} or newer", cuda::oldest_major, cuda::oldest_minor);
    }
  } catch (const Error& error) {
    availability.available = false;
    availability.reason = error.what();
  }
  return availability;
}

}  // namespace

std::int64_t free_device_memory(int device) {
  const cuda::DeviceGuard guard(cuda::choose_device(device));
  std::size_t free = 0;
  std::size_t total = 0;
  GPUSUPERNODAL_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  return static_cast<std::int64_t>(free);
}

/// Found devices are cached: describing them takes longer than factorizing a small matrix. A device that has failed
/// since is noticed when an executor is created.
CudaAvailability cuda_availability() {
  static std::mutex mutex;
  static std::optional<CudaAvailability> found;
  const std::lock_guard lock(mutex);
  if (found) return *found;
  CudaAvailability availability = find_devices();
  if (availability.available) found = availability;
  return availability;
}

}  // namespace gpusupernodal
