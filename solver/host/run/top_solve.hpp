#pragma once

/// \file
/// TopSolve: triangular solves with the block columns of the top, together with the other parts.

#include <cstdint>
#include <memory>

#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/fabric.hpp"
#include "kernels/host/host_kernels.hpp"
#include "solver/backend/buffer.hpp"
#include "solver/host/plan/part_plan.hpp"

namespace gpusupernodal {

/// Every part has vectors with an entry for each column of the top. It uses only some of them: the entries of its own block
/// columns, and of block columns that receive updates from these or from its subtrees. All parts call forward and backward
/// together.
///
/// Forward, each part sums what its subtrees and block columns contribute to a block column, and sends the sum to the owner
/// when it is complete; the owner adds the sums in the order of the parts. Backward, each owner sends its entries of the
/// solution to the same parts. All go through the block columns in the same order, so none waits forever.
template <class T>
class TopSolve {
 public:
  /// Both references must outlive this. Throws OutOfMemory.
  TopSolve(const PartPlan& plan, Fabric& fabric, std::shared_ptr<Allocator> allocator);

  /// Takes memory for this many right-hand sides. Throws OutOfMemory.
  void reserve(std::int64_t columns);
  /// Entry (row, column) of the vectors, n_top × nrhs. Forward: on entry, what the subtrees add; backward: on return, the
  /// solution.
  T* vectors() { return vectors_.data(); }
  std::int64_t ld() const { return order_; }

  /// Solves L y = b for the part's block columns. `b` has their entries, one block column after another. `values` are the
  /// part's block columns.
  void forward(const T* values, const T* b, std::int64_t ldb, std::int32_t nrhs);
  /// Solves Lᴴ x = y.
  void backward(const T* values, std::int32_t nrhs);

 private:
  T* entry(TopIndex row) { return vectors_.data() + row.value; }
  void pack(const TopBlock& block, std::int32_t nrhs);
  T* packed(const TopBlock& block, std::int32_t nrhs) { return sent_.data() + std::int64_t{block.begin.value} * nrhs; }
  std::int64_t bytes(const TopBlock& block, std::int32_t nrhs) const {
    return std::int64_t{block.width} * nrhs * static_cast<std::int64_t>(sizeof(T));
  }
  void send_sums(std::int32_t done, std::int32_t nrhs);
  void gather_sums(const TopBlock& block, const T* b, std::int64_t ldb, std::int32_t nrhs);
  void add(const TopBlock& block, const T* from, std::int64_t ld, std::int32_t nrhs);
  void forward_below(const TopBlock& block, const T* l, std::int32_t nrhs);
  void backward_above(const TopBlock& block, const T* l, std::int32_t nrhs);

  const PartPlan& plan_;
  Fabric& fabric_;
  std::shared_ptr<Allocator> allocator_;
  const HostKernels<T>& kernels_;
  std::int64_t order_;
  std::int64_t most_below_ = 0;  ///< Rows below the diagonal block of a supernode of an own block column.
  std::int64_t reserved_ = 0;
  Buffer<T> vectors_;
  Buffer<T> sent_;      ///< Packed entries, at their places.
  Buffer<T> received_;  ///< Values received for one block column.
  Buffer<T> sum_;       ///< Sums of one block column.
  Buffer<T> below_;
  std::size_t next_sent_ = 0;  ///< Index into plan.forwarded.
};

#define GPUSUPERNODAL_INSTANTIATE(T) extern template class TopSolve<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
