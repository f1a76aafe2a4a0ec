#pragma once

/// \file
/// A priority queue of the vertices of a separator, ordered by the gain of moving them.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "solver/symbolic/dissection/weighted_graph.hpp"

namespace gpusupernodal::dissection {

/// A bucket queue with one stack per range of gains. Offering a vertex again with a different gain leaves an outdated entry,
/// which the caller of first() identifies. Gains far from the average weight of a vertex share the stacks at the ends. Each
/// operation is O(1), amortized.
class GainQueue {
 public:
  /// Empties the queue and sets the average weight of a vertex.
  void start(std::int64_t weight) {
    entries_.clear();
    newest_.fill(none);
    top_ = -1;
    shift_ = 0;
    while ((weights_below + weights_above) * std::max<std::int64_t>(weight, 1) >> shift_ >= stacks) ++shift_;
    lowest_ = -weights_below * std::max<std::int64_t>(weight, 1);
  }

  void offer(Vertex v, std::int64_t gain) {
    const std::int32_t s = stack_of(gain);
    auto& newest = newest_[static_cast<std::size_t>(s)];
    entries_.push_back({v, newest});
    newest = static_cast<std::int32_t>(entries_.size()) - 1;
    top_ = std::max(top_, s);
  }

  /// Drops entries for which outdated(vertex, stack) holds. Returns the vertex of the remaining entry that was offered last
  /// to the highest non-empty stack; −1 if the queue is empty.
  template <class Outdated>
  Vertex first(const Outdated& outdated) {
    for (; top_ >= 0; --top_) {
      auto& newest = newest_[static_cast<std::size_t>(top_)];
      for (; newest != none; newest = entries_[static_cast<std::size_t>(newest)].before) {
        const Vertex v = entries_[static_cast<std::size_t>(newest)].vertex;
        if (!outdated(v, top_)) return v;
      }
    }
    return -1;
  }

  /// Drops the entry that first() returned.
  void pop() {
    auto& newest = newest_[static_cast<std::size_t>(top_)];
    newest = entries_[static_cast<std::size_t>(newest)].before;
  }

  std::int32_t stack_of(std::int64_t gain) const {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>((gain - lowest_) >> shift_, 0, stacks - 1));
  }

 private:
  static constexpr std::int64_t stacks = 512;
  static constexpr std::int64_t weights_below = 48;
  static constexpr std::int64_t weights_above = 8;
  static constexpr std::int32_t none = -1;

  struct Entry {
    Vertex vertex;
    std::int32_t before;  ///< Previous entry of the same stack.
  };
  std::vector<Entry> entries_;
  std::array<std::int32_t, stacks> newest_{};
  std::int32_t top_ = -1;
  std::int64_t lowest_ = 0;
  int shift_ = 0;
};

}  // namespace gpusupernodal::dissection
