#pragma once

/// \file
/// ColumnRunner: factorizations and solves of LU by columns on a device.

#include <memory>

#include "kernels/cuda/column_kernels.hpp"
#include "kernels/cuda/lu_values.hpp"
#include "solver/cuda/plan/cuda_plan.hpp"
#include "solver/cuda/run/device_plan.hpp"

namespace gpusupernodal::cuda {

template <class T>
class ColumnRunner {
 public:
  virtual ~ColumnRunner() = default;
  ColumnRunner() = default;
  ColumnRunner(const ColumnRunner&) = delete;
  ColumnRunner& operator=(const ColumnRunner&) = delete;

  /// Factorizes the assembled values in place, level by level, then the dense tail, and inspects the pivots. Asynchronous.
  virtual void factorize(T* values, cudaStream_t stream) = 0;
  /// Solves for right-hand sides in elimination order. Precondition: vectors.claims are zero. Asynchronous.
  virtual void solve(T* values, bool transposed, const ColumnVectors<T>& vectors, cudaStream_t stream) = 0;
};

/// Makes the runner of a plan for LU by columns. `plan` and `lists` must outlive it. Loads the kernels onto the current
/// device. Builds without LU by columns link a stub.
template <class T>
std::unique_ptr<ColumnRunner<T>> make_column_runner(const CudaPlan& plan, const DevicePlan& lists, DeviceStatus* status,
                                                    double perturbation);

}  // namespace gpusupernodal::cuda
