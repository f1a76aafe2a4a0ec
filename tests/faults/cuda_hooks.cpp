#include "tests/faults/cuda_hooks.hpp"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusolverDn.h>
#include <dlfcn.h>

#include <utility>

#include "tests/faults/kernel_watch.hpp"
#include "tests/faults/simulated_device.hpp"
#include "tests/faults/stream_watch.hpp"

namespace gpusupernodal::test {
namespace {

constinit std::array<Injection, all_cuda_calls.size()> injections;
constinit Injection loss;
constinit std::atomic<bool> lost{false};
constinit std::atomic<std::int64_t> objects{0};
constinit std::atomic<std::int64_t> waits{0};
constinit std::atomic<cudaEvent_t> over{nullptr};  ///< The event that was last found to have happened.
thread_local cudaError_t unread = cudaSuccess;

template <class Function>
Function* real_function(const char* name) {
  void* const address = dlsym(RTLD_NEXT, name);
  return reinterpret_cast<Function*>(address);
}

cudaError_t error_of(CudaCall call) {
  switch (call) {
    case CudaCall::memory:
    case CudaCall::graph:
      return cudaErrorMemoryAllocation;
    case CudaCall::copy:
      return cudaErrorInvalidValue;
    case CudaCall::launch:
      return cudaErrorLaunchOutOfResources;
    default:
      return cudaErrorUnknown;
  }
}

/// The error that a call of this kind has to return, or cudaSuccess.
cudaError_t refused(CudaCall call) {
  const bool this_one = cuda_faults(call).fails();
  const bool of_all = cuda_faults(CudaCall::any).fails();
  if (loss.fails()) lost = true;
  if (lost) return unread = cudaErrorLaunchFailure;
  return this_one || of_all ? (unread = error_of(call)) : cudaSuccess;
}

cudaError_t made(cudaError_t code) {
  if (code == cudaSuccess) ++objects;
  return code;
}

/// What gives back does so even where it has to report the loss of the device.
cudaError_t given_back(cudaError_t code) {
  --objects;
  return lost ? (unread = cudaErrorLaunchFailure) : code;
}

}  // namespace

StreamWatch& stream_watch() {
  static constinit StreamWatch watch;
  return watch;
}

KernelWatch& kernel_watch() {
  static constinit KernelWatch watch;
  return watch;
}

const char* name_of(CudaCall call) {
  constexpr std::array<const char*, all_cuda_calls.size()> names{"memory", "copy",  "launch",  "create", "order",
                                                                 "query",  "graph", "library", "any"};
  return names[static_cast<std::size_t>(call)];
}
Injection& cuda_faults(CudaCall call) { return injections[static_cast<std::size_t>(call)]; }
Injection& device_loss() { return loss; }
bool device_is_lost() { return lost; }
void revive_device() {
  lost = false;
  unread = cudaSuccess;
}
std::int64_t cuda_objects() { return objects; }
std::size_t& simulated_free_memory() {
  static std::size_t bytes = std::size_t{1} << 34;
  return bytes;
}
std::int64_t host_waits() { return waits; }

bool device_is_simulated() {
  static const bool simulated = [] {
    int count = 0;
    const auto ask = real_function<decltype(cudaGetDeviceCount)>("cudaGetDeviceCount");
    return ask(&count) != cudaSuccess || count == 0;
  }();
  return simulated;
}

}  // namespace gpusupernodal::test

using namespace gpusupernodal::test;

#define NAME_OF(name) #name
/// A function of the runtime that may fail, and what the simulated device does in its place.
#define HOOK(kind, name, parameters, arguments, simulated)                                               \
  cudaError_t name parameters {                                                                          \
    const cudaError_t code = refused(CudaCall::kind);                                                    \
    if (code != cudaSuccess) return code;                                                                \
    return device_is_simulated() ? (simulated) : real_function<decltype(name)>(NAME_OF(name)) arguments; \
  }
/// One that leaves a note first.
#define HOOK_NOTING(note, kind, name, parameters, arguments, simulated)                                  \
  cudaError_t name parameters {                                                                          \
    note;                                                                                                \
    const cudaError_t code = refused(CudaCall::kind);                                                    \
    if (code != cudaSuccess) return code;                                                                \
    return device_is_simulated() ? (simulated) : real_function<decltype(name)>(NAME_OF(name)) arguments; \
  }
