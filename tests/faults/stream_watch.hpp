#pragma once

/// \file
/// Records which streams have kernels that no call has waited for; the hooks of cuda_hooks.cpp write it.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace gpusupernodal::test {

/// A small table that never allocates, because hooks run while allocations fail.
class StreamWatch {
 public:
  void launched(cudaStream_t stream) {
    if (recording_) return;
    if (std::find(begin(), end(), stream) == end() && count_ < streams_.size()) streams_[count_++] = stream;
  }
  /// Records that the stream was waited for or destroyed.
  void settled(cudaStream_t stream) { count_ = static_cast<std::size_t>(std::remove(begin(), end(), stream) - begin()); }
  void all_settled() { count_ = 0; }
  std::size_t unsettled() const { return count_; }
  /// Between the start and the end of a capture, nothing runs.
  void recording(bool yes) { recording_ = yes; }
  bool is_recording() const { return recording_; }

 private:
  cudaStream_t* begin() { return streams_.data(); }
  cudaStream_t* end() { return streams_.data() + count_; }

  std::array<cudaStream_t, 64> streams_{};
  std::size_t count_ = 0;
  bool recording_ = false;
};

/// The process's instance; only one thread calls CUDA in these tests.
StreamWatch& stream_watch();

}  // namespace gpusupernodal::test
