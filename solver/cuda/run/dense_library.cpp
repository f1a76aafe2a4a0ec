#include "solver/cuda/run/dense_library.hpp"

#include <string>

#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"

namespace gpusupernodal::cuda {
namespace {

void check_blas(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  if (status == CUBLAS_STATUS_ALLOC_FAILED) {
    throw OutOfMemory(std::string(call) + " failed: not enough device memory", __FILE__, __LINE__, -1, -1);
  }
  throw DeviceError(std::string(call) + " failed: " + cublasGetStatusString(status), __FILE__, __LINE__);
}

void check_solver(cusolverStatus_t status, const char* call) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  if (status == CUSOLVER_STATUS_ALLOC_FAILED) {
    throw OutOfMemory(std::string(call) + " failed: not enough device memory", __FILE__, __LINE__, -1, -1);
  }
  throw DeviceError(std::string(call) + " failed: cuSOLVER status " + std::to_string(static_cast<int>(status)), __FILE__,
                    __LINE__);
}

// One overloaded name per pair of the libraries' typed functions.
constexpr auto potrf_size(float) { return &cusolverDnSpotrf_bufferSize; }
constexpr auto potrf_size(double) { return &cusolverDnDpotrf_bufferSize; }
constexpr auto potrf(float) { return &cusolverDnSpotrf; }
constexpr auto potrf(double) { return &cusolverDnDpotrf; }
constexpr auto trsm(float) { return &cublasStrsm; }
constexpr auto trsm(double) { return &cublasDtrsm; }
constexpr auto gemm(float) { return &cublasSgemm; }
constexpr auto gemm(double) { return &cublasDgemm; }
constexpr auto syrk(float) { return &cublasSsyrk; }
constexpr auto syrk(double) { return &cublasDsyrk; }

}  // namespace

template <class T>
DenseLibrary<T>::DenseLibrary(cudaStream_t stream) {
  cublasHandle_t blas = nullptr;
  check_blas(cublasCreate(&blas), "cublasCreate");
  blas_.reset(blas);
  check_blas(cublasSetStream(blas, stream), "cublasSetStream");
  cusolverDnHandle_t solver = nullptr;
  check_solver(cusolverDnCreate(&solver), "cusolverDnCreate");
  solver_.reset(solver);
  check_solver(cusolverDnSetStream(solver, stream), "cusolverDnSetStream");
}

template <class T>
int DenseLibrary<T>::factor_workspace(int n) const {
  int elements = 0;
  T* const unused = nullptr;
  check_solver(potrf_size(T())(solver_.get(), CUBLAS_FILL_MODE_LOWER, n, unused, n, &elements),
               "cusolverDnXpotrf_bufferSize");
  return elements;
}

template <class T>
void DenseLibrary<T>::factor(int n, T* a, std::int64_t lda, T* workspace, int* info) const {
  check_solver(
      potrf(T())(solver_.get(), CUBLAS_FILL_MODE_LOWER, n, a, static_cast<int>(lda), workspace, factor_workspace(n), info),
      "cusolverDnXpotrf");
}

template <class T>
void DenseLibrary<T>::solve_below(int m, int n, const T* l, std::int64_t ldl, T* b, std::int64_t ldb) const {
  const T one(1);
  check_blas(trsm(T())(blas_.get(), CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, m, n, &one,
                       l, static_cast<int>(ldl), b, static_cast<int>(ldb)),
             "cublasXtrsm");
}

template <class T>
void DenseLibrary<T>::product(int m, int n, int k, T alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
                              T beta, T* c, std::int64_t ldc) const {
  check_blas(gemm(T())(blas_.get(), CUBLAS_OP_N, CUBLAS_OP_T, m, n, k, &alpha, a, static_cast<int>(lda), b,
                       static_cast<int>(ldb), &beta, c, static_cast<int>(ldc)),
             "cublasXgemm");
}

template <class T>
void DenseLibrary<T>::product_lower(int n, int k, T alpha, const T* a, std::int64_t lda, T beta, T* c,
                                    std::int64_t ldc) const {
  check_blas(syrk(T())(blas_.get(), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, k, &alpha, a, static_cast<int>(lda), &beta, c,
                       static_cast<int>(ldc)),
             "cublasXsyrk");
}

#define INSTANTIATE(T) template class DenseLibrary<T>;
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
