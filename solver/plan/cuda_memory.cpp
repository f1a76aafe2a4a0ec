#include "solver/plan/cuda_memory.hpp"

#include <algorithm>
#include <initializer_list>

#include "solver/plan/cuda_tiling.hpp"
#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {
namespace {

// Sizes of the records of kernels/cuda/tasks.hpp; the executor asserts them.
constexpr std::int64_t panel_bytes = 32;
constexpr std::int64_t update_bytes = 24;
constexpr std::int64_t front_task_bytes = 8;
constexpr std::int64_t factor_task_bytes = 16;
constexpr std::int64_t product_task_bytes = 28;
constexpr std::int64_t solve_task_bytes = 80;
constexpr std::int64_t status_bytes = 64;
constexpr std::int64_t id_bytes = 4;
constexpr std::int64_t offset_bytes = 8;

constexpr std::int64_t vectors_a_column = 3;  // Right-hand side, solution, and the caller's numbering for host memory.
constexpr std::int64_t array_alignment = 256;

std::int64_t padded(std::int64_t bytes) { return (bytes + array_alignment - 1) / array_alignment * array_alignment; }

std::int64_t sum_padded(std::initializer_list<std::int64_t> arrays) {
  std::int64_t sum = 0;
  for (const std::int64_t bytes : arrays) sum += padded(bytes);
  return sum;
}

template <class Container>
std::int64_t count(const Container& container) {
  return static_cast<std::int64_t>(container.size());
}

/// The two lists of tasks of a sweep.
std::int64_t sweep_bytes(const CudaSolveSweep& sweep) {
  return sum_padded({count(sweep.tasks) * solve_task_bytes, count(sweep.warp_tasks) * solve_task_bytes});
}

std::int64_t index_bytes(const FactorPlan& plan, const CudaMemoryOptions& options) {
  const CudaTaskCounts counts = count_cuda_tasks(plan, options);
  const CudaSolvePlan& solve = plan.cuda().solve;
  const std::int64_t n = plan.symbolic.order();
  const std::int64_t entries = count(plan.assembly.source);
  const std::int64_t of_a = options.keep_a ? padded(entries * id_bytes) : 0;
  return sum_padded({plan.symbolic.supernodes() * panel_bytes,
                     count(plan.updates.updates) * update_bytes,
                     count(plan.symbolic.rows) * id_bytes,
                     count(plan.symbolic.rows) * id_bytes,
                     count(plan.updates.relative_rows) * id_bytes,
                     entries * offset_bytes,
                     entries * offset_bytes,
                     n * offset_bytes,
                     n * id_bytes,
                     plan.symbolic.supernodes() * id_bytes,
                     of_a,
                     of_a,
                     counts.tiny * front_task_bytes,
                     counts.small * front_task_bytes,
                     counts.diagonal * factor_task_bytes,
                     counts.scale * factor_task_bytes,
                     counts.product * product_task_bytes,
                     count(solve.gather.rows) * 4 * id_bytes,
                     count(solve.gather.more) * id_bytes,
                     count(solve.widenings) * factor_task_bytes}) +
         sweep_bytes(solve.forward) + sweep_bytes(solve.backward) +
         sweep_bytes(solve.forward_for_one(options.scalar_bytes)) +
         sweep_bytes(solve.backward_for_one(options.scalar_bytes));
}

}  // namespace

std::int64_t cuda_levels(const FactorPlan& plan) { return count(plan.cuda().fronts.levels); }

CudaTaskCounts count_cuda_tasks(const FactorPlan& plan, const CudaMemoryOptions& options) {
  CudaTaskCounts counts;
  const SymbolicFactor& factor = plan.symbolic;
  const CudaPlan& cuda = plan.cuda();
  const bool subtrees_alone = options.schedule == CudaSchedule::streams;
  for (SupernodeId s : factor.supernode_ids()) {
    if (subtrees_alone && !cuda.schedule.in_subtree(s)) continue;
    const std::int32_t width = factor.width(s);
    const std::int32_t front = factor.front(s);
    const CudaFrontKind kind = subtrees_alone ? natural_front_kind(width, front) : cuda.fronts.kind[s];
    if (kind != CudaFrontKind::pieces) {
      (kind == CudaFrontKind::tiny ? counts.tiny : counts.small) += 1;
      continue;
    }
    for (std::int32_t p = 0; p < cuda_pieces(width); ++p) {
      const std::int32_t below = front - p * cuda_tile - cuda_piece_width(width, p);
      counts.diagonal += 1;
      counts.scale += (below + cuda_tile - 1) / cuda_tile;
      counts.product += cuda_product_tasks(width, front, p, options.deterministic);
    }
  }
  return counts;
}

