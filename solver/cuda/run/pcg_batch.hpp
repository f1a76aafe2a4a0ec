#pragma once

/// \file
/// PcgBatch: a few steps of an iteration as one CUDA graph.

#include <cuda_runtime_api.h>

#include <shared_mutex>

#include "kernels/cuda/check.hpp"
#include "solver/cuda/run/device.hpp"
#include "solver/cuda/run/factor_replay.hpp"

namespace gpusupernodal::cuda {

/// Launches the same work again and again: from a graph, or piece by piece if CUDA refuses one.
class PcgBatch {
 public:
  PcgBatch() : capture_(0) {}
  ~PcgBatch() { forget(); }
  PcgBatch(const PcgBatch&) = delete;
  PcgBatch& operator=(const PcgBatch&) = delete;

  /// Drops the graph; the next launch records another. Precondition: the graph does not run.
  void forget() noexcept {
    if (exec_ != nullptr) static_cast<void>(cudaGraphExecDestroy(exec_));
    exec_ = nullptr;
    refused_ = false;
  }

  /// Enqueues work(stream). The first call records it from a stream of its own.
  template <class Work>
  void launch(cudaStream_t stream, const Work& work) {
    if (exec_ == nullptr && !refused_) record(work);
    if (exec_ == nullptr) return work(stream);
    GPUSUPERNODAL_CUDA_CHECK(cudaGraphLaunch(exec_, stream));
  }

 private:
  template <class Work>
  void record(const Work& work) {
    const std::shared_lock lock(recording());
    refused_ = true;
    if (cudaStreamBeginCapture(capture_.get(), cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      return;
    }
    cudaGraph_t graph = nullptr;
    try {
      work(capture_.get());
    } catch (...) {
      if (cudaStreamEndCapture(capture_.get(), &graph) == cudaSuccess && graph != nullptr)
        static_cast<void>(cudaGraphDestroy(graph));
      static_cast<void>(cudaGetLastError());
      throw;
    }
    if (cudaStreamEndCapture(capture_.get(), &graph) == cudaSuccess && graph != nullptr) {
      refused_ = cudaGraphInstantiate(&exec_, graph, 0) != cudaSuccess;
      if (refused_) exec_ = nullptr;
      static_cast<void>(cudaGraphDestroy(graph));
    }
    if (refused_) static_cast<void>(cudaGetLastError());
  }

  Stream capture_;
  cudaGraphExec_t exec_ = nullptr;
  bool refused_ = false;
};

}  // namespace gpusupernodal::cuda
