// Includes and calls one function of each library that the CUDA backend links, and has a kernel to compile.
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusolverDn.h>

__global__ void add_one(double* value) { *value += 1; }

bool libraries_start(double* on_device) {
  add_one<<<1, 1>>>(on_device);
  cublasHandle_t blas = nullptr;
  cusolverDnHandle_t solver = nullptr;
  return cudaDeviceSynchronize() == cudaSuccess && cublasCreate(&blas) == CUBLAS_STATUS_SUCCESS &&
         cusolverDnCreate(&solver) == CUSOLVER_STATUS_SUCCESS;
}
