#pragma once

/// \file
/// Vertex separators of a graph and their refinement.

#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/raw_vector.hpp"
#include "solver/symbolic/dissection/gain_queue.hpp"
#include "solver/symbolic/dissection/random.hpp"
#include "solver/symbolic/dissection/weighted_graph.hpp"

namespace gpusupernodal::dissection {

using Side = std::uint8_t;  ///< 0, 1 or `separator`.
inline constexpr Side separator = 2;

/// The price of imbalance. At 0.5, a difference of the sides' weights of a fifth of the total costs as much as a separator
/// that is 2 % heavier.
inline constexpr double usual_price = 0.5;

/// The vertices of a separator, and the weights of the separator and its sides.
struct SeparatorState {
  std::array<std::int64_t, 3> weight{};  ///< Weights of side 0, side 1 and the separator.
  std::vector<Vertex> separator_vertices;

  std::int64_t total_weight() const { return weight[0] + weight[1] + weight[separator]; }

  /// Whether the separator has more than a fifth of the total weight.
  bool is_large() const { return 5 * weight[separator] > total_weight(); }

  /// Lower is better: first the excess weight of a side, then the separator's weight, increased by the sides' imbalance.
  using Score = std::pair<std::int64_t, double>;
  /// Computes the score for a maximum weight of a side and a price of imbalance.
  Score score(std::int64_t heaviest_side, double price) const;
};

/// A partition of the vertices such that no edge connects side 0 with side 1.
struct Separation : SeparatorState {
  RawVector<Side> side;  ///< Side of each vertex.

  /// Sets separator_vertices from `side`.
  void list_separator();
};

/// Maximum share of the weight for a side.
inline constexpr double largest_share = 0.7;

/// Work arrays over the vertices of a graph. Concurrent refiners may share them if no edge connects their parts.
struct RefinerSpace {
  explicit RefinerSpace(Vertex vertices)
      : before(static_cast<std::size_t>(vertices)), listed(static_cast<std::size_t>(vertices), std::uint8_t{0}) {}

  RawVector<std::int32_t> before;  ///< For a separator vertex, the weight of the neighbours that its move would pull in.
  RawVector<std::uint8_t> listed;  ///< Marks listed vertices while a separator is collected; else 0.
};

/// Limits on the length of a refinement.
struct RefinerEffort {
  int passes = 12;
  /// A pass ends after this number of moves without improvement per vertex of the separator. Greater values let the
  /// separator sweep over layers of the graph, which finds separators along diagonals of cubes, a quarter smaller than
  /// planes.
  double patience = 3.0;
  /// A pass also ends if the score exceeds the best one by the share `share_lost` + `vertices_lost` / |separator|, from
  /// where a pass hardly ever recovers.
  double share_lost = std::numeric_limits<double>::infinity();
  double vertices_lost = 0.0;
};

/// Moves vertices between the sides and the separator [FM82]; each pass moves vertices to one side only, as in METIS.
/// Ignores vertices whose side is none of the three.
class SeparatorRefiner {
 public:
  /// Works on `side` and `state` in place. `price` is the price of imbalance. Precondition: the referenced objects outlive
  /// the refiner.
  SeparatorRefiner(const WeightedGraph& graph, RawVector<Side>& side, SeparatorState& state, RefinerSpace& space,
                   Random& random, double price);

  /// Grows side 0 from `start` until it has half of the weight, and keeps the best separation found on the way. Initializes
  /// the sides and the state of the whole graph.
  void grow_from(Vertex start);

  /// Alternates passes to either side until neither improves the score or the limit on passes is reached.
  void refine(const RefinerEffort& effort);

  /// All vertices that entered the separator, including those that left it again; some more than once.
  const std::vector<Vertex>& entered() const { return entered_; }

 private:
  struct Move {
    Vertex vertex;
    std::uint32_t pulled_end;  ///< End, in pulled_, of the vertices that this move pulled into the separator.
  };

  bool pass(Side to, const RefinerEffort& effort);
  void start_pass(Side to);
  std::int64_t gain(Vertex v) const;
  void offer(Vertex v);
  Vertex best();
  void move(Vertex v);
  void pull(Vertex u);
  SeparatorState::Score note_if_best();
  void roll_back();
  void take_back(const Move& move);
  void collect_separator();

  Side& side(Vertex v) { return side_[static_cast<std::size_t>(v)]; }
  Side side(Vertex v) const { return side_[static_cast<std::size_t>(v)]; }
  std::int32_t& before(Vertex v) { return space_.before[static_cast<std::size_t>(v)]; }

  const WeightedGraph& graph_;
  RawVector<Side>& side_;
  SeparatorState& state_;
  RefinerSpace& space_;
  Random& random_;
  double price_;
  std::int64_t heaviest_side_;
  Side to_ = 0;  ///< The side to which this pass moves vertices; it pulls vertices from the other side.
  Side from_ = 1;
  GainQueue queue_;
  std::vector<Move> moves_;
  std::vector<Vertex> pulled_;
  std::vector<Vertex> entered_;
  std::size_t best_moves_ = 0;
  SeparatorState::Score best_score_;
};

}  // namespace gpusupernodal::dissection
