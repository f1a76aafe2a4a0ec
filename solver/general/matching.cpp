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
constexpr double unit = 0x1p-32;

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

/// −log2 of a magnitude, or no_entry.
double negative_logarithm(double magnitude) {
  if (!(magnitude > 0.0)) return no_entry;
  const double finite = std::min(magnitude, std::numeric_limits<double>::max());
  return -std::nearbyint(std::log2(finite) / unit) * unit;
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
};

/// Adds an integer to the logarithms of the rows of each component and subtracts it from those of its columns, so that the
/// ranges of both have the same middle. Scaled entries stay as they are, and the largest exponent becomes as small as
/// possible.
void balance(Components components, std::vector<double>& rows, std::vector<double>& columns) {
  const std::size_t n = rows.size();
  std::vector<Range> row_range(2 * n);
  std::vector<Range> column_range(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    row_range[at(components.find(static_cast<std::int64_t>(i)))].include(rows[i]);
    column_range[at(components.find(static_cast<std::int64_t>(n + i)))].include(columns[i]);
  }
  const auto shift = [&](std::size_t vertex) {
    const std::size_t root = at(components.find(static_cast<std::int64_t>(vertex)));
    const bool both =
        row_range[root].least <= row_range[root].greatest && column_range[root].least <= column_range[root].greatest;
    return both ? std::nearbyint((column_range[root].middle() - row_range[root].middle()) / 2) : 0.0;
  };
  for (std::size_t i = 0; i < n; ++i) {
    rows[i] += shift(i);
    columns[i] -= shift(n + i);
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
  balance(Components(a, costs.of_entry), matching.row_scale, matching.column_scale);
  round_to_powers(matching.row_scale);
  round_to_powers(matching.column_scale);
  return matching;
}

}  // namespace gpusupernodal
