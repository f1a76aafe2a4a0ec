#include "solver/sparse/triple_pattern.hpp"

#include <utility>

#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {
namespace {

void check_index(const TriplePatternView& view, std::int64_t k, const char* what, std::int64_t index, std::int64_t end) {
  if (index >= 0 && index < end) return;
  fail<InvalidInput>("triple {} is in {} {}, but the {}s of the {} by {} matrix are 0 to {}", k, what, index, what,
                     view.rows, view.columns, end - 1);
}

void check_part(const TriplePatternView& view, std::int64_t k) {
  if (view.part == StoredPart::full) return;
  const bool lower = view.part == StoredPart::lower;
  const std::int64_t row = view.row_indices[k], column = view.column_indices[k];
  if (lower ? row >= column : row <= column) return;
  fail<InvalidInput>(
      "triple {} at row {}, column {} is {} the diagonal, but the view says that only the {} part is stored; use "
      "StoredPart::full if both triangles are stored",
      k, row, column, lower ? "above" : "below", lower ? "lower" : "upper");
}

void check_triples(const TriplePatternView& view) {
  if (view.rows < 0 || view.columns < 0 || view.rows >= largest_product_size || view.columns >= largest_product_size) {
    fail<InvalidInput>("the matrix has {} rows and {} columns; each must be 0 to {}", view.rows, view.columns,
                       largest_product_size - 1);
  }
  if (view.part != StoredPart::full && view.rows != view.columns)
    fail<InvalidInput>("the matrix is {} by {}, but only a square matrix is stored by a half", view.rows, view.columns);
  if (view.count < 0 || view.count > largest_product_size)
    fail<InvalidInput>("the matrix has {} triples; their number must be 0 to {}", view.count, largest_product_size);
  if (view.count > 0 && (view.row_indices.is_null() || view.column_indices.is_null()))
    fail<InvalidInput>("the matrix has {} triples, but their row or column indices are null", view.count);
  for (std::int64_t k = 0; k < view.count; ++k) {
    check_index(view, k, "row", view.row_indices[k], view.rows);
    check_index(view, k, "column", view.column_indices[k], view.columns);
    check_part(view, k);
  }
}

/// A stable counting sort of `order` by the indices of its triples, which are below `end`.
RawVector<std::int32_t> sorted(const RawVector<std::int32_t>& order, const IndexArray& indices, std::int64_t end) {
  RawVector<std::int32_t> next;
  next.assign(static_cast<std::size_t>(end) + 1, 0);
  for (const std::int32_t k : order) ++next[static_cast<std::size_t>(indices[k]) + 1];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  RawVector<std::int32_t> result;
  result.resize(order.size());
  for (const std::int32_t k : order) result[static_cast<std::size_t>(next[static_cast<std::size_t>(indices[k])]++)] = k;
  return result;
}

/// Triples by rows, then columns, then the caller's order.
RawVector<std::int32_t> order_of(const TriplePatternView& view) {
  RawVector<std::int32_t> order;
  order.resize(static_cast<std::size_t>(view.count));
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<std::int32_t>(k);
  order = sorted(order, view.column_indices, view.columns);
  return sorted(order, view.row_indices, view.rows);
}

}  // namespace

TriplePattern make_triple_pattern(const TriplePatternView& view) {
  check_triples(view);
  TriplePattern result;
  result.triple = order_of(view);
  RawVector<std::int32_t> offsets, columns;
  offsets.assign(static_cast<std::size_t>(view.rows) + 1, 0);
  std::int64_t last_row = -1, last_column = -1;
  for (std::size_t k = 0; k < result.triple.size(); ++k) {
    const std::int64_t row = view.row_indices[result.triple[k]], column = view.column_indices[result.triple[k]];
    if (row == last_row && column == last_column) continue;
    result.first.push_back(static_cast<std::int32_t>(k));
    columns.push_back(static_cast<std::int32_t>(column));
    ++offsets[static_cast<std::size_t>(row) + 1];
    last_row = row;
    last_column = column;
  }
  result.first.push_back(static_cast<std::int32_t>(view.count));
  for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
  result.pattern = make_row_pattern({view.rows, view.columns, offsets.data(), columns.data(), view.part, Compression::rows});
  if (static_cast<std::int64_t>(columns.size()) < view.count) return result;
  RawVector<std::int32_t> source;
  source.resize(result.pattern.index.size());
  for (std::size_t e = 0; e < source.size(); ++e)
    source[e] = result.triple[static_cast<std::size_t>(result.pattern.source_of(static_cast<std::int64_t>(e)))];
  result.pattern.source = std::move(source);
  result.first = {};
  result.triple = {};
  return result;
}

}  // namespace gpusupernodal
