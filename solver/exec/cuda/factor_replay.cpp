#include "solver/exec/cuda/factor_replay.hpp"

#include "kernels/cuda/check.hpp"

namespace gpusupernodal::cuda {

FactorReplay::~FactorReplay() {
  if (exec_ != nullptr) static_cast<void>(cudaGraphExecDestroy(exec_));
  if (graph_ != nullptr) static_cast<void>(cudaGraphDestroy(graph_));
}

void FactorReplay::begin(cudaStream_t stream) {
  // Other threads may allocate meanwhile.
  GPUSUPERNODAL_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
}

void FactorReplay::abandon(cudaStream_t stream) noexcept {
  cudaGraph_t graph = nullptr;
  static_cast<void>(cudaStreamEndCapture(stream, &graph));
  if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
  static_cast<void>(cudaGetLastError());
}

/// What the stream's next launch would follow.
cudaGraphNode_t FactorReplay::last_node(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaGraph_t graph = nullptr;
  const cudaGraphNode_t* nodes = nullptr;
  std::size_t count = 0;
#if CUDART_VERSION >= 13000
  const cudaGraphEdgeData* edges = nullptr;
  GPUSUPERNODAL_CUDA_CHECK(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &nodes, &edges, &count));
#else
  GPUSUPERNODAL_CUDA_CHECK(cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, &graph, &nodes, &count));
#endif
  return nodes[0];
}

cudaGraph_t FactorReplay::end(cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  GPUSUPERNODAL_CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  return graph;
}

void FactorReplay::instantiate() {
  const cudaError_t code = cudaGraphInstantiate(&exec_, graph_, 0);
  if (code == cudaSuccess) return;
  exec_ = nullptr;
  static_cast<void>(cudaGraphDestroy(graph_));
  graph_ = nullptr;
  refused_ = code == cudaErrorMemoryAllocation;
  if (!refused_) GPUSUPERNODAL_CUDA_CHECK(code);
  static_cast<void>(cudaGetLastError());
}

void FactorReplay::launch(const ResetArguments& arguments, cudaStream_t stream) {
  if (!(arguments == arguments_)) {
    replace_reset(exec_, reset_, arguments);
    arguments_ = arguments;
  }
  GPUSUPERNODAL_CUDA_CHECK(cudaGraphLaunch(exec_, stream));
}

}  // namespace gpusupernodal::cuda
