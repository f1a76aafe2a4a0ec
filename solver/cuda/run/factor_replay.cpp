#include "solver/cuda/run/factor_replay.hpp"

#include <mutex>

namespace gpusupernodal::cuda {

std::shared_mutex& recording() {
  static std::shared_mutex mutex;
  return mutex;
}

cudaError_t synchronize_device() {
  const std::unique_lock lock(recording());
  return cudaDeviceSynchronize();
}

FactorReplay::~FactorReplay() {
  if (exec_ != nullptr) static_cast<void>(cudaGraphExecDestroy(exec_));
  if (graph_ != nullptr) static_cast<void>(cudaGraphDestroy(graph_));
}

/// A graph that was launched before may still be running, so it is destroyed together with this object.
void FactorReplay::refuse() noexcept {
  refused_ = true;
  static_cast<void>(cudaGetLastError());  // So that the next check of a launch does not report it.
}

bool FactorReplay::begin(cudaStream_t stream) {
  // Thread-local: other threads may allocate meanwhile.
  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess) return true;
  refuse();
  return false;
}

/// Ends a recording that failed. Returns whether another thread invalidated it.
bool FactorReplay::abandon_invalidated(cudaStream_t stream) noexcept {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const bool queried = cudaStreamIsCapturing(stream, &status) == cudaSuccess;
  cudaGraph_t graph = nullptr;
  const cudaError_t code = cudaStreamEndCapture(stream, &graph);
  if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
  static_cast<void>(cudaGetLastError());
  return (queried && status == cudaStreamCaptureStatusInvalidated) || code == cudaErrorStreamCaptureInvalidated;
}

/// Returns the node that the stream's next launch would depend on.
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
  if (count == 0) GPUSUPERNODAL_CUDA_CHECK(cudaErrorStreamCaptureInvalidated);
  return nodes[0];
}

/// Instantiates the graph. If that fails, launches go one by one; they then report a lost device.
void FactorReplay::instantiate() {
  if (cudaGraphInstantiate(&exec_, graph_, 0) == cudaSuccess) return;
  exec_ = nullptr;
  static_cast<void>(cudaGraphDestroy(graph_));
  graph_ = nullptr;
  refuse();
}

bool FactorReplay::launch(const ResetArguments& arguments, cudaStream_t stream) {
  try {
    if (!(arguments == arguments_)) replace_reset(exec_, reset_, arguments);
    arguments_ = arguments;
    GPUSUPERNODAL_CUDA_CHECK(cudaGraphLaunch(exec_, stream));
    return true;
  } catch (const Error&) {
    refuse();
    return false;
  }
}

}  // namespace gpusupernodal::cuda
