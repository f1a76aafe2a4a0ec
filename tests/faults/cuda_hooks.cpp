#include "tests/faults/cuda_hooks.hpp"

#include <cuda_runtime_api.h>

#include <atomic>

#include "tests/faults/capture_watch.hpp"
#include "tests/faults/hook_macros.hpp"
#include "tests/faults/kernel_watch.hpp"
#include "tests/faults/limit_watch.hpp"
#include "tests/faults/stream_watch.hpp"

using namespace gpusupernodal::test;

/// A function that frees an object; it does so in any case, and can report only the loss of the device.
#define HOOK_FREE(name, type, object)                                                                       \
  cudaError_t name(type object) {                                                                           \
    if (object == nullptr) return cudaSuccess;                                                              \
    if (!device_is_simulated()) return given_back(real_function<decltype(name)>(NAME_OF(name))(object));    \
    if (std::is_same_v<type, cudaStream_t>) stream_watch().settled(reinterpret_cast<cudaStream_t>(object)); \
    if (std::is_same_v<type, cudaEvent_t>) capture_watch().forget(reinterpret_cast<cudaEvent_t>(object));   \
    if (std::is_same_v<type, void*>) capture_watch().invalidate();                                          \
    __real_free(object);                                                                                    \
    return given_back(cudaSuccess);                                                                         \
  }

/// A call that CUDA forbids during a capture (except in relaxed mode) and that invalidates it.
#define UNLESS_CAPTURED(simulated) (capture_watch().forbids() ? invalidate_capture() : (simulated))
/// A call that CUDA forbids during a capture in any mode.
#define NEVER_CAPTURED(simulated) (capture_watch().is_active() ? invalidate_capture() : (simulated))

namespace {

constinit std::atomic<std::int64_t> waits{0};
constinit std::atomic<cudaEvent_t> over{nullptr};  ///< The event last found to be complete.

cudaError_t invalidate_capture() {
  capture_watch().invalidate();
  return left_unread(cudaErrorStreamCaptureUnsupported);
}

cudaStreamCaptureStatus capture_status(cudaStream_t stream) {
  if (!capture_watch().captures(stream)) return cudaStreamCaptureStatusNone;
  return capture_watch().is_invalidated() ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

int simulated_attribute(cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      return 4;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return limit_watch().limits().per_cta;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return limit_watch().limits().per_multiprocessor;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return limit_watch().limits().reserved;
    default:
      return 1 << 17;
  }
}

/// Whether the answer about shared memory is to be that of another device.
bool is_pretended(cudaDeviceAttr attribute) {
  return limit_watch().pretends() &&
         (attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin || attribute == cudaDevAttrMaxSharedMemoryPerMultiprocessor ||
          attribute == cudaDevAttrReservedSharedMemoryPerBlock);
}

/// Static shared memory of a kernel.
int static_bytes_of(const void* kernel) {
  if (device_is_simulated()) return LimitWatch::simulated_static_bytes;
  cudaFuncAttributes attributes{};
  static_cast<void>(real_function<decltype(cudaFuncGetAttributes)>("cudaFuncGetAttributes")(&attributes, kernel));
  return static_cast<int>(attributes.sharedSizeBytes);
}

bool is_allowed(const void* kernel, cudaFuncAttribute attribute, int value) {
  return attribute != cudaFuncAttributeMaxDynamicSharedMemorySize ||
         limit_watch().allow(kernel, value, static_bytes_of(kernel));
}

cudaError_t launch_simulated(const void* kernel, std::size_t shared, cudaStream_t stream) {
  if (!limit_watch().may_launch(kernel, shared)) return cudaErrorInvalidValue;
  stream_watch().launched(stream);
  return cudaSuccess;
}

}  // namespace

std::int64_t gpusupernodal::test::host_waits() { return waits; }

