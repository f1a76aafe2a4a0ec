#pragma once

/// \file
/// The vertices of a separator by what moving them gains.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "solver/symbolic/dissection/weighted_graph.hpp"

namespace gpusupernodal::dissection {

/// A stack for each small range of gains. What is offered again with another gain leaves an outdated entry, which its owner
/// skips. Gains far from the average weight of a vertex share the stacks at the ends. Each operation is O(1), amortized.
class GainQueue {
 public:
  /// Empties it. `weight`: the average of a vertex.
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

  /// Drops entries while `outdated(vertex, entry's stack)`; returns the vertex of the first that is not, −1 where none is
  /// left: of the highest stack the one offered last.
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

  /// Drops what first() returned.
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
    std::int32_t before;  ///< The one offered before it in its stack.
  };
  std::vector<Entry> entries_;
  std::array<std::int32_t, stacks> newest_{};
  std::int32_t top_ = -1;
  std::int64_t lowest_ = 0;
  int shift_ = 0;
};

}  // namespace gpusupernodal::dissection
