#include "solver/plan/general_plan.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>

#include "kernels/common/scalar_traits.hpp"
#include "solver/general/equilibration.hpp"
#include "solver/general/symmetrized_pattern.hpp"
#include "solver/general/threshold_pivots.hpp"

namespace gpusupernodal {
namespace {

Matching matching_of_values(const ColumnEntries& entries, const double* magnitudes) {
  std::vector<double> by_column(entries.rows.size());
  for (std::size_t e = 0; e < by_column.size(); ++e) by_column[e] = magnitudes[entries.entry[e]];
  return maximum_product_matching(entries, by_column.data());
}

/// Whether a diagonal entry is missing or small in the equilibrated matrix, whose largest entries are about 1. A matching
/// moves rows that need not move, and the symmetrized pattern then has more fill, so it is made only where pivots need it.
bool has_weak_diagonal(const ColumnEntries& entries, const double* magnitudes, const Scales& scales) {
  constexpr double weak = 1e-3;
  for (std::int32_t j = 0; j < entries.n; ++j) {
    const auto begin = entries.rows.begin() + entries.offsets[static_cast<std::size_t>(j)];
    const auto end = entries.rows.begin() + entries.offsets[static_cast<std::size_t>(j) + 1];
    const auto found = std::lower_bound(begin, end, j);
    if (found == end || *found != j) return true;
    const double diagonal = magnitudes[entries.entry[static_cast<std::size_t>(found - entries.rows.begin())]];
    const auto k = static_cast<std::size_t>(j);
    if (!(scales.row[k] * diagonal * scales.column[k] >= weak)) return true;
  }
  return false;
}

/// Binary exponents of powers of two.
std::vector<std::int32_t> exponents_of(const std::vector<double>& scales) {
  std::vector<std::int32_t> exponents;
  exponents.reserve(scales.size());
  for (const double scale : scales) exponents.push_back(std::ilogb(scale));
  return exponents;
}

/// Takes the matching and its scales.
void exchange_rows(GeneralStructure& general, Matching matching) {
  general.matching = std::move(matching);
  general.row_exponent = exponents_of(general.matching.row_scale);
  general.column_exponent = exponents_of(general.matching.column_scale);
}

std::shared_ptr<const FactorPlan> plan_of(std::shared_ptr<const GeneralInput> input, PlanOptions options,
                                          const std::function<bool(const Progress&)>& progress) {
  const SymmetrizedPattern symmetrized =
      symmetrized_pattern(input->structure.entries, input->structure.matching.row_of_column);
  options.general = std::move(input);
  return make_plan(symmetrized.view(), options, progress);
}

template <class S>
std::vector<double> magnitudes_of(const S* values, std::size_t count) {
  std::vector<double> magnitudes;
  magnitudes.reserve(count);
  for (std::size_t e = 0; e < count; ++e) magnitudes.push_back(static_cast<double>(ScalarTraits<S>::abs(values[e])));
  return magnitudes;
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

Matching rows_in_place(std::int32_t n) {
  Matching matching;
  matching.row_of_column.resize(static_cast<std::size_t>(n));
  std::iota(matching.row_of_column.begin(), matching.row_of_column.end(), 0);
  matching.structural_rank = n;
  return matching;
}

}  // namespace

std::shared_ptr<const FactorPlan> make_general_plan(const PatternView& pattern, const double* magnitudes, MatchingRule rule,
                                                    const PlanOptions& options,
                                                    const std::function<bool(const Progress&)>& progress) {
  validate_general_pattern(pattern);
  auto input = std::make_shared<GeneralInput>();
  input->pattern = pattern;
  GeneralStructure& general = input->structure;
  general.entries = column_entries(pattern);
  Scales scales;
  if (magnitudes != nullptr && rule != MatchingRule::product) equilibrate(general.entries, magnitudes, scales);
  const bool exchange =
      magnitudes != nullptr && (rule == MatchingRule::product ||
                                (rule == MatchingRule::automatic && has_weak_diagonal(general.entries, magnitudes, scales)));
  if (exchange) {
    exchange_rows(general, matching_of_values(general.entries, magnitudes));
  } else {
    general.matching = rows_in_place(general.entries.n);
    general.row_exponent = exponents_of(scales.row);
    general.column_exponent = exponents_of(scales.column);
  }
  return plan_of(std::move(input), options, progress);
}

template <class S>
std::shared_ptr<const FactorPlan> make_repivoted_plan(const FactorPlan& earlier, const S* values, RowExchange exchange,
                                                      const PlanOptions& options) {
  const GeneralStructure& before = *earlier.structure().general;
  auto input = std::make_shared<GeneralInput>();
  input->pattern_hash = earlier.structure().pattern_hash;
  GeneralStructure& general = input->structure;
  general.entries = before.entries;
  const std::vector<double> magnitudes = magnitudes_of(values, general.entries.rows.size());
  exchange_rows(general, matching_of_values(general.entries, magnitudes.data()));
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
GPUSUPERNODAL_INSTANTIATE(float)
GPUSUPERNODAL_INSTANTIATE(double)
GPUSUPERNODAL_INSTANTIATE(std::complex<float>)
GPUSUPERNODAL_INSTANTIATE(std::complex<double>)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
