#pragma once

/// \file
/// cuBLAS and cuSOLVER for one stream: the dense block operations of the block tasks.

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusolverDn.h>

#include <cstdint>
#include <memory>
#include <type_traits>

#include "gpusupernodal/build_config.hpp"

namespace gpusupernodal::cuda {

/// Library handles bound to a stream. Matrices are column-major in device memory. Each call is asynchronous and throws
/// DeviceError if the library refuses it. The libraries allocate the handles' internal workspaces (cuBLAS: 32 MiB on
/// Hopper).
template <class T>
class DenseLibrary {
 public:
  explicit DenseLibrary(cudaStream_t stream);

  /// Returns the number of workspace elements that factor() needs for blocks of up to n columns.
  int factor_workspace(int n) const;
  /// Computes the lower Cholesky factor of the n×n block a in place; sets *info as LAPACK's potrf does. `workspace` has
  /// factor_workspace(n) elements.
  void factor(int n, T* a, std::int64_t lda, T* workspace, int* info) const;
  /// Computes b (m×n) := b · l⁻ᵀ.
  void solve_below(int m, int n, const T* l, std::int64_t ldl, T* b, std::int64_t ldb) const;
  /// Computes c (m×n) := alpha · a (m×k) · b (n×k)ᵀ + beta · c.
  void product(int m, int n, int k, T alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb, T beta, T* c,
               std::int64_t ldc) const;
  /// Computes the lower triangle of c (n×n) := alpha · a (n×k) · aᵀ + beta · c.
  void product_lower(int n, int k, T alpha, const T* a, std::int64_t lda, T beta, T* c, std::int64_t ldc) const;

 private:
  struct DestroyBlas {
    void operator()(cublasHandle_t handle) const { static_cast<void>(cublasDestroy(handle)); }
  };
  struct DestroySolver {
    void operator()(cusolverDnHandle_t handle) const { static_cast<void>(cusolverDnDestroy(handle)); }
  };
  // Separate owners: if the second handle cannot be created, the first is destroyed.
  std::unique_ptr<std::remove_pointer_t<cublasHandle_t>, DestroyBlas> blas_;
  std::unique_ptr<std::remove_pointer_t<cusolverDnHandle_t>, DestroySolver> solver_;
};

#define INSTANTIATE(T) extern template class DenseLibrary<T>;
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
