#pragma once

/// \file
/// Launches a factorization's levels over streams.

#include <vector>

#include "kernels/cuda/factor_kernels.hpp"
#include "solver/backend/executor.hpp"
#include "solver/cuda/run/device.hpp"
#include "solver/cuda/run/device_plan.hpp"
#include "solver/cuda/run/device_trace.hpp"

namespace gpusupernodal::cuda {

/// The streams of one executor. The first carries the critical path and has the highest priority; the others carry products
/// that may be late, the later the lower.
class StreamSet {
 public:
  /// 1 ≤ count.
  explicit StreamSet(int count);
  std::int32_t count() const { return static_cast<std::int32_t>(streams_.size()); }
  cudaStream_t main() const { return streams_.front().get(); }
  cudaStream_t side(std::int32_t index) const { return streams_[static_cast<std::size_t>(index)].get(); }

 private:
  std::vector<Stream> streams_;
};

/// Runs the launches of a device plan. Everything is created when it is made; run() only launches.
template <class T>
class FactorRunner {
 public:
  /// The plan and the streams must outlive it. `early`: launches may begin before the one before them has ended.
  FactorRunner(const DevicePlan& plan, const StreamSet& streams, bool early);

  /// Factorizes the assembled panels in `values`. Work on main() before it is finished before, and work on main() after it
  /// waits for all of it but the inverses of wide blocks: merge_remaining_inverses. Asynchronous, unless `levels_done` is
  /// there, which is told the share of the levels' flops that is done, some twenty times, after waiting for the device.
  void run(T* values, const ProgressCallback* levels_done = nullptr) const;
  /// Inverses of wide blocks that run() has not made, and waits for those that it has. For one panel after another all of
  /// its pieces must be there.
  void merge_remaining_inverses(T* values) const;
  /// Launches are noted in it from now on; nullptr: nowhere.
  void set_trace(DeviceTrace* trace) { trace_ = trace; }

 private:
  void run_level(std::size_t level, FactorData<T> data) const;
  void eliminate(const Level& launches, const FactorData<T>& data) const;
  void inverse_merge_tasks(std::size_t level, T* values) const;
  void launch_inverse_merges(std::int32_t level, T* values, cudaStream_t stream) const;
  void run_groups(std::size_t level, const FactorData<T>& data) const;
  void subtract(const TaskRange& tiles, const FactorData<T>& data, cudaStream_t stream) const;
  void finish_level(const Level& launches, const FactorData<T>& data) const;

  const DevicePlan& plan_;
  const StreamSet& streams_;
  FactorData<T> data_;
  DeviceTrace* trace_ = nullptr;
  bool at_once_;  ///< Whether the device has room for diagonal blocks with rows below them.
  std::vector<Event> group_done_;
  std::vector<Event> level_scaled_;  ///< One a level that has groups or widenings.
  Event inverses_merged_;
  std::vector<std::vector<std::int32_t>> waits_;  ///< Groups whose deadline a level is.
  std::vector<std::int32_t> scaled_event_;        ///< Index into level_scaled_, −1 where nobody waits for it.
};

extern template class FactorRunner<float>;
extern template class FactorRunner<double>;

}  // namespace gpusupernodal::cuda