extern "C" {

HOOK_MAKE(memory, cudaMalloc, (void** p, std::size_t bytes), (p, bytes), UNLESS_CAPTURED(take(p, bytes)))
HOOK_MAKE(memory, cudaHostAlloc, (void** p, std::size_t bytes, unsigned flags), (p, bytes, flags),
          UNLESS_CAPTURED(take(p, bytes)))
HOOK_FREE(cudaFree, void*, p)
HOOK_FREE(cudaFreeHost, void*, p)
HOOK_MAKE(create, cudaStreamCreateWithPriority, (cudaStream_t * s, unsigned flags, int priority), (s, flags, priority),
          make_handle(s))
HOOK_MAKE(create, cudaEventCreateWithFlags, (cudaEvent_t * e, unsigned flags), (e, flags), make_handle(e))
HOOK_FREE(cudaStreamDestroy, cudaStream_t, s)
HOOK_FREE(cudaEventDestroy, cudaEvent_t, e)

HOOK_NOTING(++waits, copy, cudaMemcpy, (void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind),
            (to, from, bytes, kind), NEVER_CAPTURED(move(to, from, bytes, kind)))
HOOK(copy, cudaMemcpyAsync, (void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream),
     (to, from, bytes, kind, stream), move(to, from, bytes, kind))
HOOK_NOTING(++waits, copy, cudaMemcpy2D,
            (void* to, std::size_t ld_to, const void* from, std::size_t ld_from, std::size_t width, std::size_t columns,
             cudaMemcpyKind kind),
            (to, ld_to, from, ld_from, width, columns, kind),
            NEVER_CAPTURED(move_matrix(to, ld_to, from, ld_from, width, columns)))
HOOK(copy, cudaMemcpy2DAsync,
     (void* to, std::size_t ld_to, const void* from, std::size_t ld_from, std::size_t width, std::size_t columns,
      cudaMemcpyKind kind, cudaStream_t stream),
     (to, ld_to, from, ld_from, width, columns, kind, stream), move_matrix(to, ld_to, from, ld_from, width, columns))
HOOK(copy, cudaMemset, (void* to, int value, std::size_t bytes), (to, value, bytes),
     (std::memset(to, value, bytes), cudaSuccess))
HOOK(copy, cudaMemsetAsync, (void* to, int value, std::size_t bytes, cudaStream_t stream), (to, value, bytes, stream),
     (std::memset(to, value, bytes), cudaSuccess))

HOOK_NOTING(over = over == e ? nullptr : over.load(), order, cudaEventRecord, (cudaEvent_t e, cudaStream_t s), (e, s),
            (capture_watch().recorded(e, s), stream_watch().recorded(e, s), cudaSuccess))
HOOK(order, cudaStreamWaitEvent, (cudaStream_t s, cudaEvent_t e, unsigned flags), (s, e, flags),
     (capture_watch().waits(s, e), stream_watch().waits(s, e), cudaSuccess))
HOOK_NOTING(++waits, order, cudaStreamSynchronize, (cudaStream_t s), (s),
            capture_watch().captures(s) ? invalidate_capture() : (stream_watch().settled(s), cudaSuccess))
HOOK_NOTING(waits += over != e, order, cudaEventSynchronize, (cudaEvent_t e), (e),
            UNLESS_CAPTURED(capture_watch().has(e) ? cudaErrorCapturedEvent : cudaSuccess))
HOOK_NOTING(++waits, order, cudaDeviceSynchronize, (), (), NEVER_CAPTURED((stream_watch().all_settled(), cudaSuccess)))

HOOK(query, cudaEventElapsedTime, (float* ms, cudaEvent_t from, cudaEvent_t to), (ms, from, to), (*ms = 0.0F, cudaSuccess))
cudaError_t cudaEventQuery(cudaEvent_t e) {
  cudaError_t code = refused(CudaCall::query);
  if (code == cudaSuccess && device_is_simulated())
    code = UNLESS_CAPTURED(capture_watch().has(e) ? cudaErrorCapturedEvent : cudaSuccess);
  if (code == cudaSuccess && !device_is_simulated()) code = real_function<decltype(cudaEventQuery)>("cudaEventQuery")(e);
  if (code == cudaSuccess) over = e;
  return code;
}
HOOK(query, cudaStreamIsCapturing, (cudaStream_t s, cudaStreamCaptureStatus* status), (s, status),
     (*status = capture_status(s), cudaSuccess))

// Graphs.
cudaError_t cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode mode) {
  cudaError_t code = refused_of_graph(CudaCall::order);
  if (code == cudaSuccess && !device_is_simulated())
    code = real_function<decltype(cudaStreamBeginCapture)>("cudaStreamBeginCapture")(s, mode);
  if (code != cudaSuccess) return code;
  stream_watch().recording(true);
  capture_watch().begin(s);
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t* graph) {
  cudaError_t code = refused(CudaCall::order);
  if (code != cudaSuccess) return code;
  stream_watch().recording(false);
  capture_watch().end_begins();
  capture_watch().end();
  if (!device_is_simulated()) return made(real_function<decltype(cudaStreamEndCapture)>("cudaStreamEndCapture")(s, graph));
  *graph = nullptr;
  return capture_watch().is_invalidated() ? left_unread(cudaErrorStreamCaptureInvalidated) : made(make_handle(graph));
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  const cudaError_t code = refused(CudaCall::query);
  if (code != cudaSuccess) return code;
  if (!device_is_simulated())
    return real_function<decltype(cudaThreadExchangeStreamCaptureMode)>("cudaThreadExchangeStreamCaptureMode")(mode);
  const bool was = capture_watch().relax(*mode == cudaStreamCaptureModeRelaxed);
  *mode = was ? cudaStreamCaptureModeRelaxed : cudaStreamCaptureModeGlobal;
  return cudaSuccess;
}
HOOK_MAKE(graph, cudaGraphInstantiate, (cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags),
          (exec, graph, flags), make_handle(exec))
