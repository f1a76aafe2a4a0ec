#pragma once

/// \file
/// The founding schedule [ZDG]: block tasks over streams and events, by cuBLAS and cuSOLVER.

#include <memory>
#include <vector>

#include "solver/cuda/plan/cuda_plan.hpp"
#include "solver/cuda/plan/memory.hpp"
#include "solver/cuda/plan/stream_plan.hpp"
#include "solver/cuda/run/dense_library.hpp"
#include "solver/cuda/run/device.hpp"
#include "solver/cuda/run/device_plan.hpp"
#include "solver/cuda/run/device_trace.hpp"
#include "solver/cuda/run/factor_runner.hpp"

namespace gpusupernodal::cuda {

/// Runs the block tasks of CudaPlan::schedule above the leaf subtrees. Products go to a workspace of the task's stream and
/// are subtracted from there through the relative indices.
template <class T>
class BlockRunner {
 public:
  /// All references must outlive it. Takes cuda_block_workspace() bytes from `allocator`, and what the libraries take.
  BlockRunner(const CudaPlan& plan, const DevicePlan& device, const StreamSet& streams,
              const std::shared_ptr<Allocator>& allocator);

  /// Factorizes the supernodes above the subtrees, whose updates must be in place. Ordered as FactorRunner::run.
  /// Tasks are noted in `trace` where there is one.
  void run(T* values, DeviceTrace* trace = nullptr) const;
  /// Bytes taken beyond what the plan announces: cuSOLVER's workspace, whose size only the device tells.
  std::int64_t bytes_beyond_plan() const { return slab_.size() - cuda_block_workspace(plan_, sizeof(T), 0); }

 private:
  void work(const Task& task, std::int32_t stream, T* values) const;
  void update_between(const Task& task, std::int32_t stream, T* values) const;
  void update_internal(const Task& task, std::int32_t stream, T* values) const;
  void scale_diagonal(const Task& task, std::int32_t stream, T* values) const;
  void scale_below(const Task& task, std::int32_t stream, T* values) const;

  const CudaPlan& plan_;
  const DevicePlan& device_;
  const StreamSet& streams_;
  const StreamPlan& steps_;
  std::vector<DenseLibrary<T>> libraries_;  ///< One a stream.
  Slab slab_;
  std::vector<T*> products_;  ///< One a stream.
  std::vector<T*> factor_work_;
  std::vector<int*> info_;
  const DiagonalTask* pieces_ = nullptr;  ///< Of the supernodes above.
  int piece_count_ = 0;
  std::vector<Event> events_;
  std::vector<Event> stream_done_;
  Event ready_;
};

extern template class BlockRunner<float>;
extern template class BlockRunner<double>;

}  // namespace gpusupernodal::cuda