/// One that makes something.
#define HOOK_MAKE(kind, name, parameters, arguments, simulated)                                                \
  cudaError_t name parameters {                                                                                \
    const cudaError_t code = refused(CudaCall::kind);                                                          \
    if (code != cudaSuccess) return code;                                                                      \
    return made(device_is_simulated() ? (simulated) : real_function<decltype(name)>(NAME_OF(name)) arguments); \
  }
/// One that gives something back, which only the loss of the device keeps from saying that it did.
#define HOOK_FREE(name, type, object)                                                                       \
  cudaError_t name(type object) {                                                                           \
    if (object == nullptr) return cudaSuccess;                                                              \
    if (!device_is_simulated()) return given_back(real_function<decltype(name)>(NAME_OF(name))(object));    \
    if (std::is_same_v<type, cudaStream_t>) stream_watch().settled(reinterpret_cast<cudaStream_t>(object)); \
    __real_free(object);                                                                                    \
    return given_back(cudaSuccess);                                                                         \
  }

extern "C" {

HOOK_MAKE(memory, cudaMalloc, (void** p, std::size_t bytes), (p, bytes), take(p, bytes))
HOOK_MAKE(memory, cudaHostAlloc, (void** p, std::size_t bytes, unsigned flags), (p, bytes, flags), take(p, bytes))
HOOK_FREE(cudaFree, void*, p)
HOOK_FREE(cudaFreeHost, void*, p)
HOOK_MAKE(create, cudaStreamCreateWithPriority, (cudaStream_t * s, unsigned flags, int priority), (s, flags, priority),
          make_handle(s))
HOOK_MAKE(create, cudaEventCreateWithFlags, (cudaEvent_t * e, unsigned flags), (e, flags), make_handle(e))
HOOK_FREE(cudaStreamDestroy, cudaStream_t, s)
HOOK_FREE(cudaEventDestroy, cudaEvent_t, e)

HOOK_NOTING(++waits, copy, cudaMemcpy, (void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind),
            (to, from, bytes, kind), move(to, from, bytes, kind))
HOOK(copy, cudaMemcpyAsync, (void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream),
     (to, from, bytes, kind, stream), move(to, from, bytes, kind))
HOOK(copy, cudaMemcpy2DAsync,
     (void* to, std::size_t ld_to, const void* from, std::size_t ld_from, std::size_t width, std::size_t columns,
      cudaMemcpyKind kind, cudaStream_t stream),
     (to, ld_to, from, ld_from, width, columns, kind, stream), move_matrix(to, ld_to, from, ld_from, width, columns))
HOOK(copy, cudaMemset, (void* to, int value, std::size_t bytes), (to, value, bytes),
     (std::memset(to, value, bytes), cudaSuccess))
HOOK(copy, cudaMemsetAsync, (void* to, int value, std::size_t bytes, cudaStream_t stream), (to, value, bytes, stream),
     (std::memset(to, value, bytes), cudaSuccess))

HOOK_NOTING(over = over == e ? nullptr : over.load(), order, cudaEventRecord, (cudaEvent_t e, cudaStream_t s), (e, s),
            cudaSuccess)
HOOK(order, cudaStreamWaitEvent, (cudaStream_t s, cudaEvent_t e, unsigned flags), (s, e, flags), cudaSuccess)
HOOK_NOTING(++waits, order, cudaStreamSynchronize, (cudaStream_t s), (s), (stream_watch().settled(s), cudaSuccess))
HOOK_NOTING(waits += over != e, order, cudaEventSynchronize, (cudaEvent_t e), (e), cudaSuccess)
HOOK_NOTING(++waits, order, cudaDeviceSynchronize, (), (), (stream_watch().all_settled(), cudaSuccess))

HOOK(query, cudaEventElapsedTime, (float* ms, cudaEvent_t from, cudaEvent_t to), (ms, from, to), (*ms = 0.0F, cudaSuccess))
cudaError_t cudaEventQuery(cudaEvent_t e) {
  cudaError_t code = refused(CudaCall::query);
  if (code == cudaSuccess && !device_is_simulated()) code = real_function<decltype(cudaEventQuery)>("cudaEventQuery")(e);
  if (code == cudaSuccess) over = e;
  return code;
}
HOOK(query, cudaStreamIsCapturing, (cudaStream_t s, cudaStreamCaptureStatus* status), (s, status),
     (*status = cudaStreamCaptureStatusNone, cudaSuccess))

// Graphs.
HOOK(order, cudaStreamBeginCapture, (cudaStream_t s, cudaStreamCaptureMode mode), (s, mode),
     (stream_watch().recording(true), cudaSuccess))
HOOK_MAKE(order, cudaStreamEndCapture, (cudaStream_t s, cudaGraph_t* graph), (s, graph),
          (stream_watch().recording(false), make_handle(graph)))
HOOK_MAKE(graph, cudaGraphInstantiate, (cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags),
          (exec, graph, flags), make_handle(exec))
#include "capture_info.inc"  // From cuda_12/ or cuda_13/, as CMake says: the call differs.
HOOK(order, cudaGraphExecKernelNodeSetParams,
     (cudaGraphExec_t exec, cudaGraphNode_t node, const cudaKernelNodeParams* parameters), (exec, node, parameters),
     cudaSuccess)
HOOK(launch, cudaGraphLaunch, (cudaGraphExec_t exec, cudaStream_t stream), (exec, stream),
     (stream_watch().launched(stream), cudaSuccess))
HOOK_FREE(cudaGraphDestroy, cudaGraph_t, graph)
HOOK_FREE(cudaGraphExecDestroy, cudaGraphExec_t, exec)

HOOK(query, cudaDriverGetVersion, (int* version), (version), set(version, CUDART_VERSION))
HOOK(query, cudaGetDeviceCount, (int* count), (count), set(count, 1))
HOOK(query, cudaGetDevice, (int* device), (device), set(device, 0))
HOOK(query, cudaSetDevice, (int device), (device), cudaSuccess)
HOOK(query, cudaGetDeviceProperties, (cudaDeviceProp * p, int device), (p, device), describe(p))
HOOK(query, cudaMemGetInfo, (std::size_t * free, std::size_t* total), (free, total),
     (*free = simulated_free_memory(), *total = std::size_t{1} << 34, cudaSuccess))
HOOK(query, cudaDeviceGetStreamPriorityRange, (int* lowest, int* highest), (lowest, highest),
     (set(lowest, 0), set(highest, -5)))
HOOK_NOTING(kernel_watch().loaded(kernel), query, cudaFuncGetAttributes,
            (cudaFuncAttributes * attributes, const void* kernel), (attributes, kernel), (set(&attributes->ptxVersion, 90)))
HOOK(query, cudaDeviceGetAttribute, (int* value, cudaDeviceAttr attribute, int device), (value, attribute, device),
     (set(value, attribute == cudaDevAttrMultiProcessorCount ? 4 : 1 << 17)))
HOOK(query, cudaOccupancyMaxActiveBlocksPerMultiprocessor,
     (int* blocks, const void* kernel, int threads, std::size_t shared), (blocks, kernel, threads, shared), (set(blocks, 2)))
HOOK(query, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
     (int* blocks, const void* kernel, int threads, std::size_t shared, unsigned flags),
     (blocks, kernel, threads, shared, flags), (set(blocks, 2)))
HOOK(query, cudaFuncSetAttribute, (const void* kernel, cudaFuncAttribute attribute, int value), (kernel, attribute, value),
     cudaSuccess)

cudaError_t cudaGetLastError() {
  const cudaError_t code = std::exchange(unread, lost ? cudaErrorLaunchFailure : cudaSuccess);
  const cudaError_t real =
      device_is_simulated() ? cudaSuccess : real_function<decltype(cudaGetLastError)>("cudaGetLastError")();
  return code != cudaSuccess ? code : real;
}

// Launches: the first two names are called by code that nvcc 13 compiled, the third by that of earlier ones. Each launch in
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
            (kernel, grid, block, arguments, shared, stream), (stream_watch().launched(stream), cudaSuccess))
