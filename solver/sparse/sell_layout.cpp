#include <algorithm>
#include <limits>
#include <numeric>

#include "gpusupernodal/error.hpp"
#include "kernels/common/sparse_arrays.hpp"
#include "solver/common/fail.hpp"
#include "solver/sparse/layouts.hpp"

namespace gpusupernodal {
namespace {

/// Lengths of block rows, their order, and the steps of each slice.
class Slices {
 public:
  Slices(const BlockPattern& pattern, const SliceShape& shape)
      : pattern_(pattern), shape_(shape), rows_of_slice_(slice_lanes / shape.lanes) {
    if (shape.window > 1) sort_windows();
    count_ = (pattern.rows + rows_of_slice_ - 1) / rows_of_slice_;
    for (std::int32_t s = 0; s < count_; ++s) widest_ = std::max(widest_, longest_row_steps(s));
  }

  std::int32_t count() const { return count_; }
  std::int32_t rows_of_slice() const { return rows_of_slice_; }
  const RawVector<std::int32_t>& order() const { return order_; }

  std::int32_t row_at(std::int32_t position) const {
    return order_.empty() ? position : order_[static_cast<std::size_t>(position)];
  }
  std::int32_t steps(std::int32_t slice) const { return shape_.equal_widths ? widest_ : longest_row_steps(slice); }

  std::int64_t total_steps() const {
    std::int64_t total = 0;
    for (std::int32_t s = 0; s < count_; ++s) total += steps(s);
    return total;
  }

 private:
  std::int32_t length(std::int32_t row) const {
    return pattern_.offsets[static_cast<std::size_t>(row) + 1] - pattern_.offsets[static_cast<std::size_t>(row)];
  }

  std::int32_t longest_row_steps(std::int32_t slice) const {
    std::int32_t longest = 0;
    const std::int32_t end = std::min(pattern_.rows, (slice + 1) * rows_of_slice_);
    for (std::int32_t p = slice * rows_of_slice_; p < end; ++p) longest = std::max(longest, length(row_at(p)));
    return (longest + shape_.lanes - 1) / shape_.lanes;
  }

  void sort_windows() {
    order_.resize(static_cast<std::size_t>(pattern_.rows));
    std::iota(order_.begin(), order_.end(), 0);
    for (std::int64_t first = 0; first < pattern_.rows; first += shape_.window) {
      const std::int64_t last = std::min<std::int64_t>(first + shape_.window, pattern_.rows);
      std::stable_sort(order_.begin() + first, order_.begin() + last,
                       [this](std::int32_t a, std::int32_t b) { return length(a) > length(b); });
    }
  }

  const BlockPattern& pattern_;
  SliceShape shape_;
  std::int32_t rows_of_slice_;
  std::int32_t count_ = 0;
  std::int32_t widest_ = 0;
  RawVector<std::int32_t> order_;
};

/// Writes the columns of one slice: deltas of 16 bits where all fit, else absolute columns of 32 bits.
class SliceWriter {
 public:
  SliceWriter(const BlockPattern& pattern, const Slices& slices, const SliceShape& shape, SparseLayout& layout)
      : pattern_(pattern), slices_(slices), lanes_(shape.lanes), layout_(layout) {}

  void write(std::int32_t slice, std::int32_t first_step) {
    columns_.assign(static_cast<std::size_t>(slices_.steps(slice)) * slice_lanes, 0);
    const std::int32_t base = collect(slice);
    const bool narrow = fits(base);
    const auto begin = static_cast<std::int32_t>(layout_.delta.size() / slice_lanes);
    const Slice head{first_step, first_step + slices_.steps(slice), base, narrow ? begin : ~begin};
    layout_.index.insert(layout_.index.end(), {head.first, head.last, head.base, head.deltas});
    if (narrow) {
      append_deltas(base);
    } else {
      const auto* const halves = reinterpret_cast<const std::uint16_t*>(columns_.data());
      layout_.delta.insert(layout_.delta.end(), halves, halves + 2 * columns_.size());
    }
  }

