#include "solver/host/run/product_pieces.hpp"

#include <algorithm>

#include "kernels/common/sparse_arrays.hpp"
#include "solver/sparse/format_model.hpp"

namespace gpusupernodal {
namespace {

std::int64_t unit_count(const SparseLayout& layout) {
  switch (layout.format) {
    case Format::coo:
      return layout.stored_values;
    case Format::csr:
    case Format::dia:
      return layout.rows;
    default:
      return layout.units;
  }
}

/// Work before a unit: values, and one for each row.
std::int64_t work_before(const SparseLayout& layout, std::int64_t unit) {
  switch (layout.format) {
    case Format::coo:
      return unit;
    case Format::csr:
      return unit + layout.offsets[static_cast<std::size_t>(unit)];
    case Format::dia:
      return unit * layout.width;
    default:
      break;
  }
  const std::int64_t values_of_step = std::int64_t{slice_lanes} * layout.block * layout.block;
  const std::int64_t steps =
      unit < layout.units ? layout.index[4 * static_cast<std::size_t>(unit)] : layout.stored_values / values_of_step;
  return unit * slice_lanes + steps * values_of_step;
}

std::int64_t piece_count(const SparseLayout& layout, std::int64_t work) {
  constexpr std::int64_t most = 512;
  const std::int64_t pieces = std::clamp<std::int64_t>(work / least_piece, 1, most);
  if (layout.format != Format::dia) return pieces;
  return std::clamp<std::int64_t>(layout.rows / least_diagonal_rows, 1, pieces);
}

/// The first entry of COO from `entry` on that begins a row.
std::int64_t end_of_row(const SparseLayout& layout, std::int64_t entry) {
  const auto& rows = layout.order;
  if (entry == 0 || entry >= layout.stored_values) return entry;
  return std::upper_bound(rows.begin() + entry, rows.end(), rows[static_cast<std::size_t>(entry) - 1]) - rows.begin();
}

}  // namespace

std::vector<std::int32_t> product_borders(const SparseLayout& layout) {
  const std::int64_t units = unit_count(layout), total = work_before(layout, units);
  const std::int64_t pieces = piece_count(layout, total);
  std::vector<std::int32_t> borders{0};
  for (std::int64_t p = 1; p < pieces; ++p) {
    std::int64_t low = borders.back(), high = units;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (work_before(layout, middle) < total * p / pieces) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (layout.format == Format::coo) low = end_of_row(layout, low);
    borders.push_back(static_cast<std::int32_t>(low));
  }
  borders.push_back(static_cast<std::int32_t>(units));
  return borders;
}

int product_workers(const SparseLayout& layout, int threads) {
  const auto pieces_of = [](const SparseLayout& part) { return piece_count(part, work_before(part, unit_count(part))); };
  std::int64_t values = layout.stored_values, pieces = pieces_of(layout);
  for (const SparseLayout& rest : layout.rest) {
    values += rest.stored_values;
    pieces = std::max(pieces, pieces_of(rest));
  }
  return product_workers(static_cast<double>(values), static_cast<double>(pieces), threads);
}

}  // namespace gpusupernodal
