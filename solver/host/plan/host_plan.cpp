#include "solver/host/plan/host_plan.hpp"

#include <algorithm>
#include <cmath>

#include "solver/factor/column_rows.hpp"
#include "solver/host/plan/column_workers.hpp"
#include "solver/host/plan/dense_workspace.hpp"
#include "solver/symbolic/step_log.hpp"

namespace gpusupernodal {
namespace {

// Enough subtrees for 16 threads to balance, also in solves, where subtrees are a larger part of the work. A subtree
// below the floor costs more as a task than it gains.
constexpr double subtree_share = 1.0 / 512;
constexpr double subtree_floor_flops = 4e6;
// A supernode above the leaf subtrees with less work than this takes less time than scheduling its tasks.
constexpr double max_chained_flops = 5e5;
// Work that takes about as long as passing a task to another thread: one microsecond.
constexpr double hand_over_flops = 5e3;

/// Chooses the block width. Wide blocks copy their operands less often; narrow blocks give more tasks to the threads.
/// The widest separators of a 3D grid grow as the cube root of all operations: half of that growth goes into wider
/// blocks, half into more of them. The storage cuts wide supernodes at multiples of panel_block. Up to half of panel_block,
/// the width is the nearest divisor of it, because a slightly smaller width would give narrower blocks.
std::int32_t block_width_for(double flops) {
  constexpr double narrowest = 128;
  constexpr double widest = 384;
  const auto width = static_cast<std::int32_t>(std::clamp(4.2 * std::pow(flops, 1.0 / 6), narrowest, widest)) / 8 * 8;
  if (width >= panel_block / 2) return width;
  const auto parts = static_cast<std::int32_t>(std::lround(static_cast<double>(panel_block) / width));
  return (panel_block / parts + 7) / 8 * 8;
}

}  // namespace

ScheduleOptions host_schedule_options(const HostPlanOptions& options, double flops) {
  if (options.schedule) return *options.schedule;
  ScheduleOptions schedule;
  schedule.block_width = options.block_width > 0 ? options.block_width : block_width_for(flops);
  schedule.max_subtree_flops = std::max(flops * subtree_share, subtree_floor_flops);
  schedule.max_chained_flops = max_chained_flops;
  schedule.hand_over_flops = hand_over_flops;
  return schedule;
}

std::int64_t bytes_of(const SolveSchedule& s) {
  return bytes_in_graph(s.forward) + bytes_in_graph(s.backward) +
         bytes_in(s.subtree_boundary, s.subtree_rows, s.supernode_boundary, s.rows_inside, s.outside_offset,
                  s.outside_position, s.gather_offset, s.gathers);
}

std::int64_t HostPlan::bytes() const {
  return static_cast<std::int64_t>(sizeof(HostPlan)) + bytes_of(schedule) + bytes_of(solve);
}

/// Tasks are panels and updates of tiles by them. The longest path is that of the panels: all but the first are updated
/// once.
PlannedWork dense_work(const DenseStructure& dense) {
  PlannedWork work;
  for (std::int64_t first = 0; first < dense.n; first += dense.panel) {
    const std::int64_t rows = dense.n - first;
    const std::int64_t width = std::min<std::int64_t>(dense.panel, rows);
    const double of_panel = DenseStructure(static_cast<std::int32_t>(width)).flops() +
                            static_cast<double>(width) * static_cast<double>(width) * static_cast<double>(rows - width);
    const double of_update =
        2.0 * static_cast<double>(width) * static_cast<double>(dense_tile) * static_cast<double>(rows - width);
    work.tasks += 1 + (rows - width + dense_tile - 1) / dense_tile;
    work.critical_path_flops += (of_panel + of_update) / 2.0;
  }
  work.critical_path_flops = std::min(work.critical_path_flops, dense.flops() / 2.0);
  return work;
}

PlannedWork HostPlan::work() const {
  if (structure->columns) return {structure->columns->n, structure->columns->tail_flops / 2.0};
  if (structure->dense) return dense_work(*structure->dense);
  return {static_cast<std::int64_t>(schedule.graph.tasks.size()), schedule.graph.critical_path_flops};
}

std::int64_t host_solve_elements(const HostPlan& plan, int workers) {
  if (plan.structure->columns)
    return std::int64_t{column_workers(*plan.structure->columns, workers)} * plan.structure->symbolic.order();
  if (plan.structure->dense) return plan.structure->symbolic.order();
  return plan.structure->symbolic.order() + plan.solve.boundary_entries + workers * plan.solve.largest_rows_in_subtrees;
}

MemoryEstimate HostPlan::memory(const MemoryRequest& request) const {
  MemoryEstimate memory;
  memory.factor = structure->factor_values() * bytes_of(request.scalar);
  memory.index = structure->bytes() + bytes();
  const std::int64_t n = structure->symbolic.order();
  memory.workspace = host_solve_elements(*this, request.host_workers) * bytes_of(request.scalar);
  const std::int64_t real_bytes = is_single(request.scalar) ? sizeof(float) : sizeof(double);
  const std::int64_t wide_bytes = is_complex(request.scalar) ? 2 * sizeof(double) : sizeof(double);
  // Refinement keeps A and its vectors, and sums residuals (in double precision) and row norms.
  if (request.keep_a) {
    memory.workspace += (structure->assembly.entries_of_a + refinement_vectors * n) * bytes_of(request.scalar) +
                        n * (wide_bytes + std::int64_t{sizeof(double)});
    if (!structure->general) memory.workspace += 2 * n * wide_bytes;  // A product in elimination order.
  }
  if (request.ldlt) {
    // The probe's vectors and D; the scales, the magnitudes of pivots and of L's columns; the exchanges.
    memory.workspace +=
        (probe_vectors + 2) * n * bytes_of(request.scalar) + 3 * n * real_bytes + n * std::int64_t{sizeof(std::int32_t)};
    // Scaling needs logarithms, maxima and the diagonal, and the logarithms of A's entries.
    memory.index += n * (2 * std::int64_t{sizeof(double)} + wide_bytes) +
                    static_cast<std::int64_t>(structure->assembly.source.size() * sizeof(float));
  }
  if (structure->general) {
    // The probe's vectors, and the scales of rows and columns in elimination order.
    memory.workspace += probe_vectors * n * bytes_of(request.scalar) + 2 * n * real_bytes;
    if (structure->columns) {
      memory.workspace += column_factor_bytes(*structure, request.scalar);
    } else {
      memory.workspace += 2 * n * real_bytes;  // The largest magnitudes in L and U.
    }
    // Equilibration needs its own scales and maxima.
    memory.index += 3 * n * std::int64_t{sizeof(double)};
  }
  if (structure->dense) {
    // The order of rows, and what the executor works with.
    memory.workspace += n * std::int64_t{sizeof(std::int32_t)} +
                        DenseWorkspace(*structure->dense, request.host_workers).bytes(bytes_of(request.scalar));
  }
  return memory;
}

}  // namespace gpusupernodal
