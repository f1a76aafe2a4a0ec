#pragma once

/// \file
/// Launches the levels of a factorization over streams.

#include <optional>
#include <vector>

#include "gpusupernodal/build_config.hpp"
#include "kernels/cuda/factor_kernels.hpp"
#include "kernels/cuda/ldlt_kernels.hpp"
#include "kernels/cuda/level_run_kernels.hpp"
#include "kernels/cuda/lu_kernels.hpp"
#include "solver/backend/executor.hpp"
#include "solver/cuda/run/device.hpp"
#include "solver/cuda/run/device_plan.hpp"
#include "solver/cuda/run/device_trace.hpp"

namespace gpusupernodal::cuda {

/// The streams of one executor. The first carries the critical path and has the highest priority; the others carry
/// products that are less urgent the higher the index, with lower priorities. A further one, with the highest priority, is
/// for diagonal blocks beside the critical path.
class StreamSet {
 public:
  /// Precondition: 1 ≤ count.
  explicit StreamSet(int count);
  std::int32_t count() const { return static_cast<std::int32_t>(streams_.size()) - 1; }
  cudaStream_t main() const { return streams_.front().get(); }
  cudaStream_t side(std::int32_t index) const { return streams_[static_cast<std::size_t>(index)].get(); }
  cudaStream_t blocks() const { return streams_.back().get(); }
  const std::vector<Stream>& all() const { return streams_; }

 private:
  std::vector<Stream> streams_;
};

/// Runs the launches of a device plan. All resources are created by the constructor; run() only launches.
template <class T>
class FactorRunner {
 public:
  /// Precondition: the plan and the streams outlive this object. `early`: launches may begin before the preceding one
  /// has ended.
  FactorRunner(const DevicePlan& plan, const StreamSet& streams, bool early);

  /// Factorizes general matrices from now on, with this partner, status and perturbation.
  void take_lu(const LuData<T>& lu);
  /// Factorizes symmetric indefinite matrices from now on, with these pivots, status and perturbation.
  void take_ldlt(const LdltData<T>& ldlt);

  /// Factorizes the assembled panels in `values`. It starts after earlier work on main(); later work on main() waits
  /// for all of it. Asynchronous, unless `levels_done` is given: then it waits for the device about twenty times and
  /// reports the finished share of the levels' flops.
  void run(T* values, const ProgressCallback* levels_done = nullptr) const;
  /// The parts of run() for one of several devices, in this order for each level: the level's fronts, diagonal blocks and
  /// rows below; then its products. Both work on main(), and on other streams that later levels wait for.
  void begin_level(std::size_t level, T* values) const;
  void end_level(std::size_t level, T* values) const;
  /// Makes main() wait for the products of all levels before `level`.
  void finish_products_before(std::size_t level) const;
  /// Merges the inverses of diagonal blocks on main(), for solves. Precondition: all panels are factorized.
  void merge_inverses(T* values) const { merge_inverses(values, 0, plan_.inverse_merge_groups().size()); }
  /// Runs groups first … last−1 of the merges.
  void merge_inverses(T* values, std::size_t first, std::size_t last) const;
  /// Records further launches in `trace`; nullptr: nowhere.
  void set_trace(DeviceTrace* trace) { trace_ = trace; }

 private:
  FactorData<T> data_of(std::size_t level, T* values) const;
  void eliminate(const Level& launches, const FactorData<T>& data) const;
  void run_groups(std::size_t level, const FactorData<T>& data) const;
  void subtract(const TaskRange& tiles, const FactorData<T>& data, cudaStream_t stream) const;
  void finish_level(const Level& launches, const FactorData<T>& data) const;
  void factor_run(const FactorData<T>& data) const;
  void factor_whole_fronts(const Level& launches, FactorData<T>& data) const;
  void factor_blocks(const DiagonalTask* blocks, std::int32_t count, const FactorData<T>& data, cudaStream_t stream) const;
  LuData<T> lu_with(const FactorData<T>& data) const;
  LdltData<T> ldlt_with(const FactorData<T>& data) const;

  const DevicePlan& plan_;
  const StreamSet& streams_;
  FactorData<T> data_;
  std::optional<LuData<T>> lu_;
  std::optional<LdltData<T>> ldlt_;
  bool is_symmetric_ = false;  ///< Complex symmetric, not Hermitian matrices.
  DeviceTrace* trace_ = nullptr;
  bool fused_columns_fit_;  ///< Whether shared memory holds a diagonal block and rows below it.
  std::vector<Event> group_done_;
  std::vector<Event> level_solved_;               ///< One per level with product groups.
  Event blocks_ready_, blocks_done_;              ///< LU: of the next level's diagonal blocks.
  std::vector<std::vector<std::int32_t>> waits_;  ///< For each level, the groups whose deadline it is.
  std::vector<std::int32_t> solved_event_;        ///< Index into level_solved_; −1 if nothing waits for the level.
};

#define INSTANTIATE(T) extern template class FactorRunner<T>;
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
