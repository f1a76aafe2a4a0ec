#include "solver/general/matching.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "base/raw_vector.hpp"
#include "solver/general/assignment.hpp"
#include "solver/general/powers_of_two.hpp"

namespace gpusupernodal {
namespace {

/// Logarithms are multiples of 2⁻³²: with magnitudes of doubles they have 44 bits, so sums of 500 of them are exact.
/// Adding this and subtracting it again rounds to such a multiple.
constexpr double to_multiples = 0x1.8p52 * 0x1p-32;
/// Beyond this, an exponent is too large for a scale in single precision.
constexpr double large_exponent = 100.0;

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

/// −log2 of a magnitude, or no_entry.
double negative_logarithm(double magnitude) {
  if (!(magnitude > 0.0)) return no_entry;
  const double finite = std::min(magnitude, std::numeric_limits<double>::max());
  return to_multiples - (std::log2(finite) + to_multiples);
}

/// Costs ≥ 0 of the entries: the largest logarithm of the column minus the entry's own.
struct Costs {
  RawVector<double> of_entry;
  std::vector<double> shift;  ///< Subtracted from the negative logarithms of each column.
};

Costs costs_of(const ColumnEntries& a, const double* magnitudes) {
  Costs costs;
  costs.of_entry.resize(a.rows.size());
  costs.shift.assign(at(a.n), 0.0);
  std::transform(magnitudes, magnitudes + a.rows.size(), costs.of_entry.begin(), negative_logarithm);
  for (std::int32_t j = 0; j < a.n; ++j) {
    const auto begin = costs.of_entry.begin() + a.offsets[at(j)];
    const auto end = costs.of_entry.begin() + a.offsets[at(j) + 1];
    if (begin == end) continue;
    const double least = *std::min_element(begin, end);
    if (least == no_entry) continue;
    costs.shift[at(j)] = least;
    std::for_each(begin, end, [least](double& cost) { cost -= least; });
  }
  return costs;
}

/// The connected components of the rows and columns of a matrix, by union and find. Rows are vertices 0 … n−1 and columns
/// n … 2n−1.
class Components {
 public:
  Components(const ColumnEntries& a, const RawVector<double>& costs) : parent_(2 * at(a.n)) {
    std::iota(parent_.begin(), parent_.end(), std::int64_t{0});
    for (std::int32_t j = 0; j < a.n; ++j) {
      for (std::int64_t k = a.offsets[at(j)]; k < a.offsets[at(j) + 1]; ++k) {
        if (costs[at(k)] != no_entry) parent_[at(find(a.rows[at(k)]))] = find(a.n + std::int64_t{j});
      }
    }
  }

  std::int64_t find(std::int64_t vertex) {
    while (parent_[at(vertex)] != vertex) {
      parent_[at(vertex)] = parent_[at(parent_[at(vertex)])];
      vertex = parent_[at(vertex)];
    }
    return vertex;
  }

 private:
  std::vector<std::int64_t> parent_;
};

struct Range {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();

  void include(double x) {
    least = std::min(least, x);
    greatest = std::max(greatest, x);
  }
  double middle() const { return (least + greatest) / 2; }
  bool empty() const { return !(least <= greatest); }
};

/// The logarithms of the rows and of the columns of one component.
struct Ranges {
  Range rows;
  Range columns;

  /// What to add to the logarithms of the rows, and to subtract from those of the columns, so that both have about the same
  /// middle: an integer, which leaves sums as they are when they are rounded.
  double shift() const {
    return rows.empty() || columns.empty() ? 0.0 : std::nearbyint((columns.middle() - rows.middle()) / 2);
  }
  bool large(double shift) const {
    return std::max(std::abs(rows.least + shift), std::abs(rows.greatest + shift)) > large_exponent ||
           std::max(std::abs(columns.least - shift), std::abs(columns.greatest - shift)) > large_exponent;
  }
};

/// Shifts the logarithms of rows and columns, which leaves scaled entries as they are and makes the scales small: all by the
/// same number, or those of each component by its own if some scales would be large otherwise.
void balance(const ColumnEntries& a, const RawVector<double>& costs, std::vector<double>& rows,
             std::vector<double>& columns) {
  const std::size_t n = rows.size();
  Ranges all;
  std::for_each(rows.begin(), rows.end(), [&](double x) { all.rows.include(x); });
  std::for_each(columns.begin(), columns.end(), [&](double x) { all.columns.include(x); });
  const double shift = all.shift();
  if (!all.large(shift)) {
    std::for_each(rows.begin(), rows.end(), [&](double& x) { x += shift; });
    std::for_each(columns.begin(), columns.end(), [&](double& x) { x -= shift; });
    return;
  }
  Components components(a, costs);
  std::vector<Ranges> ranges(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    ranges[at(components.find(static_cast<std::int64_t>(i)))].rows.include(rows[i]);
    ranges[at(components.find(static_cast<std::int64_t>(n + i)))].columns.include(columns[i]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    rows[i] += ranges[at(components.find(static_cast<std::int64_t>(i)))].shift();
    columns[i] -= ranges[at(components.find(static_cast<std::int64_t>(n + i)))].shift();
  }
}

/// Sets the scales of rows and columns without nonzeros to 1.
void reset_empty(const ColumnEntries& a, const RawVector<double>& costs, Matching& matching) {
  std::vector<char> row_has(at(a.n), 0);
  for (std::size_t j = 0; j < at(a.n); ++j) {
    bool column_has = false;
    for (auto k = at(a.offsets[j]); k < at(a.offsets[j + 1]); ++k) {
      if (costs[k] == no_entry) continue;
      row_has[at(a.rows[k])] = 1;
      column_has = true;
    }
    if (!column_has) matching.column_scale[j] = 1.0;
  }
  for (std::size_t i = 0; i < at(a.n); ++i) {
    if (row_has[i] == 0) matching.row_scale[i] = 1.0;
  }
}

/// Assigns the free rows to the free columns, on the diagonal where both are free.
void complete(Assignment& assignment) {
  std::vector<std::int32_t>& row_of_column = assignment.row_of_column;
  std::vector<std::int32_t>& column_of_row = assignment.column_of_row;
  for (std::size_t j = 0; j < row_of_column.size(); ++j) {
    if (row_of_column[j] >= 0 || column_of_row[j] >= 0) continue;
    row_of_column[j] = column_of_row[j] = static_cast<std::int32_t>(j);
  }
  auto free_row = column_of_row.begin();
  for (std::int32_t& row : row_of_column) {
    if (row >= 0) continue;
    free_row = std::find(free_row, column_of_row.end(), -1);
    row = static_cast<std::int32_t>(free_row - column_of_row.begin());
    ++free_row;
  }
}

}  // namespace

Matching maximum_product_matching(const ColumnEntries& a, const double* magnitudes) {
  const Costs costs = costs_of(a, magnitudes);
  Assignment assignment = least_cost_assignment(a, costs.of_entry);
  Matching matching;
  matching.structural_rank = assignment.size;
  complete(assignment);
  matching.row_of_column = std::move(assignment.row_of_column);
  matching.row_scale = std::move(assignment.row_potential);
  matching.column_scale = std::move(assignment.column_potential);
  for (std::size_t j = 0; j < at(a.n); ++j) matching.column_scale[j] += costs.shift[j];
  balance(a, costs.of_entry, matching.row_scale, matching.column_scale);
  round_to_powers(matching.row_scale);
  round_to_powers(matching.column_scale);
  if (matching.structural_rank < a.n) reset_empty(a, costs.of_entry, matching);
  return matching;
}

}  // namespace gpusupernodal
