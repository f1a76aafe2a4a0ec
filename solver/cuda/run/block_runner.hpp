#pragma once

/// \file
/// The *streams* schedule [ZDG]: block tasks over streams and events, computed by cuBLAS and cuSOLVER.

#include <memory>
#include <span>
#include <vector>

#include "gpusupernodal/build_config.hpp"
#include "solver/cuda/plan/cuda_plan.hpp"
#include "solver/cuda/plan/memory.hpp"
#include "solver/cuda/plan/stream_plan.hpp"
#include "solver/cuda/run/dense_library.hpp"
#include "solver/cuda/run/device.hpp"
#include "solver/cuda/run/device_plan.hpp"
#include "solver/cuda/run/device_trace.hpp"
#include "solver/cuda/run/factor_runner.hpp"
#include "solver/factor/touched_tiles.hpp"

namespace gpusupernodal::cuda {

/// Runs the block tasks of CudaPlan::schedule above the leaf subtrees. Products go to a workspace of the task's stream
/// and are then subtracted at their relative indices.
template <class T>
class BlockRunner {
 public:
  /// Allocates cuda_block_workspace() bytes from `allocator`, plus what the libraries need. Precondition: all arguments
  /// outlive this object.
  BlockRunner(const CudaPlan& plan, const DevicePlan& device, const StreamSet& streams,
              const std::shared_ptr<Allocator>& allocator);

  /// Factorizes the supernodes above the subtrees. Precondition: the updates of the subtrees are in place. Ordered on
  /// the streams as FactorRunner::run. Records tasks in `trace` unless it is nullptr.
  void run(T* values, DeviceTrace* trace = nullptr) const;
  /// Returns the bytes allocated beyond the plan's estimate: cuSOLVER's workspace, whose size only the device can tell.
  std::int64_t bytes_beyond_plan() const { return slab_.size() - cuda_block_workspace(plan_, scalar_type_of<T>, 0); }

 private:
  void work(const Task& task, std::int32_t stream, T* values) const;
  void update_between(const Task& task, std::int32_t stream, T* values) const;
  void update_internal(const Task& task, std::int32_t stream, T* values) const;
  void scale_diagonal(const Task& task, std::int32_t stream, T* values) const;
  void scale_below(const Task& task, std::int32_t stream, T* values) const;

  /// Columns first … last−1 of a supernode.
  struct ColumnRange {
    std::int32_t first;
    std::int32_t last;
  };
  /// Where a product of update_between goes: `part` of the relative rows of a supernode's panel.
  struct ProductPlaces {
    std::span<const std::int32_t> relative;
    UpdatePart part;
    SupernodeId supernode;
    bool is_diagonal;
  };
  void subtract_product(const ProductPlaces& at, const T* product, const std::int32_t* places, cudaStream_t stream,
                        T* values) const;
  void subtract_from_later(const DenseLibrary<T>& library, SupernodeId s, ColumnRange from, ColumnRange to,
                           std::int32_t row_begin, std::int32_t row_end, T* values) const;
  void trsm_rows(const BlockColumn& block, ColumnRange columns, std::int32_t row_begin, std::int32_t row_end,
                 std::int32_t stream, T* values) const;

  const CudaPlan& plan_;
  const DevicePlan& device_;
  const StreamSet& streams_;
  const StreamPlan& steps_;
  std::vector<DenseLibrary<T>> libraries_;  ///< One per stream.
  Slab slab_;
  std::vector<T*> products_;  ///< One per stream.
  std::vector<T*> factor_work_;
  std::vector<int*> info_;
  const DiagonalTask* pieces_ = nullptr;  ///< Pieces of the supernodes above the leaf subtrees.
  int piece_count_ = 0;
  std::vector<Event> events_;
  std::vector<Event> stream_done_;
  Event ready_;
};

#define INSTANTIATE(T) extern template class BlockRunner<T>;
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
