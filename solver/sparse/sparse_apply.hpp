#pragma once

/// \file
/// SparseApply: products with one stored matrix on one backend. SparseOperator and iterative methods use it.

#include <cstdint>
#include <memory>

#include "gpusupernodal/allocator.hpp"
#include "gpusupernodal/views.hpp"
#include "solver/backend/buffer.hpp"
#include "solver/sparse/sparse_layout.hpp"

namespace gpusupernodal {

struct ApplyOptions {
  int threads = 0;                       ///< Host threads; 0: all that the process may use.
  int device = -1;                       ///< CUDA device; −1: the current one.
  void* stream = nullptr;                ///< cudaStream_t of the calls.
  std::shared_ptr<Allocator> allocator;  ///< nullptr: the backend's own.
};

/// A matrix of real or complex scalars; complex ones on the host only. Vectors lie in space(), are column-major, and x and y
/// do not overlap: not checked. Calls are enqueued on the stream; a device neither waits nor allocates, and the calls are
/// capturable, except update from host memory. Equal input gives equal bits.
template <class S>
class SparseApply {
 public:
  virtual ~SparseApply() = default;
  SparseApply() = default;
  SparseApply(const SparseApply&) = delete;
  SparseApply& operator=(const SparseApply&) = delete;

  virtual MemorySpace space() const = 0;
  virtual std::int64_t rows() const = 0;
  virtual std::int64_t columns() const = 0;
  /// Bytes taken from the allocator.
  virtual std::int64_t memory_bytes() const = 0;
  /// Sets the cudaStream_t of later calls; the host ignores it.
  virtual void set_stream(void* stream) = 0;
  /// Takes SparseLayout::input_values values. Device: gathers on the stream; values from host memory are copied before the
  /// call returns, through memory that the first such call takes.
  virtual void update(const S* values, MemorySpace value_space) = 0;
  /// y := alpha·A x + beta·y for x.cols columns. beta = 0: y is not read. alpha = 0: x is not read.
  virtual void multiply(S alpha, const DenseView<const S>& x, S beta, const DenseView<S>& y) = 0;
  /// Number of sums that multiply_dot writes; fixed for this object and at most max_dot_partials.
  virtual std::int32_t dot_partials() const = 0;
  /// y := A x for one column of a square matrix, and partials[0 … dot_partials()−1], in space(), whose sum is Re xᴴy. The
  /// sums are in double, in a fixed order.
  virtual void multiply_dot(const S* x, S* y, double* partials) = 0;

  /// Waits until the enqueued work is done.
  virtual void wait() = 0;
  /// Uninitialised memory in space(); nullptr as allocator: the backend's own. Throws OutOfMemory, naming `what`.
  virtual Buffer<S> scratch(std::int64_t size, std::shared_ptr<Allocator> allocator, const char* what) const = 0;

  static constexpr std::int32_t max_dot_partials = 2048;
};

/// Takes all memory; update must bring values before the first product. Throws OutOfMemory.
template <class S>
std::unique_ptr<SparseApply<S>> make_host_apply(const SparseLayout& layout, const ApplyOptions& options);

/// As make_host_apply, on a CUDA device. Also throws BackendUnavailable, whose sentence has the reason. Builds without a
/// CUDA toolkit link a function that always throws it.
template <class S>
std::unique_ptr<SparseApply<S>> make_cuda_apply(const SparseLayout& layout, const ApplyOptions& options);

}  // namespace gpusupernodal
