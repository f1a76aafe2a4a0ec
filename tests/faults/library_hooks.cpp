#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusolverDn.h>

#include "tests/faults/hook_macros.hpp"

using namespace gpusupernodal::test;

extern "C" {

// Hooks of cuBLAS and cuSOLVER, which have other status types; all their calls are one kind.
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
  static_cast<void>(made(cudaSuccess));
  if (!device_is_simulated()) return real_function<decltype(cublasCreate_v2)>("cublasCreate_v2")(handle);
  make_handle(handle);
  return CUBLAS_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  if (refused(CudaCall::create) != cudaSuccess) return CUSOLVER_STATUS_NOT_INITIALIZED;
  static_cast<void>(made(cudaSuccess));
  if (!device_is_simulated()) return real_function<decltype(cusolverDnCreate)>("cusolverDnCreate")(handle);
  make_handle(handle);
  return CUSOLVER_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  static_cast<void>(given_back(cudaSuccess));
  if (!device_is_simulated()) return real_function<decltype(cublasDestroy_v2)>("cublasDestroy_v2")(handle);
  __real_free(handle);
  return CUBLAS_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  static_cast<void>(given_back(cudaSuccess));
  if (!device_is_simulated()) return real_function<decltype(cusolverDnDestroy)>("cusolverDnDestroy")(handle);
  __real_free(handle);
  return CUSOLVER_STATUS_SUCCESS;
}
}
