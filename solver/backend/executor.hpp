#pragma once

/// \file
/// Executor: runs a plan on one backend and owns the values. Virtual once a factorize or solve, never once a task.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "gpusupernodal/allocator.hpp"
#include "gpusupernodal/options.hpp"
#include "gpusupernodal/report.hpp"
#include "gpusupernodal/span.hpp"
#include "gpusupernodal/views.hpp"
#include "solver/factor/factor_structure.hpp"

namespace gpusupernodal {

class CudaPlan;
class HostPlan;
class Trace;

/// Told the share of a factorization's flops that is done, ascending to 1; may throw to break it off.
using ProgressCallback = std::function<void(double)>;

/// Values of A in the caller's order of entries, and what is factorized: scale·A + shift·I.
template <class T>
struct FactorInput {
  const T* values = nullptr;
  MemorySpace space = MemorySpace::host;
  T scale = T(1);
  T shift = T(0);
  const ProgressCallback* report_progress = nullptr;  ///< Called from the calling thread; nullptr: nobody is told.
};

/// Numerical outcome in elimination order.
struct FactorOutcome {
  Status status = Status::success;
  NewIndex failed_column;          ///< not_positive_definite: the smallest column whose pivot failed.
  std::int64_t failed_entry = -1;  ///< non_finite_input: smallest index into A's values.
  double failed_value = 0.0;
  double smallest_pivot = 0.0;  ///< Squares of L's diagonal, of the columns done.
  double largest_pivot = 0.0;
  bool settled = true;  ///< false: of a graph of the caller's, which may run again with another outcome.
};

/// Steps of a solve, in this order; System (solver.hpp) maps to combinations.
struct SolveSteps {
  bool permute_in = true;
  bool forward = true;
  bool backward = true;
  bool permute_out = true;
};

struct ExecutorOptions {
  int threads = 0;
  int device = -1;
  bool check_finite = true;
  bool trace = false;                    ///< Keep a trace.
  bool keep_a = false;                   ///< Keep a copy of A's values for `residual`.
  std::shared_ptr<Allocator> allocator;  ///< nullptr: the backend's own.
};

/// One solver's values on one backend. Construction takes all memory that plan.memory() announces, so that factorize
/// and solve (of up to the reserved number of right-hand sides) take none. Throws OutOfMemory with nothing taken.
template <class T>
class Executor {
 public:
  virtual ~Executor() = default;
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  virtual std::string device_name() const = 0;
  /// Bytes taken beyond what plan.memory() announces: workspaces whose size only a library tells.
  virtual std::int64_t workspace_beyond_plan() const { return 0; }
  /// cudaStream_t for later calls; ignored by the host.
  virtual void set_stream(void* stream) = 0;
  /// Whether a graph of the caller's has captured a call. The graph uses memory of this executor whenever it is launched, so
  /// that nothing it has seen may be given back before the executor is destroyed, which waits for the device.
  virtual bool is_in_graph() const { return false; }
  /// Factorizes; on a device returns without waiting when the values are there already. After a throw nothing of it runs
  /// any more, the values are lost, and the executor can factorize again.
  virtual void factorize(const FactorInput<T>& input) = 0;
  /// Of the last factorize; waits for it.
  virtual FactorOutcome outcome() = 0;
  /// Whether outcome() would not have to wait.
  virtual bool outcome_known() const = 0;
  /// b and x are n × nrhs in any memory space that the backend reaches (host: host only; cuda: both), and may be the same
  /// view. Without any step x := b. If the factorization failed and forward or backward is asked for, x becomes NaN.
  /// After a throw x is undefined and nothing of the solve runs any more; the factor stays.
  virtual void solve(const SolveSteps& steps, const DenseView<const T>& b, const DenseView<T>& x) = 0;
  /// Vectors that a graph has captured stay beside the new ones. Throws InvalidState where it would have to take memory
  /// while the stream is captured.
  virtual void reserve_right_hand_sides(std::int64_t columns) = 0;
  /// r := b − (scale·A + shift·I) x and the norms ‖r‖∞, ‖A‖∞ (of the scaled and shifted A), ‖x‖∞, ‖b‖∞ for one column in
  /// space(), with the values of the last factorize. Precondition: keep_a. Waits for the device.
  struct ResidualNorms {
    double r = 0, a = 0, x = 0, b = 0;
  };
  virtual ResidualNorms residual(const DenseView<const T>& b, const DenseView<const T>& x, const DenseView<T>& r) = 0;
  /// x += d, both in space().
  virtual void add(const DenseView<const T>& d, const DenseView<T>& x) = 0;
  /// Copies all panels (plan.panels.values() values) to host memory; waits for the device.
  virtual void copy_panels(Span<T> host) = 0;
  /// Copies the n diagonal entries of L, in elimination order, to host memory; waits for the device.
  virtual void copy_diagonal(Span<T> host) = 0;
  /// What ran since the last factorize began; waits for the device. nullptr without ExecutorOptions::trace.
  virtual const Trace* trace() { return nullptr; }
  /// Memory where `residual` and refinement should keep their vectors.
  virtual MemorySpace space() const = 0;
  /// Uninitialised vector memory in space(), rows×cols, from the executor's allocator; reused between calls.
  virtual DenseView<T> scratch(int slot, std::int64_t rows, std::int64_t cols) = 0;
};

/// The host executor.
template <class T>
std::unique_ptr<Executor<T>> make_host_executor(std::shared_ptr<const HostPlan> plan, const ExecutorOptions& options);

/// The CUDA executor, or BackendUnavailable with the reason (no toolkit in the build, no device, device or driver too
/// old). Without a toolkit a stub of this function is linked.
template <class T>
std::unique_ptr<Executor<T>> make_cuda_executor(std::shared_ptr<const CudaPlan> plan, const ExecutorOptions& options);

/// What make_cuda_executor would find; never throws.
struct CudaAvailability {
  bool available = false;
  std::string reason;                ///< Why not.
  std::vector<std::string> devices;  ///< "0: NVIDIA H200, compute capability 9.0, 139.7 GiB".
};
CudaAvailability cuda_availability();

}  // namespace gpusupernodal
