#include "kernels/cuda/check.hpp"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/trace.cuh"

namespace gpusupernodal::cuda {
namespace {

/// Launched with one thread.
__global__ void begin_trace_kernel(TraceBuffer* buffer) {
  buffer->count = 0;
  buffer->origin = global_timer();
}

}  // namespace

void begin_trace(TraceBuffer* buffer, cudaStream_t stream) {
  begin_trace_kernel<<<1, 1, 0, stream>>>(buffer);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("begin_trace");
}

void prepare_trace() { load_kernels(begin_trace_kernel); }

}  // namespace gpusupernodal::cuda
