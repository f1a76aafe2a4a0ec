#pragma once

/// \file
/// RowPatterns: which entries of the rows that are still to be eliminated are nonzero.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>

#include "solver/backend/buffer.hpp"
#include "solver/host/plan/dense_workspace.hpp"

namespace gpusupernodal {

/// A bit for each entry of a matrix, and the count of each row, in the columns from the current one on. Bits are only set,
/// never cleared: sums that cancel count as nonzero. Once all rows are full, nothing is left to do.
class RowPatterns {
 public:
  RowPatterns(const std::shared_ptr<Allocator>& allocator, const DenseWorkspace& size)
      : n_(static_cast<std::int32_t>(size.order)),
        words_((size.order + 63) / 64),
        bits_(allocator, size.pattern_words, "the patterns of rows"),
        count_(allocator, size.order, "the counts of rows") {}

  /// Begins at column 0 with zero rows, or with full ones.
  void reset(bool full) {
    not_full_ = full ? 0 : n_;
    std::fill_n(count_.data(), count_.size(), 0);
    if (!full) std::fill_n(bits_.data(), bits_.size(), std::uint64_t{0});
  }
  /// Precondition: the entry was not added before, and the rows are not full.
  void add(std::int32_t row, std::int32_t column) {
    bits_[row * words_ + column / 64] |= std::uint64_t{1} << (column % 64);
    if (++count_[row] == n_) --not_full_;
  }

  /// Whether all rows that are left are nonzero in all columns that are left.
  bool full() const { return not_full_ == 0; }
  /// Nonzero entries of a row from the current column on. Precondition: !full().
  std::int32_t count(std::int32_t row) const { return count_[row]; }

  /// Eliminates column k, the current one, with row order[k]: rows order[k + 1], …, order[n − 1] that are nonzero there get
  /// the entries of the pivot row. Cost: O((n − k) · n / 64).
  void eliminate(std::int32_t k, const std::int32_t* order) {
    if (full()) return;
    const std::int32_t pivot = order[k];
    const std::int32_t left = n_ - k - 1;
    const bool pivot_is_full = count_[pivot] == left + 1;
    if (!pivot_is_full) --not_full_;
    for (std::int32_t i = k + 1; i < n_; ++i) {
      const std::int32_t row = order[i];
      if (count_[row] == left + 1) {
        count_[row] = left;
        continue;
      }
      if (has(row, k)) count_[row] = pivot_is_full ? left : count_[row] - 1 + merge(row, pivot, k);
      if (count_[row] == left) --not_full_;
    }
  }

 private:
  /// Full rows do not keep their bits up to date.
  bool has(std::int32_t row, std::int32_t column) const {
    return (bits_[row * words_ + column / 64] >> (column % 64) & 1) != 0;
  }
  /// Adds the entries of another row beyond column k; returns how many are new.
  std::int32_t merge(std::int32_t row, std::int32_t other, std::int32_t k) {
    std::int32_t added = 0;
    for (std::int64_t w = (k + 1) / 64; w < words_; ++w) {
      std::uint64_t& mine = bits_[row * words_ + w];
      std::uint64_t more = bits_[other * words_ + w] & ~mine;
      if (w == (k + 1) / 64) more &= ~std::uint64_t{0} << ((k + 1) % 64);
      if (more == 0) continue;
      mine |= more;
      added += static_cast<std::int32_t>(std::popcount(more));
    }
    return added;
  }

  std::int32_t n_;
  std::int64_t words_;
  Buffer<std::uint64_t> bits_;
  Buffer<std::int32_t> count_;
  std::int32_t not_full_ = 0;  ///< Rows that are left and not full.
};

}  // namespace gpusupernodal
