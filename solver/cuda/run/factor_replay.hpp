#pragma once

/// \file
/// A factorization recorded once, as a graph, and launched as a whole from then on.

#include <cuda_runtime_api.h>

#include <shared_mutex>

#include "gpusupernodal/error.hpp"
#include "kernels/cuda/value_kernels.hpp"

namespace gpusupernodal::cuda {

/// Held by whoever records, together with others, and by whoever waits for the whole device, alone.
std::shared_mutex& recording();
/// cudaDeviceSynchronize, which would spoil a recording of another thread.
cudaError_t synchronize_device();

/// Replaces thousands of launches by one: what the host pays no longer depends on the matrix. Where CUDA refuses the graph
/// at any step, nothing is reported: launched piece by piece, the same work succeeds, or says itself what is wrong.
class FactorReplay {
 public:
  FactorReplay() = default;
  ~FactorReplay();
  FactorReplay(const FactorReplay&) = delete;
  FactorReplay& operator=(const FactorReplay&) = delete;

  bool is_recorded() const { return exec_ != nullptr && !refused_; }
  /// Whether CUDA refused to record, make or launch the graph, as without memory for it: it is not to be recorded again.
  bool is_refused() const { return refused_; }

  /// Records reset_status with these arguments and what `work` puts on `stream` after it, and on streams that it forks to
  /// and joins. Nothing runs. Afterwards is_recorded(), is_refused(), or neither where a call of another thread spoilt the
  /// recording. Rethrows what `work` throws if that is no error of CUDA's, and is not recorded then.
  template <class Work>
  void record(cudaStream_t stream, const ResetArguments& arguments, const Work& work) {
    const std::shared_lock lock(recording());
    if (!begin(stream)) return;
    try {
      reset_status(arguments, stream);
      reset_ = last_node(stream);
      work();
      graph_ = end(stream);
    } catch (const Error&) {
      refused_ = !abandon_spoilt(stream);
      return;
    } catch (...) {
      abandon_spoilt(stream);
      throw;
    }
    arguments_ = arguments;
    instantiate();
  }

  /// Launches what was recorded, with these arguments for reset_status. Returns false where CUDA refuses that; then nothing
  /// of it runs, and it is_refused(). Precondition: is_recorded().
  bool launch(const ResetArguments& arguments, cudaStream_t stream);

 private:
  bool begin(cudaStream_t stream);
  void refuse() noexcept;
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
