#include <algorithm>
#include <vector>

#include "kernels/common/sparse_arrays.hpp"
#include "solver/sparse/layouts.hpp"

namespace gpusupernodal {
namespace {

/// Lists the rows that reach from one chunk into others.
RawVector<std::int32_t> spans_of(const RawVector<std::int32_t>& rows) {
  RawVector<std::int32_t> spans;
  const auto entries = static_cast<std::int64_t>(rows.size());
  std::int64_t covered = -1;  // The last chunk of the last span.
  for (std::int64_t border = coo_chunk; border < entries; border += coo_chunk) {
    const std::int32_t row = rows[static_cast<std::size_t>(border)];
    const std::int64_t chunk = border / coo_chunk;
    if (rows[static_cast<std::size_t>(border) - 1] != row || chunk <= covered) continue;
    const auto end = std::upper_bound(rows.begin() + border, rows.end(), row) - rows.begin();
    covered = (end - 1) / coo_chunk;
    spans.insert(spans.end(), {row, static_cast<std::int32_t>(chunk - 1), static_cast<std::int32_t>(covered)});
  }
  return spans;
}

/// The entries of each row from its `skipped`-th on.
RowPattern without_first(const RowPattern& pattern, std::int32_t skipped) {
  RowPattern rest;
  rest.rows = pattern.rows;
  rest.columns = pattern.columns;
  rest.input_values = pattern.input_values;
  rest.symmetric = pattern.symmetric;
  rest.offsets.push_back(0);
  for (std::size_t i = 0; i < static_cast<std::size_t>(pattern.rows); ++i) {
    for (std::int32_t e = pattern.offsets[i] + std::min(skipped, pattern.offsets[i + 1] - pattern.offsets[i]);
         e < pattern.offsets[i + 1]; ++e) {
      rest.index.push_back(pattern.index[static_cast<std::size_t>(e)]);
      rest.source.push_back(pattern.source_of(e));
    }
    rest.offsets.push_back(static_cast<std::int32_t>(rest.index.size()));
  }
  return rest;
}

/// The first `width` entries of each row.
RowPattern first_entries(const RowPattern& pattern, std::int32_t width) {
  RowPattern first;
  first.rows = pattern.rows;
  first.columns = pattern.columns;
  first.input_values = pattern.input_values;
  first.symmetric = pattern.symmetric;
  first.offsets.push_back(0);
  for (std::size_t i = 0; i < static_cast<std::size_t>(pattern.rows); ++i) {
    const std::int32_t end = pattern.offsets[i] + std::min(pattern.offsets[i + 1] - pattern.offsets[i], width);
    for (std::int32_t e = pattern.offsets[i]; e < end; ++e) {
      first.index.push_back(pattern.index[static_cast<std::size_t>(e)]);
      first.source.push_back(pattern.source_of(e));
    }
    first.offsets.push_back(static_cast<std::int32_t>(first.index.size()));
  }
  return first;
}

}  // namespace

std::int32_t hyb_width(const RowPattern& pattern) {
  std::vector<std::int32_t> lengths;
  for (std::size_t i = 0; i < static_cast<std::size_t>(pattern.rows); ++i)
    lengths.push_back(pattern.offsets[i + 1] - pattern.offsets[i]);
  if (lengths.empty()) return 0;
  std::sort(lengths.begin(), lengths.end(), std::greater<>());
  return lengths[(lengths.size() + 2) / 3 - 1];
}

SparseLayout make_coo_layout(const RowPattern& pattern) {
  SparseLayout layout = empty_layout(pattern, Format::coo);
  layout.stored_values = pattern.entries();
  layout.index = pattern.index;
  layout.source = pattern.source;
  layout.order.resize(pattern.index.size());
  for (std::int32_t i = 0; i < pattern.rows; ++i) {
    std::fill(layout.order.begin() + pattern.offsets[static_cast<std::size_t>(i)],
              layout.order.begin() + pattern.offsets[static_cast<std::size_t>(i) + 1], i);
  }
  layout.offsets = spans_of(layout.order);
  layout.units = static_cast<std::int32_t>(layout.offsets.size() / 3);
  return layout;
}

SparseLayout make_hyb_layout(const RowPattern& pattern, std::int32_t width) {
  const RowPattern first = first_entries(pattern, width);
  SliceShape shape;
  shape.equal_widths = true;
  SparseLayout layout = make_sell_layout(first, make_block_pattern(first, 1), shape);
  layout.format = Format::hyb;
  layout.rest.push_back(make_coo_layout(without_first(pattern, width)));
  return layout;
}

}  // namespace gpusupernodal
