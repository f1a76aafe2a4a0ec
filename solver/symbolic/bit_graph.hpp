#pragma once

/// \file
/// Minimum degree on few vertices, whose neighbours are rows of bits.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpusupernodal {

/// A graph of at most `most` vertices, 0, 1, …; 2 or 4 words a row.
template <std::size_t words>
class BitGraph {
 public:
  static constexpr std::int32_t most = 64 * words;

  explicit BitGraph(std::int32_t vertices) : neighbours_(static_cast<std::size_t>(vertices)) {}

  /// An edge in one direction; the other is to be added as well. Precondition: from ≠ to.
  void add(std::int32_t from, std::int32_t to) { neighbours_[static_cast<std::size_t>(from)].set(to); }

  /// An order of elimination by minimum degree, exact, of equals the least number first. Uses up the graph. Cost O(n) words
  /// for each entry of the factor at most.
  std::vector<std::int32_t> minimum_degree_order();

 private:
  struct Bits {
    std::array<std::uint64_t, words> word{};

    void set(std::int32_t i) { word[static_cast<std::size_t>(i) / 64] |= std::uint64_t{1} << (i % 64); }
    void clear(std::int32_t i) { word[static_cast<std::size_t>(i) / 64] &= ~(std::uint64_t{1} << (i % 64)); }
    std::int32_t count() const;
    /// −1 for none.
    std::int32_t first() const;
  };

  void eliminate(std::int32_t v);

  std::vector<Bits> neighbours_;
  std::array<std::int32_t, most> degree_{};
  std::array<Bits, most> of_degree_{};  ///< The vertices of each degree that are left.
};

}  // namespace gpusupernodal
