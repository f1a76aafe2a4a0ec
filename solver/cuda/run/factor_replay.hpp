#pragma once

/// \file
/// A factorization that is recorded once as a graph and launched as a whole from then on.

#include <cuda_runtime_api.h>

#include <shared_mutex>

#include "gpusupernodal/error.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/value_kernels.hpp"

namespace gpusupernodal::cuda {

/// Mutex that recorders hold shared, and threads that wait for the whole device hold exclusively.
std::shared_mutex& recording();
/// cudaDeviceSynchronize under recording(), because it would invalidate a recording of another thread.
cudaError_t synchronize_device();

/// Replaces thousands of launches by one, so that the host's cost does not depend on the matrix. If CUDA refuses the
/// graph at any step, no error is reported: launched piece by piece, the same work succeeds or reports the error.
class FactorReplay {
 public:
  FactorReplay() = default;
  ~FactorReplay();
  FactorReplay(const FactorReplay&) = delete;
  FactorReplay& operator=(const FactorReplay&) = delete;

  bool is_recorded() const { return exec_ != nullptr && !refused_; }
  /// Whether CUDA refused to record, instantiate or launch the graph, for example for lack of memory. It must not be
  /// recorded again then.
  bool is_refused() const { return refused_; }

  /// Records reset_status with these arguments and everything that `work` puts on `stream`, and on streams that it
  /// forks to and joins. Nothing runs. Afterwards is_recorded() or is_refused() holds, or neither if a call of another
  /// thread invalidated the recording. Errors of CUDA are not rethrown; any other exception of `work` is, and nothing
  /// is recorded.
  template <class Work>
  void record(cudaStream_t stream, const ResetArguments& arguments, const Work& work) {
    const std::shared_lock lock(recording());
    if (!begin(stream)) return;
    cudaError_t ended = cudaSuccess;
    try {
      reset_status(arguments, stream);
      reset_ = last_node(stream);
      work();
      ended = cudaStreamEndCapture(stream, &graph_);
      GPUSUPERNODAL_CUDA_CHECK(ended);
    } catch (const Error&) {
      refused_ = ended != cudaErrorStreamCaptureInvalidated && !abandon_invalidated(stream);
      return;
    } catch (...) {
      abandon_invalidated(stream);
      throw;
    }
    arguments_ = arguments;
    instantiate();
  }

  /// Launches the recorded graph with these arguments for reset_status. If CUDA refuses, returns false, nothing runs,
  /// and is_refused() holds. Precondition: is_recorded().
  bool launch(const ResetArguments& arguments, cudaStream_t stream);

 private:
  bool begin(cudaStream_t stream);
  void refuse() noexcept;
  static bool abandon_invalidated(cudaStream_t stream) noexcept;
  static cudaGraphNode_t last_node(cudaStream_t stream);
  void instantiate();

  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  cudaGraphNode_t reset_ = nullptr;
  ResetArguments arguments_;
  bool refused_ = false;
};

}  // namespace gpusupernodal::cuda
