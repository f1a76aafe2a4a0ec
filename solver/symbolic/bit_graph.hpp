#pragma once

/// \file
/// Exact minimum degree for small graphs, with the adjacency matrix stored as bit sets.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpusupernodal {

/// A graph of at most `max_vertices` vertices, numbered from 0. Each vertex has a bit set of 2 or 4 words.
template <std::size_t words>
class BitGraph {
 public:
  static constexpr std::int32_t max_vertices = 64 * words;

  explicit BitGraph(std::int32_t vertices) : neighbours_(static_cast<std::size_t>(vertices)) {}

  /// Adds one direction of an edge; the caller adds the other one too. Precondition: from ≠ to.
  void add(std::int32_t from, std::int32_t to) { neighbours_[static_cast<std::size_t>(from)].set(to); }

  /// Returns the elimination order of exact minimum degree; ties go to the lowest number. Destroys the graph. Cost:
  /// O(words) operations per entry of the factor.
  std::vector<std::int32_t> minimum_degree_order();

 private:
  struct Bits {
    std::array<std::uint64_t, words> word{};

    void set(std::int32_t i) { word[static_cast<std::size_t>(i) / 64] |= std::uint64_t{1} << (i % 64); }
    void clear(std::int32_t i) { word[static_cast<std::size_t>(i) / 64] &= ~(std::uint64_t{1} << (i % 64)); }
    std::int32_t count() const;
    /// The lowest set bit; −1 if no bit is set.
    std::int32_t first() const;
  };

  void eliminate(std::int32_t v);

  std::vector<Bits> neighbours_;
  std::array<std::int32_t, max_vertices> degree_{};
  std::array<Bits, max_vertices> by_degree_{};  ///< For each degree, the remaining vertices of that degree.
};

}  // namespace gpusupernodal
