#pragma once

/// \file
/// The launches of a plan with everything they read, on the device.

#include "kernels/cuda/solve_kernels.hpp"
#include "solver/exec/cuda/device_memory.hpp"
#include "solver/exec/cuda/launch_plan.hpp"
#include "solver/exec/cuda/upload.hpp"

namespace gpusupernodal::cuda {

/// How a plan is run on the device.
struct DevicePlanOptions {
  std::int32_t streams = 1;
  LaunchScope scope = LaunchScope::everything;
  AdditionOrder order = AdditionOrder::any;
  bool keep_a = false;
  int threads = 1;  ///< Of the host, to make the lists on.
  std::int64_t scalar_bytes = sizeof(double);
};

/// Device pointers of the launch plan's tasks and tables; they live as long as this.
class DevicePlan {
 public:
  /// Takes cuda_memory().index bytes from `allocator` and fills them; waits for the copies. Throws OutOfMemory.
  DevicePlan(const FactorPlan& plan, const DevicePlanOptions& options, const std::shared_ptr<Allocator>& allocator);

  const std::vector<Level>& levels() const { return sequence_.levels; }
  const std::vector<ProductGroup>& groups() const { return sequence_.groups; }
  /// Those to be launched after a level, or after_all_levels.
  std::span<const WidenGroup> widenings_of(std::int32_t level) const { return sequence_.widenings_of(level); }
  bool any_widenings_between() const {
    return !sequence_.widenings.empty() && sequence_.widenings.front().level != after_all_levels;
  }
  std::int32_t groups_end(std::size_t level) const { return sequence_.groups_end(level); }

  const PanelInfo* panels = nullptr;
  const UpdateInfo* updates = nullptr;
  const std::int32_t* update_of_row = nullptr;
  const std::int32_t* relative_rows = nullptr;
  const std::int32_t* rows = nullptr;
  const std::int64_t* source = nullptr;  ///< Assembly map.
  const std::int64_t* target = nullptr;
  const std::int64_t* diagonal = nullptr;
  const std::int32_t* old_of_new = nullptr;
  const std::int32_t* entry_row = nullptr;  ///< With keep_a only.
  const std::int32_t* entry_column = nullptr;
  const FrontTask* tiny = nullptr;
  const FrontTask* small = nullptr;
  const DiagonalTask* diagonal_blocks = nullptr;
  const ScaleTask* scale = nullptr;
  const ProductTask* product = nullptr;
  const RowSources* gather = nullptr;  ///< FrontGather.
  const std::int32_t* gather_more = nullptr;
  SolveSweep forward;  ///< Without counters.
  SolveSweep backward;
  SolveSweep forward_single;  ///< For one right-hand side.
  SolveSweep backward_single;
  const WidenTask* widen = nullptr;
  std::int32_t* readers = nullptr;  ///< FactorData::readers: a number a panel, not yet 0.
  /// As in FactorData; nullptr where no level takes turns. The turn_bytes from `turns` on, which are those of
  /// claims too, must be 0 before a factorization.
  std::int32_t* turns = nullptr;
  std::int32_t* claims = nullptr;
  std::int64_t turn_bytes = 0;
  const std::int32_t* turn_of_row = nullptr;

  /// Bytes taken beyond cuda_memory().
  std::int64_t bytes_beyond_plan() const { return turn_slab_.size(); }
  /// Bytes of all arrays, as far as cuda_memory() counts them.
  std::int64_t bytes_filled() const { return slab_.used(); }

 private:
  void add_plan(Upload& upload, const FactorPlan& plan, bool keep_a);
  void add_tables(Upload& upload, const LaunchTables& tables, const FactorPlan& plan, std::int64_t scalar_bytes);
  void add_launches(Upload& upload, const LaunchPlan& launches);

  Slab slab_;
  Slab turn_slab_;
  LaunchSequence sequence_;
};

}  // namespace gpusupernodal::cuda
