#pragma once

/// \file
/// The shapes of all fronts and their assembly tree, which is all that the cost model needs to know of a factor.

#include <cstdint>

#include "solver/common/ids.hpp"

namespace gpusupernodal {

/// View of a factor's fronts, children before parents. The arrays must outlive it.
class FrontTree {
 public:
  /// `rows_below`: rows below the diagonal block of each front. `first_column` has one element more than `parent`.
  FrontTree(const IdVector<SupernodeId, SupernodeId>& parent, const IdVector<SupernodeId, NewIndex>& first_column,
            const IdVector<SupernodeId, std::int32_t>& rows_below)
      : parent_(parent), first_column_(first_column), rows_below_(&rows_below) {}
  /// `row_offset`: where the rows of each front begin in a list of all rows; one element more than `parent`.
  FrontTree(const IdVector<SupernodeId, SupernodeId>& parent, const IdVector<SupernodeId, NewIndex>& first_column,
            const IdVector<SupernodeId, std::int64_t>& row_offset)
      : parent_(parent), first_column_(first_column), row_offset_(&row_offset) {}

  std::size_t size() const { return parent_.size(); }
  IdRange<SupernodeId> ids() const { return parent_.ids(); }
  SupernodeId parent(SupernodeId s) const { return parent_[s]; }
  std::int32_t width(SupernodeId s) const { return first_column_[s + 1] - first_column_[s]; }
  std::int32_t rows_below(SupernodeId s) const {
    if (rows_below_ != nullptr) return (*rows_below_)[s];
    return static_cast<std::int32_t>((*row_offset_)[s + 1] - (*row_offset_)[s]);
  }
  /// Rows of the front: its own columns and the rows below them.
  std::int32_t front(SupernodeId s) const { return width(s) + rows_below(s); }
  /// Order of the matrix.
  std::int32_t order() const { return first_column_.back().value; }

 private:
  const IdVector<SupernodeId, SupernodeId>& parent_;
  const IdVector<SupernodeId, NewIndex>& first_column_;
  const IdVector<SupernodeId, std::int32_t>* rows_below_ = nullptr;
  const IdVector<SupernodeId, std::int64_t>* row_offset_ = nullptr;
};

}  // namespace gpusupernodal
