#pragma once

/// \file
/// Executor: the parts of one solver on one backend, and the factories of the backends.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpusupernodal/allocator.hpp"
#include "solver/backend/device_context.hpp"
#include "solver/backend/factorization.hpp"
#include "solver/backend/linear_operator.hpp"
#include "solver/backend/vector_space.hpp"

namespace gpusupernodal {

class CudaPlan;
struct DevicesPlan;
class HostPlan;

struct ExecutorOptions {
  int threads = 0;
  int device = -1;
  bool check_finite = true;
  bool trace = false;                    ///< Keep a trace.
  bool keep_a = false;                   ///< Keep a copy of A's values for matrix().
  double perturbation = 0.0;             ///< Options::perturbation.
  bool ldlt = false;                     ///< Whether the form is Form::ldlt, for a plan of Cholesky.
  bool symmetric = false;                ///< Form::ldlt of complex scalars: whether A is symmetric, not Hermitian.
  std::shared_ptr<Allocator> allocator;  ///< nullptr: the backend's own.
};

/// Owns the values of one solver on one backend. Construction takes all memory that plan.memory() announces, so that
/// factorize and solve (of up to the reserved number of right-hand sides) take none; it throws OutOfMemory and then keeps
/// nothing. The parts live as long as the executor and are used by one thread at a time.
template <class S>
class Executor {
 public:
  virtual ~Executor() = default;
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  virtual DeviceContext& context() = 0;
  virtual Factorization<S>& factorization() = 0;
  /// scale·A + shift·I with the values of the last factorize. Precondition of its calls: ExecutorOptions::keep_a.
  virtual LinearOperator<S>& matrix() = 0;
  /// Its transpose, here for symmetric matrices. Precondition as for matrix().
  virtual LinearOperator<S>& transposed_matrix() { return matrix(); }
  /// Its adjoint, here for real scalars. Precondition as for matrix().
  virtual LinearOperator<S>& adjoint_matrix() { return transposed_matrix(); }
  virtual VectorSpace<S>& vectors() = 0;
  /// Copies A's values of the last factorize, in the caller's order of entries, to host memory; waits for the device.
  /// Precondition: ExecutorOptions::keep_a.
  virtual void copy_values(Span<S> host) = 0;
};

/// Makes the host executor.
template <class S>
std::unique_ptr<Executor<S>> make_host_executor(std::shared_ptr<const HostPlan> plan, const ExecutorOptions& options);

/// Makes the CUDA executor. Complex scalars take neither the schedule *streams* nor LU by columns. Throws BackendUnavailable
/// with the reason (no toolkit in the build, no device, device or driver too old). Builds without a toolkit link a stub of
/// this function.
template <class S>
std::unique_ptr<Executor<S>> make_cuda_executor(std::shared_ptr<const CudaPlan> plan, const ExecutorOptions& options);

/// Makes an executor that computes on several CUDA devices of this process, one for each plan of `plan`. The first of them
/// has the vectors, and the caller's stream belongs to it. A device may be listed several times. Throws as
/// make_cuda_executor, and BackendUnavailable if a device cannot access the memory of another one.
template <class S>
std::unique_ptr<Executor<S>> make_devices_executor(std::shared_ptr<const DevicesPlan> plan, const ExecutorOptions& options,
                                                   const std::vector<int>& devices);

/// What make_cuda_executor would find; never throws.
struct CudaAvailability {
  bool available = false;
  std::string reason;                ///< Why not.
  std::vector<std::string> devices;  ///< "0: NVIDIA H200, compute capability 9.0, 139.7 GiB".
};
CudaAvailability cuda_availability();

/// Free bytes of a device's memory (−1: the current device). Throws as make_cuda_executor.
std::int64_t free_device_memory(int device);

}  // namespace gpusupernodal
