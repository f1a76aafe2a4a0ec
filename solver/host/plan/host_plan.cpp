#include "solver/host/plan/host_plan.hpp"

#include <algorithm>
#include <cmath>

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

PlannedWork HostPlan::work() const {
  return {static_cast<std::int64_t>(schedule.graph.tasks.size()), schedule.graph.critical_path_flops};
}

std::int64_t host_solve_elements(const HostPlan& plan, int workers) {
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
  }
  if (request.ldlt) {
    // The probe's vectors and D; the scales, the magnitudes of pivots and of L's columns; the exchanges.
    memory.workspace +=
        (probe_vectors + 2) * n * bytes_of(request.scalar) + 3 * n * real_bytes + n * std::int64_t{sizeof(std::int32_t)};
    // Scaling needs logarithms, maxima and the diagonal.
    memory.index += n * (2 * std::int64_t{sizeof(double)} + wide_bytes);
  }
  if (structure->general) {
    // The probe's vectors, the scales of rows and columns in elimination order, and the largest magnitudes in L and U.
    memory.workspace += probe_vectors * n * bytes_of(request.scalar) + 4 * n * real_bytes;
    // Equilibration needs its own scales and maxima.
    memory.index += 3 * n * std::int64_t{sizeof(double)};
  }
  return memory;
}

}  // namespace gpusupernodal
