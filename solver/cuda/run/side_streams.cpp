#include "solver/backend/side_streams.hpp"

#include <vector>

#include "kernels/cuda/check.hpp"
#include "solver/cuda/run/device.hpp"

namespace gpusupernodal {
namespace cuda {
namespace {

class CudaSideStreams final : public SideStreams {
 public:
  /// Precondition: `device` is usable and current.
  CudaSideStreams(int device, int count) : device_(device), on_device_(device) {
    constexpr int ordinary_priority = 0;
    for (int i = 0; i < count; ++i) streams_.emplace_back(ordinary_priority);
  }
  ~CudaSideStreams() override { on_device_.enter(); }

  void* stream(int i) const override { return streams_[static_cast<std::size_t>(i)].get(); }

  void fork(void* stream) override {
    const DeviceGuard guard(device_);
    event_.record(static_cast<cudaStream_t>(stream));
    for (const Stream& side : streams_) event_.make_wait(side.get());
  }

  void join(void* stream) override {
    const DeviceGuard guard(device_);
    for (const Stream& side : streams_) {
      event_.record(side.get());
      event_.make_wait(static_cast<cudaStream_t>(stream));
    }
  }

 private:
  int device_;
  OnDevice on_device_;
  std::vector<Stream> streams_;
  Event event_;  ///< A wait refers to the last record before it, so one event serves all streams.
};

}  // namespace
}  // namespace cuda

std::unique_ptr<SideStreams> make_cuda_side_streams(int device, int count) {
  const int chosen = cuda::choose_device(device);
  const cuda::DeviceGuard guard(chosen);
  return std::make_unique<cuda::CudaSideStreams>(chosen, count);
}

}  // namespace gpusupernodal
