#pragma once

/// \file
/// Residuals of general matrices. Asynchronous on `stream`; pointers are device memory.

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/common/scalar_traits.hpp"

namespace gpusupernodal::cuda {

/// A general matrix, or its transpose, by rows in the caller's numbering: entries offsets[i] … offsets[i+1]−1 of row i are
/// values[source[e]] in column other[e].
struct EntryRows {
  const std::int64_t* offsets = nullptr;
  const std::int32_t* other = nullptr;
  const std::int64_t* source = nullptr;
  bool has_real_diagonal = false;  ///< Imaginary parts on the diagonal are ignored, as the factorization does.
};

/// Columns of vectors, column-major.
template <class T>
struct ResidualVectors {
  const T* b = nullptr;
  std::int64_t ld_b = 0;
  const T* x = nullptr;
  std::int64_t ld_x = 0;
  T* r = nullptr;  ///< Receives b − scale·A x; nullptr: only norms are wanted. May be b.
  std::int64_t ld_r = 0;
  int columns = 0;
};

/// Number of norms of a column: ‖r‖∞, ‖scale·A‖∞, ‖x‖∞, ‖b‖∞.
inline constexpr int norms_per_column = 4;

/// Computes residuals in double precision, in a fixed order of additions, and the norms of each column. `conjugated`: with
/// conj(A), for complex scalars, whose sources are as in assemble(). Bytes: about 28 per entry and four columns.
template <class T>
void general_residual(const EntryRows& a, const T* values, bool conjugated, typename ScalarTraits<T>::Real scale,
                      std::int32_t n, const ResidualVectors<T>& vectors, double* norms, cudaStream_t stream);

/// Loads the kernel onto the current device.
template <class T>
void prepare_general_residual();

}  // namespace gpusupernodal::cuda
