#include "solver/plan/column_order.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace gpusupernodal {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

ColumnEntries inside_blocks(const ColumnEntries& a, const std::vector<std::int32_t>& row_of_column,
                            const BlockTriangularForm& form) {
  std::vector<std::int32_t> block_of_row(at(a.n));
  for (std::int32_t j = 0; j < a.n; ++j) block_of_row[at(row_of_column[at(j)])] = form.block[at(j)];
  ColumnEntries inside;
  inside.n = a.n;
  inside.offsets.push_back(0);
  for (std::int32_t j = 0; j < a.n; ++j) {
    for (std::int64_t e = a.offsets[at(j)]; e < a.offsets[at(j) + 1]; ++e) {
      if (block_of_row[at(a.rows[at(e)])] != form.block[at(j)]) continue;
      inside.rows.push_back(a.rows[at(e)]);
      inside.entry.push_back(a.entry[at(e)]);
    }
    inside.offsets.push_back(static_cast<std::int64_t>(inside.rows.size()));
  }
  return inside;
}

std::optional<SymmetrizedPattern> product_pattern(const ColumnEntries& a) {
  constexpr std::int64_t most_times = 30;
  std::vector<std::vector<std::int32_t>> columns_of_row(at(a.n));
  const auto dense_row = at(std::max<std::int64_t>(16, static_cast<std::int64_t>(10.0 * std::sqrt(a.n))));
  for (std::int32_t j = 0; j < a.n; ++j) {
    for (std::int64_t e = a.offsets[at(j)]; e < a.offsets[at(j) + 1]; ++e) columns_of_row[at(a.rows[at(e)])].push_back(j);
  }
  const std::int64_t limit = most_times * (static_cast<std::int64_t>(a.rows.size()) + a.n);
  std::vector<std::int32_t> mark(at(a.n), -1);
  SymmetrizedPattern product;
  product.offsets.push_back(0);
  for (std::int32_t j = 0; j < a.n; ++j) {
    const std::size_t begin = product.rows.size();
    product.rows.push_back(j);
    mark[at(j)] = j;
    for (std::int64_t e = a.offsets[at(j)]; e < a.offsets[at(j) + 1]; ++e) {
      const auto& columns = columns_of_row[at(a.rows[at(e)])];
      if (columns.size() > dense_row) continue;
      for (auto c = std::upper_bound(columns.begin(), columns.end(), j); c != columns.end(); ++c) {
        if (mark[at(*c)] == j) continue;
        mark[at(*c)] = j;
        product.rows.push_back(*c);
      }
    }
    if (static_cast<std::int64_t>(product.rows.size()) > limit) return std::nullopt;
    std::sort(product.rows.begin() + static_cast<std::ptrdiff_t>(begin), product.rows.end());
    product.offsets.push_back(static_cast<std::int64_t>(product.rows.size()));
  }
  return product;
}

bool is_far_from_symmetric(const ColumnEntries& entries, const SymmetrizedPattern& sum) {
  constexpr double nearly = 1.3;
  const double both_halves = 2.0 * static_cast<double>(sum.rows.size()) - entries.n;
  return both_halves > nearly * static_cast<double>(entries.rows.size());
}

}  // namespace gpusupernodal
