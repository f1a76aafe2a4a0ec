#pragma once

/// \file
/// A factorization recorded once, as a graph, and launched as a whole from then on.

#include <cuda_runtime_api.h>

#include <shared_mutex>

#include "kernels/cuda/value_kernels.hpp"

namespace gpusupernodal::cuda {

/// Held by whoever records, together with others, and by whoever waits for the whole device, alone.
std::shared_mutex& recording();
/// cudaDeviceSynchronize, which would spoil a recording of another thread.
cudaError_t synchronize_device();

/// Replaces thousands of launches by one: what the host pays no longer depends on the matrix.
class FactorReplay {
 public:
  FactorReplay() = default;
  ~FactorReplay();
  FactorReplay(const FactorReplay&) = delete;
  FactorReplay& operator=(const FactorReplay&) = delete;

  bool is_recorded() const { return exec_ != nullptr; }
  /// Whether no graph could be made, as without memory for it; recording is not to be tried again then.
  bool is_refused() const { return refused_; }

  /// Records reset_status with these arguments and what `work` puts on `stream` after it, and on streams that it forks to
  /// and joins. Nothing runs. Rethrows what `work` throws, and is not recorded then.
  template <class Work>
  void record(cudaStream_t stream, const ResetArguments& arguments, const Work& work) {
    const std::shared_lock lock(recording());
    begin(stream);
    try {
      reset_status(arguments, stream);
      reset_ = last_node(stream);
      work();
      graph_ = end(stream);
    } catch (...) {
      if (!abandon_spoilt(stream)) throw;
      return;
    }
    arguments_ = arguments;
    instantiate();
  }

  /// Launches what was recorded, with these arguments for reset_status. Precondition: is_recorded().
  void launch(const ResetArguments& arguments, cudaStream_t stream);

 private:
  static void begin(cudaStream_t stream);
  static bool abandon_spoilt(cudaStream_t stream) noexcept;
  static cudaGraphNode_t last_node(cudaStream_t stream);
  static cudaGraph_t end(cudaStream_t stream);
  void instantiate();

  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  cudaGraphNode_t reset_ = nullptr;
  ResetArguments arguments_;
  bool refused_ = false;
};

}  // namespace gpusupernodal::cuda