HOOK_NOTING(kernel_watch().launched(kernel), launch, cudaLaunchKernel,
            (const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared, cudaStream_t stream),
            (kernel, grid, block, arguments, shared, stream), (stream_watch().launched(stream), cudaSuccess))
HOOK_NOTING(kernel_watch().launched(kernel), launch, cudaLaunchKernelExC,
            (const cudaLaunchConfig_t* config, const void* kernel, void** arguments), (config, kernel, arguments),
            (stream_watch().launched(config->stream), cudaSuccess))

// cuBLAS and cuSOLVER: statuses of their own, and their calls are one kind.
#define LIBRARY_HOOK(status, failure, name, parameters, arguments, simulated)                            \
  status name parameters {                                                                               \
    if (refused(CudaCall::library) != cudaSuccess) return failure;                                       \
    return device_is_simulated() ? (simulated) : real_function<decltype(name)>(NAME_OF(name)) arguments; \
  }
#define BLAS_HOOK(name, parameters, arguments) \
  LIBRARY_HOOK(cublasStatus_t, CUBLAS_STATUS_EXECUTION_FAILED, name, parameters, arguments, CUBLAS_STATUS_SUCCESS)
#define SOLVER_HOOK(name, parameters, arguments, simulated) \
  LIBRARY_HOOK(cusolverStatus_t, CUSOLVER_STATUS_INTERNAL_ERROR, name, parameters, arguments, simulated)
