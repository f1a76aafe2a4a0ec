/// \file
/// Which schedule of LU a matrix gets where the options leave it to the library.

#include <algorithm>
#include <complex>
#include <new>
#include <utility>

#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/general/symmetrized_pattern.hpp"
#include "solver/plan/column_order.hpp"
#include "solver/plan/column_plan.hpp"
#include "solver/plan/dense_plan.hpp"
#include "solver/plan/general_input.hpp"
#include "solver/plan/general_plan.hpp"
#include "solver/plan/plan_cost.hpp"

namespace gpusupernodal {
namespace {

/// Fill of the symmetrized pattern, relative to that of L + U by columns, above which columns may be the better schedule on
/// a device.
constexpr double too_much_fill = 3.0;

/// A plan by columns needs a sparse LU on one core. With more operations than this by supernodes, it may take many seconds,
/// and dense panels are the faster schedule anyway.
constexpr double too_much_work = 1e9;

/// With fewer factorizations than this, faster ones are not worth the time of a second analysis.
constexpr std::int32_t few_factorizations = 10;

/// Orders for which dense storage was measured to be faster on one thread (bench/notebook/lu-dense.md). Smaller matrices
/// gain nothing.
constexpr std::int64_t smallest_dense = 200;
constexpr std::int64_t largest_dense = 1000;
static_assert(largest_dense <= max_dense_order);

/// Part of all entries that A has, so that L and U are full in any order, or that L and U by supernodes have, so that the
/// zeros are not worth their lists.
constexpr double full_a = 0.9;
constexpr double full_factor = 0.95;

double entries_by_supernodes(const FactorPlan& plan) { return 2.0 * static_cast<double>(plan.symbolic.nonzeros); }

/// Time of an additional analysis by columns for each entry of L + U: bench/notebook/lu.md, relative to the refactorizations
/// there.
constexpr double analysis_seconds_per_value = 1.2e-7;

double least_seconds(const FactorPlan& plan, const PlanOptions& options, ScalarType scalar) {
  const CostEstimate cost = estimate_cost(plan, CostModel(options.figures), options.symbolic.threads, scalar);
  if (!options.cuda) return cost.host;
  return options.symbolic.allow_host ? std::min(cost.host, cost.cuda) : cost.cuda;
}

/// Whether factorizations of this plan run on the host.
bool runs_on_host(const FactorPlan& plan, const PlanOptions& options, ScalarType scalar) {
  if (!options.cuda) return true;
  const CostEstimate cost = estimate_cost(plan, CostModel(options.figures), options.symbolic.threads, scalar);
  return options.symbolic.allow_host && cost.host < cost.cuda;
}

/// Whether the expected factorizations win back the time of an analysis by columns.
bool pays(double seconds_by_supernodes, double seconds_by_columns, double values, const PlanOptions& options) {
  return options.symbolic.expected_factorizations * (seconds_by_supernodes - seconds_by_columns) >
         analysis_seconds_per_value * values;
}

/// Whether a plan by columns is worth making. Without pivoting, L + U by columns has at most the entries of the symmetrized
/// pattern, and has about as many if A is nearly symmetric.
bool may_pay(const FactorPlan& supernodes, const PlanOptions& options, ScalarType scalar) {
  if (is_complex(scalar) && options.cuda && !options.symbolic.allow_host) return false;  // There are no kernels for it.
  const double entries = entries_by_supernodes(supernodes);
  if (runs_on_host(supernodes, options, scalar)) {
    const double most = host_column_seconds(entries, 2.0 * supernodes.symbolic.flops, scalar);
    if (pays(least_seconds(supernodes, options, scalar), most, entries, options)) return true;
  } else if (entries <= too_much_fill * static_cast<double>(supernodes.assembly.entries_of_a)) {
    return false;  // L + U has at least the entries of A.
  }
  const GeneralStructure& general = *supernodes.structure().general;
  return is_far_from_symmetric(general.entries, symmetrized_pattern(general.entries, general.matching.row_of_column));
}

/// Whether a plan by columns is better than those by supernodes and on dense storage (`best`, the better of the two).
bool is_better(const FactorPlan& columns, const FactorPlan& supernodes, const FactorPlan& best, const PlanOptions& options,
               ScalarType scalar) {
  const ColumnStructure& structure = *columns.structure().columns;
  const double by_columns = least_seconds(columns, options, scalar);
  const double by_others = least_seconds(best, options, scalar);
  if (runs_on_host(columns, options, scalar))
    return pays(by_others, by_columns, static_cast<double>(structure.values()), options);
  const auto entries = static_cast<double>(structure.nonzeros_l + structure.nonzeros_u);
  return entries_by_supernodes(supernodes) > too_much_fill * entries && by_columns < by_others;
}

/// Whether dense storage is a choice at all: on the host, for orders that it is measured for, if no exchange of rows was
/// asked for or forbidden.
bool dense_is_allowed(const PatternView& pattern, MatchingRule rule, const PlanOptions& options) {
  return !options.cuda && rule == MatchingRule::automatic && pattern.n >= smallest_dense && pattern.n <= largest_dense;
}

double all_entries(std::int64_t n) { return static_cast<double>(n) * static_cast<double>(n); }

/// Whether dense storage was measured to be faster, so that no other plan is needed for a comparison.
bool dense_is_known_to_be_better(const PatternView& pattern, const PlanOptions& options) {
  return options.symbolic.threads == 1 && static_cast<double>(pattern.entries()) >= full_a * all_entries(pattern.n);
}

bool dense_is_better(const FactorPlan& supernodes, const PlanOptions& options, ScalarType scalar) {
  const DenseStructure dense(supernodes.symbolic.order());
  if (entries_by_supernodes(supernodes) < full_factor * all_entries(dense.n)) return false;
  const double seconds =
      dense_lu_seconds(dense, dense_work(dense), CostModel(options.figures), options.symbolic.threads, scalar);
  return seconds < least_seconds(supernodes, options, scalar);
}

/// Returns nullptr if memory is short, where a plan by supernodes is there already.
std::shared_ptr<const FactorPlan> dense_plan_if_memory_suffices(const PatternView& pattern, const double* magnitudes,
                                                                const PlanOptions& options,
                                                                const std::function<bool(const Progress&)>& progress) {
  try {
    return make_dense_plan(pattern, magnitudes, options, progress);
  } catch (const OutOfMemory&) {
    return nullptr;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace

template <class S>
std::shared_ptr<const FactorPlan> make_cheaper_lu_plan(const PatternView& pattern, const S* values, MatchingRule rule,
                                                       const PlanOptions& options,
                                                       const std::function<bool(const Progress&)>& progress) {
  validate_general_pattern(pattern);
  const bool reads = values != nullptr && rule != MatchingRule::none;
  const std::vector<double> magnitudes =
      reads ? magnitudes_of(values, static_cast<std::size_t>(pattern.entries())) : std::vector<double>();
  const double* const known = magnitudes.empty() ? nullptr : magnitudes.data();
  const bool dense_allowed = dense_is_allowed(pattern, rule, options);
  if (dense_allowed && dense_is_known_to_be_better(pattern, options))
    return make_dense_plan(pattern, known, options, progress);
  auto supernodes = make_general_plan(pattern, known, rule, options, progress);
  auto best = supernodes;
  if (dense_allowed && dense_is_better(*supernodes, options, scalar_type_of<S>)) {
    if (auto dense = dense_plan_if_memory_suffices(pattern, known, options, progress)) best = std::move(dense);
  }
  const double flops = 2.0 * supernodes->symbolic.flops;
  const bool few_zeros = 2.0 * static_cast<double>(pattern.entries()) >= all_entries(pattern.n);  // Nor by columns.
  if (!has_lu_by_columns() || flops > too_much_work || options.symbolic.expected_factorizations < few_factorizations ||
      (best->structure().dense && few_zeros) || !may_pay(*supernodes, options, scalar_type_of<S>))
    return best;
  try {
    auto columns = make_column_plan(pattern, values, rule, options, progress, flops);
    return columns && is_better(*columns, *supernodes, *best, options, scalar_type_of<S>) ? columns : best;
  } catch (const OutOfMemory&) {  // There is a plan already.
    return best;
  } catch (const std::bad_alloc&) {
    return best;
  }
}

#define GPUSUPERNODAL_INSTANTIATE(S)                               \
  template std::shared_ptr<const FactorPlan> make_cheaper_lu_plan( \
      const PatternView&, const S*, MatchingRule, const PlanOptions&, const std::function<bool(const Progress&)>&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
