#pragma once

/// \file
/// A supernode with what it has taken in, and how many explicit zeros it may hold.

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "solver/symbolic/forest.hpp"
#include "solver/symbolic/supernodes.hpp"

namespace gpusupernodal {

struct MergedPanel {
  std::int64_t width = 0;
  std::int64_t rows_below = 0;
  std::int64_t zeros = 0;

  std::int64_t stored() const { return width * (width + 1) / 2 + width * rows_below; }
};

/// Columns of the child get the parent's rows; what it has not had of them becomes explicit zeros.
inline MergedPanel merged(const MergedPanel& child, const MergedPanel& parent) {
  const std::int64_t added = child.width * (parent.width + parent.rows_below - child.rows_below);
  return {child.width + parent.width, parent.rows_below, child.zeros + parent.zeros + added};
}

/// A panel of at most `width` columns may hold this share of explicit zeros.
///
/// Measured over grids and the test matrices, refactorize on the host takes 20 to 60 % less time than without merging under
/// any sensible bounds and the optimum is flat; these finer steps are as fast as CHOLMOD's (4, 16 at 0.8, 48 at 0.1, 0.05)
/// with 5 to 25 % fewer stored entries where supernodes are narrow, which solve, bound by memory, has to read.
struct ZeroBound {
  std::int64_t width;
  double share;
};
inline constexpr std::array<ZeroBound, 6> zero_bounds{
    {{4, 1.0}, {8, 0.7}, {16, 0.5}, {32, 0.25}, {64, 0.1}, {std::numeric_limits<std::int64_t>::max(), 0.05}}};

inline bool within_bound(const MergedPanel& panel) {
  const auto bound =
      std::find_if(zero_bounds.begin(), zero_bounds.end(), [&](const ZeroBound& b) { return panel.width <= b.width; });
  return static_cast<double>(panel.zeros) <= bound->share * static_cast<double>(panel.stored());
}

/// Follows merges upwards to the top of each group. Precondition: joined[s] is s or its parent.
inline SupernodeGroups tops(const IdVector<SupernodeId, SupernodeId>& joined, const ForestParts<SupernodeId>& parts) {
  SupernodeGroups groups = joined;
  parts.downwards([&](const IdRange<SupernodeId>& supernodes) {
    for (std::int32_t i = supernodes.size() - 1; i >= 0; --i) {
      const SupernodeId s = *supernodes.begin() + i;
      groups[s] = joined[s] == s ? s : groups[joined[s]];
    }
  });
  return groups;
}

/// In steps that follow each other on the longest path.
struct StepTimes {
  IdVector<SupernodeId, std::int32_t> begin, end;

  explicit StepTimes(std::size_t supernodes) : begin(supernodes, 0), end(supernodes, 0) {}
};

/// When supernodes begin and end, while parents take in children.
class StepClock {
 public:
  /// `times` are those of the supernodes that have been timed.
  StepClock(StepTimes& times, const StepRule& rule) : rule_(rule), times_(times) {}

  std::int32_t begin(SupernodeId s) const { return times_.begin[s]; }
  std::int32_t end(SupernodeId s) const { return times_.end[s]; }
  std::int32_t steps(std::int64_t width) const { return rule_.steps(width); }

  /// Turns to a parent, whose children are all timed.
  void look_at(const std::vector<SupernodeId>& children) {
    begin_now_ = 0;
    ends_.clear();
    for (const SupernodeId c : children) ends_.push_back(end(c));
    if (ends_.size() > 1) std::sort(ends_.begin(), ends_.end(), std::greater<>());
  }
  /// Where the parent ends that has `width` columns by now.
  std::int32_t end_now(std::int64_t width) const {
    return std::max(begin_now_, ends_.empty() ? 0 : ends_.front()) + steps(width);
  }
  /// Where it would end with child c, and `width` columns then.
  std::int32_t end_with(SupernodeId c, std::int64_t width) const {
    const std::int32_t others = end(c) < ends_.front() ? ends_.front() : ends_.size() > 1 ? ends_[1] : 0;
    return std::max({begin_now_, begin(c), others}) + steps(width);
  }
  void take_in(SupernodeId c) {
    begin_now_ = std::max(begin_now_, begin(c));
    ends_.erase(std::upper_bound(ends_.begin(), ends_.end(), end(c), std::greater<>()) - 1);
  }
  /// Times the parent, with its last width.
  void set(SupernodeId parent, std::int64_t width) {
    times_.begin[parent] = std::max(begin_now_, ends_.empty() ? 0 : ends_.front());
    times_.end[parent] = times_.begin[parent] + steps(width);
  }

 private:
  StepRule rule_;
  StepTimes& times_;
  std::int32_t begin_now_ = 0;      ///< Of the children that were taken in, the latest.
  std::vector<std::int32_t> ends_;  ///< Of the others, latest first.
};

}  // namespace gpusupernodal
