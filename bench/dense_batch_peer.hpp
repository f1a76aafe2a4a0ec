#pragma once

/// \file
/// Batches of full matrices by cuBLAS (LU with partial pivoting) and cuSOLVER (Cholesky), for comparison.

#include <cublas_v2.h>
#include <cusolverDn.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "bench/device_array.hpp"

namespace gpusupernodal::bench {

/// Systems with n×n matrices in device memory, one after another, and one right-hand side each. Both calls overwrite their
/// input, so each first copies it; the copies are timed too, as a library that keeps its input makes them.
class DenseBatchPeer {
 public:
  DenseBatchPeer(const std::vector<double>& values, std::int64_t n, std::int64_t count)
      : n_(static_cast<int>(n)), count_(static_cast<int>(count)), entries_(n * n), original_(values, MemorySpace::device) {
    require(cublasCreate(&cublas_) == CUBLAS_STATUS_SUCCESS && cusolverDnCreate(&cusolver_) == CUSOLVER_STATUS_SUCCESS);
    const auto all = static_cast<std::size_t>(entries_ * count);
    matrices_ = take<double>(all);
    vectors_ = take<double>(static_cast<std::size_t>(n * count));
    pivots_ = take<int>(static_cast<std::size_t>(n * count));
    info_ = take<int>(static_cast<std::size_t>(count));
    matrix_list_ = addresses(matrices_, entries_);
    vector_list_ = addresses(vectors_, n);
  }
  DenseBatchPeer(const DenseBatchPeer&) = delete;
  DenseBatchPeer& operator=(const DenseBatchPeer&) = delete;
  ~DenseBatchPeer() {
    for (void* const memory : taken_) cudaFree(memory);
    cublasDestroy(cublas_);
    cusolverDnDestroy(cusolver_);
  }

  void factorize(bool by_cholesky) {
    cudaMemcpyAsync(matrices_, original_.data(),
                    sizeof(double) * static_cast<std::size_t>(entries_) * static_cast<std::size_t>(count_),
                    cudaMemcpyDeviceToDevice, nullptr);
    if (by_cholesky) {
      require(cusolverDnDpotrfBatched(cusolver_, CUBLAS_FILL_MODE_LOWER, n_, matrix_list_, n_, info_, count_) ==
              CUSOLVER_STATUS_SUCCESS);
    } else {
      require(cublasDgetrfBatched(cublas_, n_, matrix_list_, n_, pivots_, info_, count_) == CUBLAS_STATUS_SUCCESS);
    }
  }
  void solve(bool by_cholesky, const double* b) {
    cudaMemcpyAsync(vectors_, b, sizeof(double) * static_cast<std::size_t>(n_) * static_cast<std::size_t>(count_),
                    cudaMemcpyDeviceToDevice, nullptr);
    if (by_cholesky) {
      require(cusolverDnDpotrsBatched(cusolver_, CUBLAS_FILL_MODE_LOWER, n_, 1, matrix_list_, n_, vector_list_, n_, info_,
                                      count_) == CUSOLVER_STATUS_SUCCESS);
    } else {
      int info = 0;
      require(cublasDgetrsBatched(cublas_, CUBLAS_OP_N, n_, 1, matrix_list_, n_, pivots_, vector_list_, n_, &info, count_) ==
              CUBLAS_STATUS_SUCCESS);
    }
  }

 private:
  static void require(bool good) {
    if (!good) throw std::runtime_error("a call of cuBLAS or cuSOLVER failed");
  }
  template <class Element>
  Element* take(std::size_t elements) {
    void* memory = nullptr;
    require(cudaMalloc(&memory, elements * sizeof(Element)) == cudaSuccess);
    taken_.push_back(memory);
    return static_cast<Element*>(memory);
  }
  double** addresses(double* first, std::int64_t step) {
    std::vector<double*> host;
    for (int s = 0; s < count_; ++s) host.push_back(first + s * step);
    auto* const list = take<double*>(host.size());
    require(cudaMemcpy(list, host.data(), host.size() * sizeof(double*), cudaMemcpyHostToDevice) == cudaSuccess);
    return list;
  }

  int n_;
  int count_;
  std::int64_t entries_;
  Array<double> original_;
  cublasHandle_t cublas_ = nullptr;
  cusolverDnHandle_t cusolver_ = nullptr;
  double* matrices_ = nullptr;
  double* vectors_ = nullptr;
  int* pivots_ = nullptr;
  int* info_ = nullptr;
  double** matrix_list_ = nullptr;
  double** vector_list_ = nullptr;
  std::vector<void*> taken_;
};

}  // namespace gpusupernodal::bench
