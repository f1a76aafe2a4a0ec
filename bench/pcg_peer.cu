#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusparse.h>

#include <stdexcept>
#include <string>

#include "bench/pcg_peer.hpp"
#include "bench/timing.hpp"

namespace gpusupernodal::bench {
namespace {

void check(bool good, const char* what) {
  if (!good) throw std::runtime_error(std::string(what) + " failed");
}

template <class T>
T* upload(const std::vector<T>& host) {
  void* device = nullptr;
  check(cudaMalloc(&device, host.size() * sizeof(T) + 8) == cudaSuccess, "cudaMalloc");
  check(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice) == cudaSuccess, "cudaMemcpy");
  return static_cast<T*>(device);
}

struct Scalars {
  double rho, pq, rz, rr, alpha, minus_alpha, beta, one, zero;
};

__global__ void alpha_kernel(Scalars* s) {
  s->alpha = s->rho / s->pq;
  s->minus_alpha = -s->alpha;
}
__global__ void beta_kernel(Scalars* s) {
  s->beta = s->rz / s->rho;
  s->rho = s->rz;
}

std::vector<double> inverse_diagonal(const PeerMatrix& a) {
  std::vector<double> inverse(static_cast<std::size_t>(a.n));
  for (std::int32_t i = 0; i < a.n; ++i) {
    for (std::int32_t e = a.offsets[i]; e < a.offsets[i + 1]; ++e) {
      if (a.columns[e] == i) inverse[i] = 1.0 / a.values[e];
    }
  }
  return inverse;
}

}  // namespace

/// Memory is freed by the end of the process.
double peer_microseconds(const PeerMatrix& a, const std::vector<double>& b, int iterations, int repeat) {
  cudaStream_t stream;
  check(cudaStreamCreate(&stream) == cudaSuccess, "cudaStreamCreate");
  cublasHandle_t blas;
  cusparseHandle_t sparse;
  check(cublasCreate(&blas) == CUBLAS_STATUS_SUCCESS && cusparseCreate(&sparse) == CUSPARSE_STATUS_SUCCESS, "handles");
  cublasSetStream(blas, stream);
  cusparseSetStream(sparse, stream);
  cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE);
  cusparseSetPointerMode(sparse, CUSPARSE_POINTER_MODE_DEVICE);
  const std::vector<double> zero(b.size(), 0.0);
  double *x = upload(zero), *r = upload(b), *z = upload(zero), *p = upload(b), *q = upload(zero);
  double* inverse = upload(inverse_diagonal(a));
  Scalars first{1, 1, 1, 1, 1, -1, 0, 1, 0};
  Scalars* s = upload(std::vector<Scalars>{first});
  cusparseSpMatDescr_t matrix;
  cusparseDnVecDescr_t in, out;
  cusparseCreateCsr(&matrix, a.n, a.n, static_cast<std::int64_t>(a.values.size()), upload(a.offsets), upload(a.columns),
                    upload(a.values), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
  cusparseCreateDnVec(&in, a.n, p, CUDA_R_64F);
  cusparseCreateDnVec(&out, a.n, q, CUDA_R_64F);
  const auto algorithm = CUSPARSE_SPMV_CSR_ALG2;
  std::size_t bytes = 0;
  check(cusparseSpMV_bufferSize(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &s->one, matrix, in, &s->zero, out, CUDA_R_64F,
                                algorithm, &bytes) == CUSPARSE_STATUS_SUCCESS,
        "cusparseSpMV_bufferSize");
  void* buffer = nullptr;
  check(cudaMalloc(&buffer, bytes + 8) == cudaSuccess, "cudaMalloc");
  check(cusparseSpMV_preprocess(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &s->one, matrix, in, &s->zero, out, CUDA_R_64F,
                                algorithm, buffer) == CUSPARSE_STATUS_SUCCESS,
        "cusparseSpMV_preprocess");
  const auto iterate = [&] {
    cusparseSpMV(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &s->one, matrix, in, &s->zero, out, CUDA_R_64F, algorithm,
                 buffer);
    cublasDdot(blas, a.n, p, 1, q, 1, &s->pq);
    alpha_kernel<<<1, 1, 0, stream>>>(s);
    cublasDaxpy(blas, a.n, &s->alpha, p, 1, x, 1);
    cublasDaxpy(blas, a.n, &s->minus_alpha, q, 1, r, 1);
    cublasDdgmm(blas, CUBLAS_SIDE_LEFT, a.n, 1, r, a.n, inverse, 1, z, a.n);
    cublasDdot(blas, a.n, r, 1, z, 1, &s->rz);
    cublasDdot(blas, a.n, r, 1, r, 1, &s->rr);
    beta_kernel<<<1, 1, 0, stream>>>(s);
    cublasDscal(blas, a.n, &s->beta, p, 1);
    cublasDaxpy(blas, a.n, &s->one, z, 1, p, 1);
  };
  iterate();  // Libraries load their kernels.
  check(cudaStreamSynchronize(stream) == cudaSuccess, "an iteration");
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess, "cudaStreamBeginCapture");
  constexpr int captured = 10;
  for (int k = 0; k < captured; ++k) iterate();
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  check(cudaStreamEndCapture(stream, &graph) == cudaSuccess && cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess,
        "capture");
  const auto run = [&] {
    for (int k = 0; k < iterations / captured; ++k) cudaGraphLaunch(exec, stream);
    check(cudaStreamSynchronize(stream) == cudaSuccess, "the iterations");
  };
  run();
  std::vector<double> seconds;
  for (int k = 0; k < repeat; ++k) seconds.push_back(seconds_of(run));
  return median(seconds) / (iterations / captured * captured) * 1e6;
}

}  // namespace gpusupernodal::bench
