#pragma once

/// \file
/// RowMarker: a set of columns by bits, in which the rank of a column is found at once.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpusupernodal {

/// The columns of one row after another. Memory: a quarter of a byte per column; nothing is allocated after the constructor.
/// Marking, listing and clearing cost what the row has, whatever the number of columns.
class RowMarker {
 public:
  explicit RowMarker(std::int32_t columns)
      : mask_((static_cast<std::size_t>(columns) + 63) / 64, 0), before_(mask_.size()), touched_(mask_.size()) {}

  void mark(std::int32_t column) {
    const auto word = static_cast<std::uint32_t>(column) / 64;
    if (mask_[word] == 0) touched_[count_++] = word;
    mask_[word] |= std::uint64_t{1} << (column % 64);
  }

  /// Sorts the words and numbers the columns; returns how many columns are marked.
  std::int32_t number() {
    std::sort(touched_.begin(), touched_.begin() + static_cast<std::ptrdiff_t>(count_));
    std::int32_t columns = 0;
    for (std::size_t k = 0; k < count_; ++k) {
      before_[touched_[k]] = columns;
      columns += std::popcount(mask_[touched_[k]]);
    }
    return columns;
  }

  /// The number of a marked column among all, ascending. Precondition: number() was called after the last mark.
  std::int32_t rank(std::int32_t column) const {
    const auto word = static_cast<std::uint32_t>(column) / 64;
    const std::uint64_t below = (std::uint64_t{1} << (column % 64)) - 1;
    return before_[word] + std::popcount(mask_[word] & below);
  }

  /// Writes the marked columns, ascending. Precondition: as rank.
  void list(std::int32_t* columns) const {
    for (std::size_t k = 0; k < count_; ++k) {
      const auto first = static_cast<std::int32_t>(touched_[k] * 64);
      for (std::uint64_t rest = mask_[touched_[k]]; rest != 0; rest &= rest - 1) *columns++ = first + std::countr_zero(rest);
    }
  }

  void clear() {
    for (std::size_t k = 0; k < count_; ++k) mask_[touched_[k]] = 0;
    count_ = 0;
  }

  /// Bytes for a number of columns.
  static std::int64_t bytes(std::int64_t columns) { return (columns + 63) / 64 * 16; }

 private:
  std::vector<std::uint64_t> mask_;
  std::vector<std::int32_t> before_;    ///< Columns in the words before a touched one.
  std::vector<std::uint32_t> touched_;  ///< The words that have a column; the first count_ entries count.
  std::size_t count_ = 0;
};

}  // namespace gpusupernodal