 private:
  /// Fills columns_, repeating a lane's last column as padding; returns the smallest column.
  std::int32_t collect(std::int32_t slice) {
    constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
    const auto steps = static_cast<std::size_t>(slices_.steps(slice));
    std::int32_t base = none;
    for (std::int32_t lane = 0; lane < slice_lanes; ++lane) {
      const std::int32_t position = slice * slices_.rows_of_slice() + lane % slices_.rows_of_slice();
      if (position >= pattern_.rows) continue;
      const auto row = static_cast<std::size_t>(slices_.row_at(position));
      if (pattern_.offsets[row] < pattern_.offsets[row + 1])
        base = std::min(base, pattern_.index[static_cast<std::size_t>(pattern_.offsets[row])]);
    }
    if (base == none) base = 0;
    for (std::int32_t lane = 0; lane < slice_lanes; ++lane) {
      const std::int32_t position = slice * slices_.rows_of_slice() + lane % slices_.rows_of_slice();
      std::int64_t entry = 0;
      std::int32_t end = 0, column = base;
      if (position < pattern_.rows) {
        const auto row = static_cast<std::size_t>(slices_.row_at(position));
        entry = pattern_.offsets[row] + lane / slices_.rows_of_slice();
        end = pattern_.offsets[row + 1];
      }
      for (std::size_t k = 0; k < steps; ++k, entry += lanes_) {
        if (entry < end) column = pattern_.index[static_cast<std::size_t>(entry)];
        columns_[k * slice_lanes + static_cast<std::size_t>(lane)] = column;
      }
    }
    return base;
  }

  std::int32_t delta(std::size_t at, std::int32_t base) const {
    return columns_[at] - (at < slice_lanes ? base : columns_[at - slice_lanes]);
  }

  bool fits(std::int32_t base) const {
    for (std::size_t at = 0; at < columns_.size(); ++at) {
      if (delta(at, base) > std::numeric_limits<std::uint16_t>::max()) return false;
    }
    return true;
  }

  void append_deltas(std::int32_t base) {
    for (std::size_t at = 0; at < columns_.size(); ++at)
      layout_.delta.push_back(static_cast<std::uint16_t>(delta(at, base)));
  }

  const BlockPattern& pattern_;
  const Slices& slices_;
  std::int32_t lanes_;
  SparseLayout& layout_;
  RawVector<std::int32_t> columns_;
};

/// Fills `source`: where the entries of one block row lie in the caller's array.
void place_entries(const RowPattern& pattern, const BlockPattern& blocks, std::int32_t block_row, std::int64_t first_step,
                   std::int32_t lane, const SliceShape& shape, SparseLayout& layout) {
  const std::int32_t b = blocks.block, rows_of_slice = slice_lanes / shape.lanes;
  for (std::int32_t r = 0; r < b; ++r) {
    const auto row = static_cast<std::size_t>(block_row) * static_cast<std::size_t>(b) + static_cast<std::size_t>(r);
    std::int32_t k = blocks.offsets[static_cast<std::size_t>(block_row)];
    const std::int32_t first = k;
    for (std::int32_t e = pattern.offsets[row]; e < pattern.offsets[row + 1]; ++e) {
      const std::int32_t column = pattern.index[static_cast<std::size_t>(e)];
      while (blocks.index[static_cast<std::size_t>(k)] != column / b) ++k;
      const std::int64_t step = first_step + (k - first) / shape.lanes;
      const std::int64_t place =
          ((step * b + r) * b + column % b) * slice_lanes + lane + std::int64_t{(k - first) % shape.lanes} * rows_of_slice;
      layout.source[static_cast<std::size_t>(place)] = pattern.source_of(e);
    }
  }
}

}  // namespace

std::int64_t stored_blocks(const BlockPattern& pattern, const SliceShape& shape) {
  return Slices(pattern, shape).total_steps() * slice_lanes;
}

SparseLayout make_sell_layout(const RowPattern& pattern, const BlockPattern& blocks, const SliceShape& shape) {
  const Format format = shape.equal_widths ? Format::ell : blocks.block > 1 ? Format::block : Format::sell;
  const Slices slices(blocks, shape);
  SparseLayout layout = empty_layout(pattern, format);
  layout.stored_values = slices.total_steps() * slice_lanes * blocks.block * blocks.block;
  if (layout.stored_values > std::numeric_limits<std::int32_t>::max()) {
    fail<InvalidInput>("the format {} would store {} values for {} entries, but at most {} are supported", name_of(format),
                       layout.stored_values, layout.entries, std::numeric_limits<std::int32_t>::max());
  }
  layout.width = shape.lanes;
  layout.block = blocks.block;
  layout.units = slices.count();
  layout.order = slices.order();
  layout.source.assign(static_cast<std::size_t>(layout.stored_values), -1);
  layout.index.reserve(4 * static_cast<std::size_t>(slices.count()));
  SliceWriter writer(blocks, slices, shape, layout);
  std::int32_t step = 0;
  for (std::int32_t s = 0; s < slices.count(); ++s) {
    writer.write(s, step);
    const std::int32_t first = s * slices.rows_of_slice();
    for (std::int32_t p = first; p < std::min(blocks.rows, first + slices.rows_of_slice()); ++p)
      place_entries(pattern, blocks, slices.row_at(p), step, p - first, shape, layout);
    step += slices.steps(s);
  }
  return layout;
}

}  // namespace gpusupernodal
