#include "solver/plan/general_plan.hpp"

#include <numeric>

#include "solver/general/symmetrized_pattern.hpp"

namespace gpusupernodal {
namespace {

Matching matching_of_values(const ColumnEntries& entries, const double* magnitudes) {
  std::vector<double> by_column(entries.rows.size());
  for (std::size_t e = 0; e < by_column.size(); ++e) by_column[e] = magnitudes[entries.entry[e]];
  return maximum_product_matching(entries, by_column.data());
}

Matching rows_in_place(std::int32_t n) {
  Matching matching;
  matching.row_of_column.resize(static_cast<std::size_t>(n));
  std::iota(matching.row_of_column.begin(), matching.row_of_column.end(), 0);
  matching.structural_rank = n;
  return matching;
}

}  // namespace

std::shared_ptr<const FactorPlan> make_general_plan(const PatternView& pattern, const double* magnitudes,
                                                    const PlanOptions& options,
                                                    const std::function<bool(const Progress&)>& progress) {
  validate_general_pattern(pattern);
  auto input = std::make_shared<GeneralInput>();
  input->pattern = pattern;
  GeneralStructure& general = input->structure;
  general.entries = column_entries(pattern);
  general.matching =
      magnitudes != nullptr ? matching_of_values(general.entries, magnitudes) : rows_in_place(general.entries.n);
  const SymmetrizedPattern symmetrized = symmetrized_pattern(general.entries, general.matching.row_of_column);
  PlanOptions wanted = options;
  wanted.cuda.reset();
  wanted.symbolic.for_device = false;
  wanted.general = input;
  return make_plan(symmetrized.view(), wanted, progress);
}

}  // namespace gpusupernodal
