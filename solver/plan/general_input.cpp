#include "solver/plan/general_input.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solver/general/equilibration.hpp"

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

Matching rows_in_place(std::int32_t n) {
  Matching matching;
  matching.row_of_column.resize(static_cast<std::size_t>(n));
  std::iota(matching.row_of_column.begin(), matching.row_of_column.end(), 0);
  matching.structural_rank = n;
  return matching;
}

}  // namespace

std::shared_ptr<GeneralInput> general_input(const PatternView& pattern, const double* magnitudes, MatchingRule rule) {
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
  return input;
}

std::shared_ptr<GeneralInput> rematched_input(const FactorPlan& earlier, const double* magnitudes) {
  auto input = std::make_shared<GeneralInput>();
  input->pattern_hash = earlier.structure().pattern_hash;
  input->structure.entries = earlier.structure().general->entries;
  exchange_rows(input->structure, matching_of_values(input->structure.entries, magnitudes));
  return input;
}

std::shared_ptr<const GeneralStructure> ordered(const GeneralInput& input, const Permutation& columns) {
  auto structure = std::make_shared<GeneralStructure>(input.structure);
  structure->old_row_of_new.reserve(static_cast<std::size_t>(columns.order()));
  for (OldIndex column : columns.old_of_new)
    structure->old_row_of_new.push_back(OldIndex(structure->matching.row_of_column[static_cast<std::size_t>(column.value)]));
  return structure;
}

}  // namespace gpusupernodal