CudaBlockSizes cuda_block_sizes(const FactorPlan& plan) {
  CudaBlockSizes sizes;
  for (const BlockColumn& block : plan.cuda().schedule.block_columns) sizes.widest = std::max(sizes.widest, block.width);
  for (const Task& task : plan.cuda().schedule.graph.tasks) {
    if (task.kind != TaskKind::update_between) continue;
    for (UpdateId u : IdRange<UpdateId>(task.update_begin, task.update_end)) {
      const Update& update = plan.updates.updates[u];
      const std::int64_t rows =
          std::min(task.row_end - task.row_begin, plan.symbolic.rows_below(update.source) - update.row_begin);
      const std::int64_t columns = std::min(plan.cuda().schedule.block_columns[task.target].width, update.columns());
      sizes.largest_product = std::max(sizes.largest_product, rows * columns);
    }
  }
  return sizes;
}

std::int64_t cuda_block_workspace(const FactorPlan& plan, std::int64_t scalar_bytes, std::int32_t streams,
                                  std::int64_t factor_work) {
  std::int64_t pieces = 0;
  for (SupernodeId s : plan.symbolic.supernode_ids()) {
    if (!plan.cuda().schedule.in_subtree(s)) pieces += cuda_pieces(plan.symbolic.width(s));
  }
  const std::int64_t products = padded(cuda_block_sizes(plan).largest_product * scalar_bytes);
  return streams * (products + padded(factor_work * scalar_bytes) + array_alignment) + padded(pieces * factor_task_bytes);
}

std::int64_t cuda_turn_bytes(const FactorPlan& plan) {
  return sum_padded({plan.symbolic.order() * id_bytes, cuda_claims_a_level * cuda_levels(plan) * id_bytes,
                     count(plan.symbolic.rows) * id_bytes});
}

std::int64_t cuda_value_count(const FactorPlan& plan) { return plan.panels.values() + cuda_overread; }

std::int64_t cuda_solve_columns(std::int64_t reserved) {
  if (reserved <= 1) return 1;
  return reserved <= cuda_solve_few ? cuda_solve_few : cuda_solve_many;
}

std::int64_t cuda_solve_counters(const FactorPlan& plan) {
  const CudaSolvePlan& solve = plan.cuda().solve;
  return cuda_solve_claims + solve.forward.counters + solve.backward.counters;
}

std::int64_t cuda_single_unset(const FactorPlan& plan) {
  return 3 * std::int64_t{plan.symbolic.order()} + plan.cuda().solve.partials_single + plan.cuda().solve.sums_single;
}

std::int64_t cuda_vector_bytes(const FactorPlan& plan, std::int64_t scalar_bytes, std::int64_t reserved) {
  const std::int64_t columns = cuda_solve_columns(reserved);
  const std::int64_t sums = std::max(count(plan.symbolic.rows), plan.cuda().solve.partials);
  return vectors_a_column * padded(plan.symbolic.order() * columns * scalar_bytes) + padded(sums * columns * scalar_bytes) +
         padded(cuda_single_unset(plan) * scalar_bytes);
}

std::int64_t cuda_refinement_bytes(const FactorPlan& plan, std::int64_t scalar_bytes) {
  return refinement_vectors * plan.symbolic.order() * scalar_bytes;
}

MemoryEstimate cuda_memory(const FactorPlan& plan, const CudaMemoryOptions& options) {
  const std::int64_t scalar_bytes = options.scalar_bytes;
  MemoryEstimate memory;
  memory.factor = padded(cuda_value_count(plan) * scalar_bytes);
  memory.index = index_bytes(plan, options);
  memory.workspace =
      sum_padded({plan.assembly.entries_of_a * scalar_bytes, status_bytes, cuda_solve_counters(plan) * id_bytes}) +
      cuda_vector_bytes(plan, scalar_bytes, 1);
  if (options.keep_a) {
    const std::int64_t n = plan.symbolic.order();
    memory.workspace += sum_padded({2 * n * offset_bytes, 4 * offset_bytes}) + cuda_refinement_bytes(plan, scalar_bytes);
  }
  return memory;
}

}  // namespace gpusupernodal
