#include "cli/plot/pattern_cells.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace gpusupernodal::cli {
namespace {

/// Calls visit(row, column) for every entry of A, also for those of the triangle that is not stored.
template <class Visit>
void for_each_entry(const MatrixView<double>& a, const Visit& visit) {
  const bool by_columns = a.compression == Compression::columns;
  for (std::int64_t outer = 0; outer < a.n; ++outer) {
    for (std::int64_t e = a.offsets[outer]; e < a.offsets[outer + 1]; ++e) {
      const std::int64_t inner = a.indices[e];
      by_columns ? visit(inner, outer) : visit(outer, inner);
      if (a.part != StoredPart::full && inner != outer) by_columns ? visit(outer, inner) : visit(inner, outer);
    }
  }
}

}  // namespace

std::int64_t CellCounts::largest() const { return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end()); }

CellCounts count_cells(const MatrixView<double>& a, const std::vector<std::int64_t>& new_of_old, int max_cells) {
  CellCounts result;
  result.cells = static_cast<int>(std::min<std::int64_t>(a.n, max_cells));
  const auto cells = static_cast<std::size_t>(result.cells);
  result.counts.resize(cells * cells);
  const auto cell_of = [&](std::int64_t row) {
    const std::int64_t place = new_of_old.empty() ? row : new_of_old[static_cast<std::size_t>(row)];
    return static_cast<std::size_t>(place * result.cells / a.n);
  };
  for_each_entry(a, [&](std::int64_t row, std::int64_t column) { ++result.counts[cell_of(row) * cells + cell_of(column)]; });
  return result;
}

std::vector<std::int64_t> inverse_permutation(const std::vector<std::int64_t>& permutation) {
  std::vector<std::int64_t> inverse(permutation.size());
  for (std::size_t k = 0; k < permutation.size(); ++k)
    inverse[static_cast<std::size_t>(permutation[k])] = static_cast<std::int64_t>(k);
  return inverse;
}

std::string shades_of(const CellCounts& cells, std::int64_t largest) {
  constexpr int darkest = 9;
  std::string text(cells.counts.size(), '0');
  for (std::size_t k = 0; k < text.size(); ++k) {
    const std::int64_t count = cells.counts[k];
    if (count == 0) continue;
    const double part = largest <= 1 ? 1.0 : std::log(static_cast<double>(count)) / std::log(static_cast<double>(largest));
    text[k] = static_cast<char>('0' + std::clamp(1 + static_cast<int>(part * darkest), 1, darkest));
  }
  return text;
}

RowLengths row_lengths(const MatrixView<double>& a) {
  RowLengths result;
  if (a.n == 0) return result;
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(a.n));
  for_each_entry(a, [&](std::int64_t row, std::int64_t) { ++lengths[static_cast<std::size_t>(row)]; });
  std::int64_t entries = 0;
  for (const std::int64_t length : lengths) entries += length;
  const auto [shortest, longest] = std::minmax_element(lengths.begin(), lengths.end());
  result.shortest = *shortest;
  result.longest = *longest;
  result.mean = static_cast<double>(entries) / static_cast<double>(a.n);
  constexpr std::int64_t most_bins = 24;
  const std::int64_t width = (result.longest - result.shortest) / most_bins + 1;
  for (std::int64_t from = result.shortest; from <= result.longest; from += width)
    result.bins.push_back({from, from + width - 1, 0});
  for (const std::int64_t length : lengths) ++result.bins[static_cast<std::size_t>((length - result.shortest) / width)].rows;
  return result;
}

}  // namespace gpusupernodal::cli
