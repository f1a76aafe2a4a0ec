#include "solver/plan/general_plan.hpp"

#include <complex>

#include "gpusupernodal/build_config.hpp"
#include "solver/general/symmetrized_pattern.hpp"
#include "solver/general/threshold_pivots.hpp"
#include "solver/plan/general_input.hpp"

namespace gpusupernodal {
namespace {

std::shared_ptr<const FactorPlan> plan_of(std::shared_ptr<const GeneralInput> input, PlanOptions options,
                                          const std::function<bool(const Progress&)>& progress) {
  const SymmetrizedPattern symmetrized =
      symmetrized_pattern(input->structure.entries, input->structure.matching.row_of_column);
  options.general = std::move(input);
  return make_plan(symmetrized.view(), options, progress);
}

/// The order of columns of a plan, as Ordering::user has it.
std::vector<std::int64_t> columns_in_order(const FactorPlan& plan) {
  std::vector<std::int64_t> order;
  for (const OldIndex column : plan.symbolic.permutation.old_of_new) order.push_back(column.value);
  return order;
}

/// The rows that threshold pivoting gives to the columns of A in this order, with the scales of `general`.
template <class S>
ThresholdPivots pivots_for(const GeneralStructure& general, const S* values, const std::vector<std::int64_t>& order) {
  std::vector<std::int32_t> columns;
  for (const std::int64_t column : order) columns.push_back(static_cast<std::int32_t>(column));
  PivotSearch search;
  search.column_order = columns;
  search.preferred_row = general.matching.row_of_column;
  search.row_exponent = general.row_exponent;
  search.column_exponent = general.column_exponent;
  return threshold_pivots(general.entries, values, search);
}

}  // namespace

std::shared_ptr<const FactorPlan> make_general_plan(const PatternView& pattern, const double* magnitudes, MatchingRule rule,
                                                    const PlanOptions& options,
                                                    const std::function<bool(const Progress&)>& progress) {
  return plan_of(general_input(pattern, magnitudes, rule), options, progress);
}

template <class S>
std::shared_ptr<const FactorPlan> make_repivoted_plan(const FactorPlan& earlier, const S* values, RowExchange exchange,
                                                      const PlanOptions& options) {
  const GeneralStructure& before = *earlier.structure().general;
  const std::vector<double> magnitudes = magnitudes_of(values, before.entries.rows.size());
  auto input = rematched_input(earlier, magnitudes.data());
  GeneralStructure& general = input->structure;
  PlanOptions wanted = options;
  std::vector<std::int64_t> order;
  if (exchange == RowExchange::threshold) {
    order = columns_in_order(earlier);
    general.matching.row_of_column = pivots_for(general, values, order).row_of_column;
    wanted.symbolic.ordering = Ordering::user;
    wanted.symbolic.user_permutation = order;
  }
  if (general.matching.row_of_column == before.matching.row_of_column) return nullptr;
  return plan_of(std::move(input), std::move(wanted), {});
}

#define GPUSUPERNODAL_INSTANTIATE(S)                                                                       \
  template std::shared_ptr<const FactorPlan> make_repivoted_plan(const FactorPlan&, const S*, RowExchange, \
                                                                 const PlanOptions&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
