#pragma once

/// \file
/// SideStreams: streams of a device whose work runs side by side.

#include <memory>

namespace gpusupernodal {

/// Streams of one device beside a stream of the caller. All streams are cudaStream_t.
class SideStreams {
 public:
  virtual ~SideStreams() = default;
  SideStreams() = default;
  SideStreams(const SideStreams&) = delete;
  SideStreams& operator=(const SideStreams&) = delete;

  /// Stream i. Precondition: 0 ≤ i, less than the number of streams.
  virtual void* stream(int i) const = 0;
  /// Later work on the streams waits for the work that is on the caller's `stream` now. Does not wait.
  virtual void fork(void* stream) = 0;
  /// Later work on the caller's `stream` waits for the work that is on the streams now. Does not wait.
  virtual void join(void* stream) = 0;
};

/// Makes `count` streams on a CUDA device; −1: the current one. Throws BackendUnavailable as make_cuda_executor. Builds
/// without a toolkit link a stub.
std::unique_ptr<SideStreams> make_cuda_side_streams(int device, int count);

}  // namespace gpusupernodal
