#include "solver/sparse/row_pattern.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"
#include "solver/common/index_dispatch.hpp"
#include "solver/sparse/check_sparse_pattern.hpp"

namespace gpusupernodal {
namespace {

template <class Offset, class Index>
void copy_arrays(const SparsePatternView& view, const Offset* offsets, const Index* indices, RowPattern& pattern) {
  const std::int64_t outer = view.outer();
  pattern.offsets.resize(static_cast<std::size_t>(outer) + 1);
  for (std::int64_t i = 0; i <= outer; ++i)
    pattern.offsets[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(offsets[i]);
  pattern.index.resize(static_cast<std::size_t>(offsets[outer]));
  for (std::int64_t e = 0; e < offsets[outer]; ++e)
    pattern.index[static_cast<std::size_t>(e)] = static_cast<std::int32_t>(indices[e]);
}

/// The compressed arrays as they are: rows of the result are the caller's columns if these are compressed.
RowPattern stored_pattern(const SparsePatternView& view) {
  RowPattern pattern;
  pattern.rows = static_cast<std::int32_t>(view.outer());
  pattern.columns = static_cast<std::int32_t>(view.inner());
  pattern.input_values = view.entries();
  pattern.symmetric = view.part != StoredPart::full;
  if (view.entries() == 0) {
    pattern.offsets.assign(static_cast<std::size_t>(view.outer()) + 1, 0);
    return pattern;
  }
  with_index_pointers(view.offsets, view.indices,
                      [&](auto offsets, auto indices) { copy_arrays(view, offsets, indices, pattern); });
  return pattern;
}

bool rows_ascend(const RowPattern& pattern) {
  for (std::int32_t i = 0; i < pattern.rows; ++i) {
    const auto* const begin = pattern.index.data() + pattern.offsets[static_cast<std::size_t>(i)];
    const auto* const end = pattern.index.data() + pattern.offsets[static_cast<std::size_t>(i) + 1];
    if (!std::is_sorted(begin, end)) return false;
  }
  return true;
}

/// Rows of a lower and of a strictly upper pattern, one after another.
RowPattern joined(const RowPattern& lower, const RowPattern& upper, bool upper_has_diagonal) {
  RowPattern full;
  full.rows = lower.rows;
  full.columns = lower.columns;
  full.input_values = lower.input_values;
  full.symmetric = true;
  full.offsets.push_back(0);
  const auto append = [&full](const RowPattern& from, std::int32_t row, bool with_diagonal) {
    for (auto e = from.offsets[static_cast<std::size_t>(row)]; e < from.offsets[static_cast<std::size_t>(row) + 1]; ++e) {
      if (!with_diagonal && from.index[static_cast<std::size_t>(e)] == row) continue;
      full.index.push_back(from.index[static_cast<std::size_t>(e)]);
      full.source.push_back(from.source_of(e));
    }
  };
  full.index.reserve(2 * lower.index.size());
  full.source.reserve(2 * lower.index.size());
  for (std::int32_t i = 0; i < full.rows; ++i) {
    append(lower, i, !upper_has_diagonal);
    append(upper, i, upper_has_diagonal);
    if (full.index.size() > static_cast<std::size_t>(largest_product_size))
      fail<InvalidInput>("the matrix has more than {} entries, which products do not support", largest_product_size);
    full.offsets.push_back(static_cast<std::int32_t>(full.index.size()));
  }
  return full;
}

}  // namespace

RowPattern transposed(const RowPattern& pattern) {
  RowPattern result;
  result.rows = pattern.columns;
  result.columns = pattern.rows;
  result.input_values = pattern.input_values;
  result.symmetric = pattern.symmetric;
  result.offsets.assign(static_cast<std::size_t>(result.rows) + 1, 0);
  for (const std::int32_t j : pattern.index) ++result.offsets[static_cast<std::size_t>(j) + 1];
  for (std::size_t j = 1; j < result.offsets.size(); ++j) result.offsets[j] += result.offsets[j - 1];
  result.index.resize(pattern.index.size());
  result.source.resize(pattern.index.size());
  RawVector<std::int32_t> next(result.offsets.begin(), result.offsets.end() - 1);
  for (std::int32_t i = 0; i < pattern.rows; ++i) {
    for (auto e = pattern.offsets[static_cast<std::size_t>(i)]; e < pattern.offsets[static_cast<std::size_t>(i) + 1]; ++e) {
      const auto place =
          static_cast<std::size_t>(next[static_cast<std::size_t>(pattern.index[static_cast<std::size_t>(e)])]++);
      result.index[place] = i;
      result.source[place] = pattern.source_of(e);
    }
  }
  return result;
}

namespace {

/// Fills `source` where it is empty.
void write_sources(RowPattern& pattern) {
  if (!pattern.source.empty()) return;
  pattern.source.resize(pattern.index.size());
  std::iota(pattern.source.begin(), pattern.source.end(), 0);
}

}  // namespace

void make_hermitian(RowPattern& pattern, StoredPart part) {
  write_sources(pattern);
  pattern.symmetric = false;
  for (std::int32_t i = 0; i < pattern.rows; ++i) {
    const auto end = static_cast<std::size_t>(pattern.offsets[static_cast<std::size_t>(i) + 1]);
    for (auto e = static_cast<std::size_t>(pattern.offsets[static_cast<std::size_t>(i)]); e < end; ++e) {
      const bool mirrored = part == StoredPart::lower ? pattern.index[e] > i : pattern.index[e] < i;
      if (mirrored) pattern.source[e] = conjugate_of(pattern.source[e]);
    }
  }
}

void conjugate(RowPattern& pattern) {
  write_sources(pattern);
  for (std::int32_t& place : pattern.source) place = conjugate_of(place);
}

RowPattern make_row_pattern(const SparsePatternView& view) {
  check_sparse_arrays(view);
  RowPattern pattern = stored_pattern(view);
  const bool by_columns = view.compression == Compression::columns;
  // Counting sorts by columns leave the rows sorted.
  const bool ascending = rows_ascend(pattern);
  if (by_columns || !ascending) pattern = transposed(pattern);
  if (!by_columns && !ascending) pattern = transposed(pattern);
  refuse_duplicates(pattern);
  if (view.part == StoredPart::full) return pattern;
  const RowPattern other = transposed(pattern);
  return view.part == StoredPart::lower ? joined(pattern, other, false) : joined(other, pattern, true);
}

}  // namespace gpusupernodal
