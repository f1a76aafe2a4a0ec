#pragma once

/// \file
/// A graph that a test captures and launches.

#include <cuda_runtime_api.h>

#include <cstddef>

#include "kernels/cuda/check.hpp"
#include "tests/solver/api/cuda/device_problem.hpp"

namespace gpusupernodal::test {

/// What `calls` put on a stream while it was captured. The stream must live as long.
class CapturedGraph {
 public:
  template <class Calls>
  CapturedGraph(const CallersStream& stream, const Calls& calls) : stream_(stream) {
    GPUSUPERNODAL_CUDA_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal));
    calls();
    GPUSUPERNODAL_CUDA_CHECK(cudaStreamEndCapture(stream.get(), &graph_));
    GPUSUPERNODAL_CUDA_CHECK(cudaGraphInstantiate(&instance_, graph_, 0));
  }
  ~CapturedGraph() {
    static_cast<void>(cudaGraphExecDestroy(instance_));
    static_cast<void>(cudaGraphDestroy(graph_));
  }
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;

  /// Launches the graph and waits.
  void launch() const {
    GPUSUPERNODAL_CUDA_CHECK(cudaGraphLaunch(instance_, stream_.get()));
    stream_.wait();
  }
  std::size_t nodes() const {
    std::size_t count = 0;
    GPUSUPERNODAL_CUDA_CHECK(cudaGraphGetNodes(graph_, nullptr, &count));
    return count;
  }

 private:
  const CallersStream& stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t instance_ = nullptr;
};

}  // namespace gpusupernodal::test