#define TYPED_HOOKS(letter, T)                                                                                              \
  BLAS_HOOK(cublas##letter##gemm_v2,                                                                                        \
            (cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const T* alpha, const T* a, \
             int lda, const T* b, int ldb, const T* beta, T* c, int ldc),                                                   \
            (h, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc))                                                      \
  BLAS_HOOK(cublas##letter##syrk_v2,                                                                                        \
            (cublasHandle_t h, cublasFillMode_t part, cublasOperation_t t, int n, int k, const T* alpha, const T* a,        \
             int lda, const T* beta, T* c, int ldc),                                                                        \
            (h, part, t, n, k, alpha, a, lda, beta, c, ldc))                                                                \
  BLAS_HOOK(cublas##letter##trsm_v2,                                                                                        \
            (cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t part, cublasOperation_t t, cublasDiagType_t diag,    \
             int m, int n, const T* alpha, const T* a, int lda, T* b, int ldb),                                             \
            (h, side, part, t, diag, m, n, alpha, a, lda, b, ldb))                                                          \
  SOLVER_HOOK(cusolverDn##letter##potrf_bufferSize,                                                                         \
              (cusolverDnHandle_t h, cublasFillMode_t part, int n, T* a, int lda, int* size), (h, part, n, a, lda, size),   \
              (*size = n, CUSOLVER_STATUS_SUCCESS))                                                                         \
  SOLVER_HOOK(cusolverDn##letter##potrf,                                                                                    \
              (cusolverDnHandle_t h, cublasFillMode_t part, int n, T* a, int lda, T* work, int size, int* info),            \
              (h, part, n, a, lda, work, size, info), CUSOLVER_STATUS_SUCCESS)

TYPED_HOOKS(S, float)
TYPED_HOOKS(D, double)
BLAS_HOOK(cublasSetStream_v2, (cublasHandle_t h, cudaStream_t s), (h, s))
SOLVER_HOOK(cusolverDnSetStream, (cusolverDnHandle_t h, cudaStream_t s), (h, s), CUSOLVER_STATUS_SUCCESS)

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (refused(CudaCall::create) != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED;
  ++objects;
  if (!device_is_simulated()) return real_function<decltype(cublasCreate_v2)>("cublasCreate_v2")(handle);
  make_handle(handle);
  return CUBLAS_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  if (refused(CudaCall::create) != cudaSuccess) return CUSOLVER_STATUS_NOT_INITIALIZED;
  ++objects;
  if (!device_is_simulated()) return real_function<decltype(cusolverDnCreate)>("cusolverDnCreate")(handle);
  make_handle(handle);
  return CUSOLVER_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  --objects;
  if (!device_is_simulated()) return real_function<decltype(cublasDestroy_v2)>("cublasDestroy_v2")(handle);
  __real_free(handle);
  return CUBLAS_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  --objects;
  if (!device_is_simulated()) return real_function<decltype(cusolverDnDestroy)>("cusolverDnDestroy")(handle);
  __real_free(handle);
  return CUSOLVER_STATUS_SUCCESS;
}
}

#undef HOOK
#undef HOOK_NOTING
#undef HOOK_MAKE
#undef HOOK_FREE