#include "capture_info.inc"  // CMake selects cuda_12/ or cuda_13/: the call differs.
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
  const cudaError_t code = refused_of_graph(CudaCall::order);
  if (code != cudaSuccess || device_is_simulated()) return code;
  return real_function<decltype(cudaGraphExecKernelNodeSetParams)>("cudaGraphExecKernelNodeSetParams")(exec, node,
                                                                                                       parameters);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  const cudaError_t code = refused_of_graph(CudaCall::launch);
  if (code != cudaSuccess) return code;
  if (!device_is_simulated()) return real_function<decltype(cudaGraphLaunch)>("cudaGraphLaunch")(exec, stream);
  stream_watch().launched(stream);
  return cudaSuccess;
}
HOOK_FREE(cudaGraphDestroy, cudaGraph_t, graph)
HOOK_FREE(cudaGraphExecDestroy, cudaGraphExec_t, exec)

HOOK(query, cudaDriverGetVersion, (int* version), (version), set(version, CUDART_VERSION))
HOOK(query, cudaGetDeviceCount, (int* count), (count), set(count, simulated_devices()))
HOOK(query, cudaGetDevice, (int* device), (device), set(device, 0))
HOOK(query, cudaSetDevice, (int device), (device), cudaSuccess)
HOOK(query, cudaDeviceCanAccessPeer, (int* can, int device, int other), (can, device, other),
     set(can, simulated_peer_access() ? 1 : 0))
HOOK(query, cudaDeviceEnablePeerAccess, (int other, unsigned flags), (other, flags), cudaSuccess)
HOOK(query, cudaGetDeviceProperties, (cudaDeviceProp * p, int device), (p, device), describe(p))
HOOK(query, cudaMemGetInfo, (std::size_t * free, std::size_t* total), (free, total),
     (*free = simulated_free_memory(), *total = std::size_t{1} << 34, cudaSuccess))
HOOK(query, cudaDeviceGetStreamPriorityRange, (int* lowest, int* highest), (lowest, highest),
     (set(lowest, 0), set(highest, -5)))
HOOK_NOTING(kernel_watch().loaded(kernel), query, cudaFuncGetAttributes,
            (cudaFuncAttributes * attributes, const void* kernel), (attributes, kernel), (describe_kernel(attributes)))
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  const cudaError_t code = refused(CudaCall::query);
  if (code != cudaSuccess) return code;
  if (device_is_simulated() || is_pretended(attribute)) return set(value, simulated_attribute(attribute));
  return real_function<decltype(cudaDeviceGetAttribute)>("cudaDeviceGetAttribute")(value, attribute, device);
}
HOOK(query, cudaOccupancyMaxActiveBlocksPerMultiprocessor,
     (int* blocks, const void* kernel, int threads, std::size_t shared), (blocks, kernel, threads, shared), (set(blocks, 2)))
HOOK(query, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
     (int* blocks, const void* kernel, int threads, std::size_t shared, unsigned flags),
     (blocks, kernel, threads, shared, flags), (set(blocks, 2)))
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  const cudaError_t code = refused(CudaCall::query);
  if (code != cudaSuccess) return code;
  if (!is_allowed(kernel, attribute, value)) return left_unread(cudaErrorInvalidValue);
  if (device_is_simulated()) return cudaSuccess;
  return real_function<decltype(cudaFuncSetAttribute)>("cudaFuncSetAttribute")(kernel, attribute, value);
}

cudaError_t cudaGetLastError() {
  const cudaError_t code = last_error();
  const cudaError_t real =
      device_is_simulated() ? cudaSuccess : real_function<decltype(cudaGetLastError)>("cudaGetLastError")();
  return code != cudaSuccess ? code : real;
}

// Launches: code compiled by nvcc 13 calls the first two functions, code of earlier versions the third. Each launch in
// the code asks once for the kernel that belongs to a function.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function);
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
  if (device_is_simulated()) return cudaSuccess;
  const cudaError_t code = real_function<decltype(__cudaGetKernel)>("__cudaGetKernel")(kernel, function);
  kernel_watch().stands_for(*kernel, function);
  return code;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                               cudaStream_t stream);
HOOK_NOTING(kernel_watch().launched(kernel), launch, __cudaLaunchKernel,
            (cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared, cudaStream_t stream),
            (kernel, grid, block, arguments, shared, stream), launch_simulated(kernel, shared, stream))
HOOK_NOTING(kernel_watch().launched(kernel), launch, cudaLaunchKernel,
            (const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared, cudaStream_t stream),
            (kernel, grid, block, arguments, shared, stream), launch_simulated(kernel, shared, stream))
HOOK_NOTING(kernel_watch().launched(kernel), launch, cudaLaunchKernelExC,
            (const cudaLaunchConfig_t* config, const void* kernel, void** arguments), (config, kernel, arguments),
            launch_simulated(kernel, config->dynamicSmemBytes, config->stream))
}

#undef HOOK
#undef HOOK_NOTING
#undef HOOK_MAKE
#undef HOOK_FREE
