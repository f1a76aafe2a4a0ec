#include "solver/cuda/plan/memory.hpp"

#include <algorithm>
#include <initializer_list>

#include "kernels/common/records.hpp"
#include "kernels/common/solve_shapes.hpp"
#include "kernels/common/tile_shapes.hpp"
#include "solver/cuda/plan/cuda_plan.hpp"

namespace gpusupernodal {
namespace {

constexpr std::int64_t id_bytes = 4;
constexpr std::int64_t offset_bytes = 8;
constexpr std::int64_t vectors_per_column = 3;  // Right-hand side, solution, and a copy in the caller's numbering for
                                                // host memory.
constexpr std::int64_t array_alignment = 256;   // Slab::alignment.

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

/// Bytes of a list that is copied to the device unchanged.
template <class Container>
std::int64_t padded_bytes(const Container& list) {
  return padded(count(list) * static_cast<std::int64_t>(sizeof(*list.data())));
}

/// Bytes of a list whose elements each become a `Record`.
template <class Record>
std::int64_t padded_records(std::int64_t elements) {
  return padded(elements * static_cast<std::int64_t>(sizeof(Record)));
}

std::int64_t sweep_bytes(const CudaSolveSweep& sweep) {
  return padded_records<cuda::SolveTask>(count(sweep.tasks)) + padded_records<cuda::SolveTask>(count(sweep.warp_tasks));
}

/// Entries of a symmetric matrix in both halves.
std::int64_t entries_of_both_halves(const AssemblyMap& a) {
  std::int64_t entries = 0;
  for (std::size_t e = 0; e < a.source.size(); ++e) entries += a.row[e] == a.column[e] ? 1 : 2;
  return entries;
}

std::int64_t structure_bytes(const CudaPlan& plan, const MemoryRequest& request) {
  const FactorStructure& s = *plan.structure;
  const std::int64_t n = s.symbolic.order();
  const std::int64_t entries = count(s.assembly.source);
  const std::int64_t rows = count(s.symbolic.rows);
  std::int64_t bytes = padded_records<cuda::PanelInfo>(s.symbolic.supernodes()) +
                       padded_records<cuda::UpdateInfo>(count(s.updates.updates)) +
                       sum_padded({rows * id_bytes, rows * id_bytes, count(s.updates.relative_rows) * id_bytes,
                                   entries * offset_bytes, entries * offset_bytes, plan.own_columns() * offset_bytes,
                                   n * id_bytes, cuda_panel_counters(plan) * id_bytes});
  if (request.keep_a) bytes += 2 * padded(entries * id_bytes);
  if (request.ldlt) {  // Lengths of columns, and the entries by rows.
    const std::int64_t both = entries_of_both_halves(s.assembly);
    bytes += sum_padded({n * id_bytes, (n + 1) * offset_bytes, both * id_bytes, both * offset_bytes});
  }
  if (!s.general) return bytes;
  // Order of rows, lengths of columns of panels and exponents of the matching; the entries by rows and by columns.
  const std::int64_t lists = (s.general->row_exponent.empty() ? 1 : 3) + (s.columns ? 0 : 1);
  return bytes + lists * padded(n * id_bytes) +
         2 * sum_padded({(n + 1) * offset_bytes, entries * id_bytes, entries * offset_bytes});
}

std::int64_t sweeps_bytes(const CudaSolvePlan& solve, ScalarType scalar) {
  const OneRhsSweeps one_rhs = solve.one_rhs_sweeps(scalar);
  return sweep_bytes(solve.forward) + sweep_bytes(solve.backward) + sweep_bytes(one_rhs.forward) +
         sweep_bytes(one_rhs.backward);
}

std::int64_t launch_bytes(const cuda::LaunchPlan& l) {
  return padded_bytes(l.tiny) + padded_bytes(l.small) + padded_bytes(l.run.fronts) + padded_bytes(l.run.groups) +
         padded_bytes(l.diagonal) + padded_bytes(l.scale) + padded_bytes(l.product);
}

}  // namespace

std::int64_t cuda_index_bytes(const CudaPlan& plan, const MemoryRequest& request) {
  if (plan.columns) return structure_bytes(plan, request) + cuda::column_list_bytes(*plan.structure->columns, *plan.columns);
  const CudaSolvePlan& solve = plan.solve;
  return structure_bytes(plan, request) + launch_bytes(plan.launches) + padded_bytes(solve.gather.rows) +
         padded_bytes(solve.gather.more) + padded_bytes(solve.inverse_merges) + sweeps_bytes(solve, request.scalar) +
         (plan.share ? sweeps_bytes(plan.share->top, request.scalar) : 0);
}

std::int64_t cuda_order_bytes(const CudaPlan& plan) {
  if (plan.launches.tasks_before_row.empty()) return 0;
  const std::int64_t claims = cuda::claims_per_level * count(plan.fronts.levels);
  return sum_padded({plan.structure->symbolic.order() * id_bytes, claims * id_bytes}) +
         padded_bytes(plan.launches.tasks_before_row);
}

std::int64_t cuda_panel_counters(const CudaPlan& plan) { return std::int64_t{plan.structure->symbolic.supernodes()} + 1; }

std::int64_t cuda_value_count(const CudaPlan& plan) { return plan.structure->factor_values() + cuda::overread; }

std::int64_t cuda_solve_columns(std::int64_t reserved) {
  if (reserved <= 1) return 1;
  return reserved <= cuda::solve_few ? cuda::solve_few : cuda::solve_many;
}

std::int64_t cuda_solve_counters(const CudaPlan& plan) {
  return cuda_solve_claims + plan.solve.forward.counters + plan.solve.backward.counters;
}

std::int64_t cuda_scaling_sweeps(const CudaPlan& plan) {
  constexpr std::int64_t from_nothing = 5;
  return plan.structure->general == nullptr || plan.structure->general->row_exponent.empty() ? from_nothing : 1;
}

std::int64_t one_rhs_unset_entries(const CudaPlan& plan) {
  if (plan.columns) return 0;
  return 3 * std::int64_t{plan.structure->symbolic.order()} + plan.solve.one_rhs_partials + plan.solve.one_rhs_sums;
}

std::int64_t cuda_sum_entries(const CudaPlan& plan) {
  if (plan.columns) return std::int64_t{plan.structure->columns->n} + plan.structure->columns->tail();
  return std::max(count(plan.structure->symbolic.rows), plan.solve.partials);
}

std::int64_t cuda_vector_bytes(const CudaPlan& plan, ScalarType scalar, std::int64_t reserved) {
  const std::int64_t columns = cuda_solve_columns(reserved);
  const SymbolicFactor& factor = plan.structure->symbolic;
  const std::int64_t sums = cuda_sum_entries(plan);
  return vectors_per_column * padded(factor.order() * columns * bytes_of(scalar)) +
         padded(sums * columns * bytes_of(scalar)) + padded(one_rhs_unset_entries(plan) * bytes_of(scalar));
}

std::int64_t cuda_refinement_bytes(const CudaPlan& plan, const MemoryRequest& request) {
  const std::int64_t vectors = refinement_vectors + (plan.structure->general || request.ldlt ? probe_vectors : 0);
  return vectors * plan.structure->symbolic.order() * bytes_of(request.scalar);
}

std::int64_t cuda_factor_workspace(const CudaPlan& plan, const MemoryRequest& request) {
  const std::int64_t n = plan.structure->symbolic.order();
  const std::int64_t vector_bytes = n * bytes_of(request.scalar);
  const std::int64_t scale_bytes = n * (is_single(request.scalar) ? 4 : 8);  // Scales are real.
  std::int64_t bytes = padded(plan.structure->assembly.entries_of_a * bytes_of(request.scalar)) +
                       padded(sizeof(cuda::DeviceStatus)) + padded(cuda_solve_counters(plan) * id_bytes);
  if (plan.structure->general)
    return bytes + sum_padded({4 * cuda_residual_columns * offset_bytes, cuda_scaling_sweeps(plan) * 2 * n * id_bytes,
                               scale_bytes, scale_bytes});
  if (request.ldlt) {
    bytes += sum_padded({cuda::scaling_words(n, cuda_scaling_sweeps(plan)) * id_bytes, scale_bytes, vector_bytes});
  }
  const std::int64_t residuals = request.ldlt ? cuda_residual_columns : 1;
  const std::int64_t doubles = cuda_residual_doubles(request.scalar);
  if (request.keep_a) bytes += sum_padded({doubles * n * offset_bytes, 4 * residuals * offset_bytes});
  return bytes;
}

MemoryEstimate cuda_memory(const CudaPlan& plan, const MemoryRequest& request) {
  MemoryEstimate memory;
  memory.factor = padded(cuda_value_count(plan) * bytes_of(request.scalar));
  memory.index = cuda_index_bytes(plan, request) + cuda_order_bytes(plan);
  memory.workspace = cuda_factor_workspace(plan, request) + cuda_vector_bytes(plan, request.scalar, 1);
  if (request.keep_a) memory.workspace += cuda_refinement_bytes(plan, request);
  if (plan.stages) memory.host = plan.stages->host_values * bytes_of(request.scalar);
  return memory;
}

CudaBlockSizes cuda_block_sizes(const CudaPlan& plan) {
  CudaBlockSizes sizes;
  for (const BlockColumn& block : plan.schedule.block_columns) sizes.widest = std::max(sizes.widest, block.width);
  for (const Task& task : plan.schedule.graph.tasks) {
    if (task.kind != TaskKind::update_between) continue;
    for (UpdateId u : IdRange<UpdateId>(task.update_begin, task.update_end)) {
      const Update& update = plan.structure->updates.updates[u];
      const std::int64_t rows =
          std::min(task.row_end - task.row_begin, plan.structure->symbolic.rows_below(update.source) - update.row_begin);
      const std::int64_t columns = std::min(plan.schedule.block_columns[task.target].width, update.columns());
      sizes.largest_product = std::max(sizes.largest_product, rows * columns);
    }
  }
  return sizes;
}

std::int64_t cuda_block_workspace(const CudaPlan& plan, ScalarType scalar, std::int64_t factor_work) {
  std::int64_t pieces = 0;
  const SymbolicFactor& factor = plan.structure->symbolic;
  for (SupernodeId s : factor.supernode_ids()) {
    if (!plan.schedule.in_subtree(s)) pieces += cuda::piece_count(factor.width(s));
  }
  const std::int64_t products = padded(cuda_block_sizes(plan).largest_product * bytes_of(scalar));
  return plan.options.streams * (products + padded(factor_work * bytes_of(scalar)) + array_alignment) +
         padded_records<cuda::DiagonalTask>(pieces);
}

}  // namespace gpusupernodal
