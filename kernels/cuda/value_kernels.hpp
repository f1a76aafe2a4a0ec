#pragma once

/// \file
/// Launches around a factorization: A's entries into the panels, and what became of it. All asynchronous on `stream`;
/// pointers are device memory.

#include <cuda_runtime_api.h>

#include "kernels/common/records.hpp"

namespace gpusupernodal::cuda {

/// What reset_status puts into the status.
struct ResetArguments {
  DeviceStatus* status = nullptr;
  const void* values = nullptr;  ///< Of A, in the factor's scalar type.
  double scale = 1.0;

  bool operator==(const ResetArguments& o) const { return status == o.status && values == o.values && scale == o.scale; }
};
/// Sets the status to "nothing failed", and A's values and scale for what follows.
void reset_status(const ResetArguments& arguments, cudaStream_t stream);
/// Changes the arguments of the reset_status that is `node` of the graph that `graph` was made from, for later launches.
void replace_reset(cudaGraphExec_t graph, cudaGraphNode_t node, const ResetArguments& arguments);

/// values[target[e]] := scale · a[source[e]] for all e < count, a and scale being those of the status. With `check_finite`,
/// status->bad_entry becomes the smallest source whose value is not finite.
template <class T>
void assemble(T* values, const std::int64_t* source, const std::int64_t* target, std::int64_t count, bool check_finite,
              DeviceStatus* status, cudaStream_t stream);

/// values[diagonal[j]] += shift for all j < n.
template <class T>
void shift_diagonal(T* values, const std::int64_t* diagonal, std::int32_t n, T shift, cudaStream_t stream);

/// Fills status' bad value, failed column and pivot and the extreme pivots of the columns before it. The factor kernels
/// leave a pivot that failed on the diagonal, so the first column that failed is the first that is not positive and finite.
template <class T>
void inspect_pivots(const T* values, const std::int64_t* diagonal, std::int32_t n, DeviceStatus* status,
                    cudaStream_t stream);

/// to[j] := values[diagonal[j]].
template <class T>
void gather_diagonal(const T* values, const std::int64_t* diagonal, std::int32_t n, T* to, cudaStream_t stream);

/// Loads the kernels of all these launches onto the current device.
template <class T>
void prepare_value_kernels();

}  // namespace gpusupernodal::cuda
