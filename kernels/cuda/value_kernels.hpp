#pragma once

/// \file
/// Launches around a factorization: copying A's entries into the panels, and inspecting the outcome. All are
/// asynchronous on `stream`; pointers are device memory.

#include <cuda_runtime_api.h>

#include "kernels/common/records.hpp"
#include "kernels/common/scalar_traits.hpp"

namespace gpusupernodal::cuda {

/// What reset_status sets.
struct ResetArguments {
  DeviceStatus* status = nullptr;
  const void* values = nullptr;  ///< Values of A, in the factor's scalar type.
  double scale = 1.0;
  void* zeroed = nullptr;             ///< Start of the memory that becomes zero, aligned to 16 bytes.
  std::int64_t zeroed_bytes = 0;      ///< A multiple of 4.
  std::int32_t* exponents = nullptr;  ///< Become unset (scaling.cuh).
  std::int64_t exponent_count = 0;

  /// Whether the same graph launches these: memory does not change.
  bool operator==(const ResetArguments& o) const { return status == o.status && values == o.values && scale == o.scale; }
};
/// Sets the status to "nothing failed", stores A's values and scale for the following launches, and resets memory: one
/// launch at the beginning of a factorization, where each of several would cost a small matrix as much as a level.
void reset_status(const ResetArguments& arguments, cudaStream_t stream);
/// Loads the kernel of reset_status onto the current device.
void prepare_reset();
/// Changes the arguments of reset_status for later launches of `graph`, an instance of the graph that contains it as
/// `node`.
void replace_reset(cudaGraphExec_t graph, cudaGraphNode_t node, const ResetArguments& arguments);

/// Sets values[target[e]] := scale · a[source[e]] for all e < count, with a and scale from the status. For complex scalars a
/// negative source s stands for the conjugate of a[~s]. With `check_finite`, status->bad_entry becomes the smallest index of
/// a value that is not finite.
template <class T>
void assemble(T* values, const std::int64_t* source, const std::int64_t* target, std::int64_t count, bool check_finite,
              DeviceStatus* status, cudaStream_t stream);

/// Makes n diagonal entries of a Hermitian matrix of this order real. For complex scalars only. An imaginary part above
/// 100·order·eps times the real part is no rounding error: the real part becomes NaN, so that the pivot fails.
template <class T>
void keep_real_diagonal(T* values, const std::int64_t* diagonal, std::int32_t n, std::int32_t order, cudaStream_t stream);

/// Adds the shift to the diagonal: values[diagonal[j]] += shift for all j < n.
template <class T>
void shift_diagonal(T* values, const std::int64_t* diagonal, std::int32_t n, typename ScalarTraits<T>::Real shift,
                    cudaStream_t stream);

/// Inspects columns first … first+n−1. Sets bad_value, failed_column, failed_pivot and the extreme pivots of the columns
/// before it in the status, unless an earlier call found a smaller column. Factor kernels leave a failed pivot on the
/// diagonal, so the failed column is the first whose diagonal entry is not positive and finite.
template <class T>
void inspect_pivots(const T* values, const std::int64_t* diagonal, std::int32_t first, std::int32_t n, DeviceStatus* status,
                    cudaStream_t stream);

/// Sets to[j] := values[diagonal[j]] for all j < n.
template <class T>
void gather_diagonal(const T* values, const std::int64_t* diagonal, std::int32_t n, T* to, cudaStream_t stream);

/// Several devices: adds `count` values, which may be in the memory of another device that this one may access.
/// Precondition: both arrays begin at a multiple of 16 bytes, and so does what follows them.
template <class T>
void add_values(T* to, const T* from, std::int64_t count, cudaStream_t stream);

/// Several devices: makes the status say that the factorization failed if that of another device does. Which column failed
/// is then lost.
void take_failure(DeviceStatus* status, const DeviceStatus* other, cudaStream_t stream);

/// Loads the kernels of all these launches onto the current device.
template <class T>
void prepare_value_kernels();

}  // namespace gpusupernodal::cuda
