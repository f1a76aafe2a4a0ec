#include "solver/plan/dense_plan.hpp"

#include <utility>

#include "base/stopwatch.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"
#include "solver/general/symmetrized_pattern.hpp"
#include "solver/plan/general_input.hpp"
#include "solver/symbolic/grouped_ordering.hpp"
#include "solver/symbolic/step_log.hpp"

namespace gpusupernodal {
namespace {

void report_dense_step(const std::function<bool(const Progress&)>& progress, const char* step) {
  if (progress && !progress(Progress{step, 0.0})) fail<Cancelled>("analyze was cancelled in the step '{}'", step);
}

/// Whether A + Aᵀ has so many entries that L and U are full in any order.
bool fills_in_any_order(const SymmetrizedPattern& sum, std::int64_t n) {
  return 4 * static_cast<std::int64_t>(sum.rows.size()) > n * n;  // Half of n² entries lie on and below the diagonal.
}

EliminationOrder natural_order(std::int32_t n) {
  EliminationOrder order(static_cast<std::size_t>(n));
  for (NewIndex k : order.ids()) order[k] = OldIndex(k.value);
  return order;
}

EliminationOrder dense_order(const GeneralInput& input, const PlanOptions& options, SymbolicReport& report,
                             ThreadTeam& team) {
  const SymmetrizedPattern sum = symmetrized_pattern(input.structure.entries, input.structure.matching.row_of_column);
  SymbolicOptions symbolic = options.symbolic;
  const bool is_free = symbolic.ordering == Ordering::automatic && symbolic.last_rows.empty();
  if (is_free && fills_in_any_order(sum, input.structure.entries.n)) {
    report.ordering = Ordering::natural;
    report.reason = "more than half of the entries are nonzero";
    return natural_order(input.structure.entries.n);
  }
  symbolic.for_device = false;
  const AdjacencyGraph graph = build_adjacency(sum.view(), team);
  const RowGroups groups(graph.order, symbolic.last_rows);
  ChosenOrder chosen = grouped_order(graph, groups, symbolic, team);
  report.ordering = chosen.method;
  report.reason = std::move(chosen.reason);
  return chosen.tree ? std::move(chosen.tree->permutation.old_of_new) : std::move(chosen.order);
}

/// Counts of entries and operations as if there were no zeros. Reports double them for LU.
void describe_dense(FactorStructure& structure) {
  const DenseStructure& dense = *structure.dense;
  const std::int64_t n = dense.n;
  structure.symbolic.nonzeros = n * (n + 1) / 2;
  structure.symbolic.flops = structure.stored_flops = dense.flops() / 2.0;
  structure.shape.largest_width = structure.shape.largest_front = n;
  structure.shape.height = n > 0 ? 1 : 0;
}

}  // namespace

std::shared_ptr<const FactorPlan> make_dense_plan(const PatternView& pattern, const double* magnitudes,
                                                  const PlanOptions& options,
                                                  const std::function<bool(const Progress&)>& progress) {
  if (pattern.n > max_dense_order) {
    fail<InvalidInput>(
        "lu_schedule is dense, but the matrix is of order {}; dense storage is for orders up to {}; set lu_schedule to "
        "supernodes, columns or automatic",
        pattern.n, max_dense_order);
  }
  const auto input = general_input(pattern, magnitudes, MatchingRule::none);
  const auto structure = std::make_shared<FactorStructure>();
  structure->pattern_hash = hash_of(pattern, nullptr);
  ThreadTeam team(1);  // Small matrices.
  StepLog log;
  team.execute([&] {
    report_dense_step(progress, "ordering");
    const Stopwatch watch;
    SymbolicFactor& symbolic = structure->symbolic;
    log.time("ordering", [&] {
      symbolic.permutation = permutation_from(dense_order(*input, options, structure->symbolic_report, team));
      return bytes_in(symbolic.permutation.old_of_new);
    });
    structure->symbolic_report.seconds_ordering = watch.seconds();
    symbolic.first_column.push_back(NewIndex(input->structure.entries.n));
    symbolic.row_offset.push_back(0);
    structure->general = ordered(*input, symbolic.permutation);
    structure->dense = std::make_shared<DenseStructure>(input->structure.entries.n);
    report_dense_step(progress, "layout");
    log.time("assembly map", [&] {
      structure->assembly = build_dense_assembly_map(*structure->general, symbolic.permutation, *structure->dense);
      return bytes_of(structure->assembly);
    });
    describe_dense(*structure);
  });
  structure->symbolic_report.steps = log.take();
  const auto host = std::make_shared<HostPlan>();
  host->structure = structure;
  return std::make_shared<FactorPlan>(host, nullptr);
}

}  // namespace gpusupernodal
