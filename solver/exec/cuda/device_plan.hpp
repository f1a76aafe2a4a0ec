#pragma once

/// \file
/// The launches of a plan with everything they read, on the device.

#include "kernels/cuda/solve_kernels.hpp"
#include "solver/exec/cuda/device_memory.hpp"
#include "solver/exec/cuda/launch_plan.hpp"

namespace gpusupernodal::cuda {

/// Device pointers of the launch plan's tasks and tables; they live as long as this.
class DevicePlan {
 public:
  /// Takes memory().index bytes from `allocator` and fills them; waits for the copies. Throws OutOfMemory.
  DevicePlan(const FactorPlan& plan, std::int32_t streams, LaunchScope scope, bool keep_a,
             const std::shared_ptr<Allocator>& allocator);

  const std::vector<Level>& levels() const { return sequence_.levels; }
  const std::vector<ProductGroup>& groups() const { return sequence_.groups; }
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
  const DiagonalTask* narrow = nullptr;
  const DiagonalTask* wide = nullptr;
  const ScaleTask* scale = nullptr;
  const ProductTask* product = nullptr;
  const RowSources* gather = nullptr;  ///< FrontGather.
  const std::int32_t* gather_more = nullptr;
  SolveSweep forward;  ///< Without counters.
  SolveSweep backward;
  const WidenTask* widenings = nullptr;

 private:
  Slab slab_;
  LaunchSequence sequence_;
};

}  // namespace gpusupernodal::cuda
