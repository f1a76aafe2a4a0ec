#pragma once

/// \file
/// BatchFactors: the factors of many systems of one pattern on a device.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpusupernodal/allocator.hpp"
#include "gpusupernodal/batch.hpp"
#include "kernels/common/batch_records.hpp"
#include "solver/backend/factorization.hpp"

namespace gpusupernodal {

class BatchProgram;

struct BatchFactorsOptions {
  std::int64_t count = 0;  ///< Number of systems.
  int device = -1;
  bool check_finite = true;
  bool refined = false;                  ///< Take workspace for solves with refinement.
  double perturbation = 0.0;             ///< Options::perturbation.
  std::shared_ptr<Allocator> allocator;  ///< nullptr: the backend's own.
};

/// What a solve does besides its steps.
struct BatchSolveRules {
  SolveSteps steps;
  bool check_right = true;  ///< Leave x of systems as it is if their b is not finite.
  bool refined = false;     ///< Precondition: BatchFactorsOptions::refined.
  bool verified = false;    ///< Replace x by NaN where its backward error exceeds `trusted`.
  Refinement refinement;    ///< With `refined`; a backward_error of 0 means as long as steps help.
  double trusted = 0.0;
};

/// Systems 0 … count−1. Memory of the factors is taken when the object is made. Calls enqueue work on the stream; with all
/// data in device memory they do not wait. Masks have a number other than 0 for each system that takes part; the others
/// keep everything.
template <class S>
class BatchFactors {
 public:
  virtual ~BatchFactors() = default;
  BatchFactors() = default;
  BatchFactors(const BatchFactors&) = delete;
  BatchFactors& operator=(const BatchFactors&) = delete;

  virtual std::string device_name() const = 0;
  /// Memory of one system, and of the lists that all share.
  virtual MemoryEstimate memory() const = 0;
  /// Sets the cudaStream_t of later calls.
  virtual void set_stream(void* stream) = 0;
  /// Whether a graph of the caller has captured a call.
  virtual bool is_in_graph() const = 0;
  /// Throws InvalidState in a capture unless the values are in device memory at a stride and the mask is that of the last
  /// call.
  virtual void factorize(const BatchValues<S>& values, const std::vector<unsigned char>& wanted) = 0;
  /// Solves where there is a factor; others keep x. If x is in host memory, copy_solutions writes it. Throws as factorize,
  /// and OutOfMemory for more columns than before.
  virtual void solve(const BatchSolveRules& rules, const BatchView<const S>& b, const BatchView<S>& x,
                     const std::vector<unsigned char>& wanted) = 0;
  /// Copies the solutions of the last solve, with these rules, to its x in host memory; waits. Does nothing for x in device
  /// memory.
  virtual void copy_solutions(const BatchSolveRules& rules, const BatchView<S>& x) = 0;
  /// Takes the workspace for this many columns. Throws OutOfMemory.
  virtual void reserve_right_hand_sides(std::int64_t columns) = 0;
  /// What the last factorization of each system found; waits.
  virtual Span<const cuda::BatchFactorRecord> factor_records() = 0;
  /// What the last solve found; waits.
  virtual Span<const cuda::BatchSolveRecord> solve_records() = 0;
  /// Copies A's values of a system to host memory; waits.
  virtual void copy_values(std::int64_t system, Span<S> host) = 0;
};

/// Makes the systems on a CUDA device, for float and double. Throws BackendUnavailable as make_cuda_executor, or if the
/// factors of a group of systems have too many values, and OutOfMemory. Builds without a toolkit link a stub.
template <class S>
std::unique_ptr<BatchFactors<S>> make_cuda_batch(const BatchProgram& program, const BatchFactorsOptions& options);

}  // namespace gpusupernodal
