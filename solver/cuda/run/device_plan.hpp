#pragma once

/// \file
/// The launches of a plan, with all data that they read, on the device.

#include "kernels/common/column_records.hpp"
#include "kernels/cuda/general_residual.hpp"
#include "kernels/cuda/level_run_kernels.hpp"
#include "kernels/cuda/solve_kernels.hpp"
#include "solver/cuda/plan/cuda_plan.hpp"
#include "solver/cuda/run/device_memory.hpp"
#include "solver/cuda/run/upload.hpp"

namespace gpusupernodal::cuda {

struct DevicePlanOptions {
  MemoryRequest request;
  int threads = 1;            ///< Host threads that fill the lists.
  bool is_hermitian = false;  ///< Entries of A in the half that is not stored are conjugates: `source` marks them.
};

/// The entries of a matrix by rows in the caller's numbering, on the host.
struct EntriesByRow {
  explicit EntriesByRow(const ColumnEntries& columns);
  /// Both halves of a symmetric or Hermitian matrix; of the latter, with sources as assemble() reads them.
  EntriesByRow(const FactorStructure& structure, bool is_hermitian);
  std::vector<std::int64_t> offsets, entry;
  std::vector<std::int32_t> columns;
};

/// Lists of LU by columns: those of ColumnStructure and ColumnLaunches.
struct DeviceColumns {
  const std::int64_t* row_offset = nullptr;
  const std::int32_t* lower = nullptr;
  const std::int32_t* upper = nullptr;
  const std::int32_t* columns = nullptr;
  const std::int64_t* column_offset = nullptr;
  const std::int32_t* rows = nullptr;
  const std::int64_t* position = nullptr;
  const std::int32_t* before = nullptr;
  const std::int32_t* above = nullptr;
  const ColumnTask* tasks = nullptr;
  const ColumnSource* sources = nullptr;
  const std::int64_t* level_tasks = nullptr;
  const std::int32_t* solve = nullptr;
  const std::int32_t* solve_transposed = nullptr;
};

/// Device pointers to the launch plan's tasks and tables; valid as long as this object.
class DevicePlan {
 public:
  /// Allocates memory().index bytes from `allocator` and fills them; waits for the copies. Throws OutOfMemory.
  /// Precondition: `plan` outlives this object.
  DevicePlan(const CudaPlan& plan, const DevicePlanOptions& options, const std::shared_ptr<Allocator>& allocator);

  const std::vector<Level>& levels() const { return launches_.levels; }
  const std::vector<ProductGroup>& groups() const { return launches_.groups; }
  const std::vector<MergeInversesGroup>& inverse_merge_groups() const { return inverse_merge_groups_; }
  std::int32_t groups_end(std::size_t level) const { return launches_.groups_end(level); }
  /// Whether the run of levels begins with this one.
  bool run_begins(std::size_t level) const { return launches_.run.first_level == static_cast<std::int32_t>(level); }

  const PanelInfo* panels = nullptr;
  const UpdateInfo* updates = nullptr;
  const std::int32_t* update_of_row = nullptr;
  const std::int32_t* relative_rows = nullptr;
  const std::int32_t* rows = nullptr;
  const std::int64_t* source = nullptr;  ///< Assembly map; sources as assemble() takes them.
  const std::int64_t* target = nullptr;
  const std::int64_t* diagonal = nullptr;  ///< CudaPlan::own_columns() indices of diagonal entries.
  const std::int32_t* old_of_new = nullptr;
  const std::int32_t* entry_row = nullptr;  ///< With keep_a only.
  const std::int32_t* entry_column = nullptr;
  const std::int32_t* column_rows = nullptr;  ///< LU, LDLᵀ: entries of each column of L, its diagonal included.
  // LU only:
  const std::int32_t* old_row_of_new = nullptr;
  const std::int32_t* start_row = nullptr;  ///< GeneralStructure::row_exponent in elimination order; nullptr: unknown.
  const std::int32_t* start_column = nullptr;
  EntryRows columns_of_a;
  EntryRows rows_of_a;         ///< LU and LDLᵀ.
  DeviceColumns column_lists;  ///< LU by columns.
  const FrontTask* tiny = nullptr;
  const FrontTask* small = nullptr;
  LevelRun run;
  const DiagonalTask* diagonal_blocks = nullptr;
  const TrsmTask* scale = nullptr;
  const ProductTask* product = nullptr;
  const RowSources* gather = nullptr;  ///< FrontGather.
  const std::int32_t* gather_more = nullptr;
  SolveSweep forward;  ///< Without counters.
  SolveSweep backward;
  SolveSweep forward_one_rhs;  ///< One right-hand side.
  SolveSweep backward_one_rhs;
  /// One of several devices: the sweeps of the top, while those above are of its subtrees. Empty on a single device.
  SolveSweep top_forward;
  SolveSweep top_backward;
  SolveSweep top_forward_one_rhs;
  SolveSweep top_backward_one_rhs;
  const MergeInversesTask* inverse_merges = nullptr;
  /// FactorData::readers and LevelRun::counters, one per panel, and LevelRun::claims; not zeroed yet.
  std::int32_t* panel_counters = nullptr;
  /// As in FactorData; nullptr if no level uses ordered accumulation. The order_bytes that begin at tasks_added, which
  /// include the claims, must be zeroed before a factorization.
  std::int32_t* tasks_added = nullptr;
  std::int32_t* claims = nullptr;
  std::int64_t order_bytes = 0;
  const std::int32_t* tasks_before_row = nullptr;

  /// Returns the bytes of all arrays, which cuda_memory() counts as index.
  std::int64_t bytes_filled() const { return slab_.used() + order_slab_.used(); }

 private:
  void add_structure(Upload& upload, const FactorStructure& plan, const DevicePlanOptions& options);
  void add_column_rows(Upload& upload, const FactorStructure& plan);
  void add_general(Upload& upload, const FactorStructure& plan);
  void add_columns(Upload& upload, const ColumnEntries& by_column);
  void add_tables(Upload& upload, const LaunchTables& tables, const CudaPlan& plan);
  void add_solve(Upload& upload, const LaunchTables& tables, const CudaPlan& plan, ScalarType scalar);
  void add_launches(Upload& upload);
  void add_column_lists(Upload& upload, const CudaPlan& plan);

  const LaunchPlan& launches_;
  const std::vector<MergeInversesGroup>& inverse_merge_groups_;
  Slab slab_;
  Slab order_slab_;
};

}  // namespace gpusupernodal::cuda
