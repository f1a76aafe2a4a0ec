#include "solver/sparse/check_sparse_pattern.hpp"

#include <string_view>
#include <utility>

#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"
#include "solver/common/index_dispatch.hpp"

namespace gpusupernodal {
namespace {

std::string_view outer_word(const SparsePatternView& view) {
  return view.compression == Compression::columns ? "column" : "row";
}

std::string_view inner_word(const SparsePatternView& view) {
  return view.compression == Compression::columns ? "row" : "column";
}

void check_sizes(const SparsePatternView& view) {
  if (view.rows < 0 || view.columns < 0 || view.rows >= largest_product_size || view.columns >= largest_product_size) {
    fail<InvalidInput>("the matrix has {} rows and {} columns; each must be 0 to {}", view.rows, view.columns,
                       largest_product_size - 1);
  }
  if (view.part != StoredPart::full && view.rows != view.columns) {
    fail<InvalidInput>("the matrix is {} by {}, but only a square matrix is stored by a half", view.rows, view.columns);
  }
  if (view.offsets.is_null() && view.outer() > 0) {
    fail<InvalidInput>("offsets are null, but a matrix with {} {}s has {} of them", view.outer(), outer_word(view),
                       view.outer() + 1);
  }
}

template <class Offset>
void check_offsets(const SparsePatternView& view, const Offset* offsets) {
  if (offsets[0] != 0) {
    fail<InvalidInput>("offsets[0] is {}, but offsets start at 0{}", offsets[0],
                       offsets[0] == 1 ? " (offsets and indices count from 0, not from 1)" : "");
  }
  for (std::int64_t outer = 0; outer < view.outer(); ++outer) {
    if (offsets[outer + 1] < offsets[outer]) {
      fail<InvalidInput>("offsets decrease at {} {}: offsets[{}] is {}, offsets[{}] is {}", outer_word(view), outer, outer,
                         offsets[outer], outer + 1, offsets[outer + 1]);
    }
  }
  if (view.entries() > largest_product_size)
    fail<InvalidInput>("the matrix has {} entries, but products support at most {}", view.entries(), largest_product_size);
  if (view.entries() > 0 && view.indices.is_null()) {
    fail<InvalidInput>("indices are null, but according to the offsets the matrix has {} entries", view.entries());
  }
}

void check_half(const SparsePatternView& view, std::int64_t outer, std::int64_t inner, std::int64_t position) {
  const bool by_columns = view.compression == Compression::columns;
  const auto [row, column] = by_columns ? std::pair{inner, outer} : std::pair{outer, inner};
  const bool lower = view.part == StoredPart::lower;
  if (lower ? row >= column : row <= column) return;
  fail<InvalidInput>(
      "the entry at row {}, column {} (indices[{}]) is {} the diagonal, but the view says that only the {} part is stored; "
      "use StoredPart::full if both triangles are stored",
      row, column, position, lower ? "above" : "below", lower ? "lower" : "upper");
}

template <class Offset, class Index>
void check_indices(const SparsePatternView& view, const Offset* offsets, const Index* indices) {
  const std::int64_t inner_end = view.inner();
  for (std::int64_t outer = 0; outer < view.outer(); ++outer) {
    for (std::int64_t position = offsets[outer]; position < offsets[outer + 1]; ++position) {
      const std::int64_t inner = indices[position];
      if (inner < 0 || inner >= inner_end) {
        fail<InvalidInput>("indices[{}] in {} {} is {}, but the {}s of the {} by {} matrix are 0 to {}", position,
                           outer_word(view), outer, inner, inner_word(view), view.rows, view.columns, inner_end - 1);
      }
      if (view.part != StoredPart::full) check_half(view, outer, inner, position);
    }
  }
}

}  // namespace

void check_sparse_arrays(const SparsePatternView& view) {
  check_sizes(view);
  if (view.outer() == 0) return;
  with_index_pointer(view.offsets, [&](auto offsets) { check_offsets(view, offsets); });
  if (view.entries() == 0) return;
  with_index_pointers(view.offsets, view.indices,
                      [&](auto offsets, auto indices) { check_indices(view, offsets, indices); });
}

void refuse_duplicates(const RowPattern& pattern) {
  for (std::int32_t i = 0; i < pattern.rows; ++i) {
    const auto end = static_cast<std::size_t>(pattern.offsets[static_cast<std::size_t>(i) + 1]);
    for (auto e = static_cast<std::size_t>(pattern.offsets[static_cast<std::size_t>(i)]) + 1; e < end; ++e) {
      if (pattern.index[e] != pattern.index[e - 1]) continue;
      fail<InvalidInput>(
          "the entry at row {}, column {} occurs more than once (again at indices[{}]); sum duplicate entries first", i,
          pattern.index[e], pattern.source_of(static_cast<std::int64_t>(e)));
    }
  }
}

}  // namespace gpusupernodal
