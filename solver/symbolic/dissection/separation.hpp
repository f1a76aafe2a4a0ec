#pragma once

/// \file
/// A graph cut in two by a set of vertices, and how it is made better.

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

using Side = std::uint8_t;  ///< 0 and 1, or `separator`.
inline constexpr Side separator = 2;

/// What sides of different weights cost: with 0.5, if one is a fifth of the whole heavier than the other, as much as a
/// separator 2 % heavier.
inline constexpr double usual_price = 0.5;

/// What a separator and its sides weigh, and which vertices it has.
struct SeparatorState {
  std::array<std::int64_t, 3> weight{};  ///< Of the sides and the separator.
  std::vector<Vertex> separator_vertices;

  std::int64_t total_weight() const { return weight[0] + weight[1] + weight[separator]; }

  /// Whether the separator has more than a fifth of the weight.
  bool is_large() const { return 5 * weight[separator] > total_weight(); }

  /// The lower the better: what a side has too much, then the separator's weight, more of it where the sides differ.
  using Score = std::pair<std::int64_t, double>;
  /// `price`: of imbalance.
  Score score(std::int64_t heaviest_side, double price) const;
};

/// No edge joins a vertex of side 0 to one of side 1.
struct Separation : SeparatorState {
  RawVector<Side> side;  ///< Of each vertex.

  /// Sets separator_vertices by `side`.
  void list_separator();
};

/// A side may have this share of the weight.
inline constexpr double largest_share = 0.7;

/// Arrays over the vertices of a graph. Refiners that work on parts of it which no edge joins may share them, at the same
/// time.
struct RefinerSpace {
  explicit RefinerSpace(Vertex vertices)
      : before(static_cast<std::size_t>(vertices)), listed(static_cast<std::size_t>(vertices), std::uint8_t{0}) {}

  RawVector<std::int32_t> before;  ///< Of separator vertices: weight of the neighbours that moving it would pull.
  RawVector<std::uint8_t> listed;  ///< While a separator's vertices are collected; else 0.
};

/// How long a refinement goes on.
struct RefinerEffort {
  int passes = 12;
  /// A pass ends after so many moves that bring nothing, for each vertex of the separator. With more, a front is swept over
  /// layers of the graph, and finds separators along the diagonals of cubes, a quarter smaller than planes.
  double patience = 3.0;
  /// A pass ends too where the score is worse than the best one by this share and that of some vertices in the separator:
  /// hardly any comes back from there.
  double share_lost = std::numeric_limits<double>::infinity();
  double vertices_lost = 0.0;
};

/// Moves vertices between the sides and the separator [FM82], one side at a time as METIS does. Vertices whose side is none
/// of the three are left alone.
class SeparatorRefiner {
 public:
  /// Works on `side` and `state` in place, by scores with `price`; what is referred to must outlive the refiner.
  SeparatorRefiner(const WeightedGraph& graph, RawVector<Side>& side, SeparatorState& state, RefinerSpace& space,
                   Random& random, double price);

  /// Side 0 grows from `start` through the rest until it has half of the weight; the best separation on the way stays.
  /// Sets sides and state of the whole graph, whatever they were.
  void grow_from(Vertex start);

  /// Passes to one side and the other in turn, until neither brings anything.
  void refine(const RefinerEffort& effort);

  /// All vertices that came into the separator, also those that have left it again; some more than once.
  const std::vector<Vertex>& came_in() const { return came_in_; }

 private:
  struct Move {
    Vertex vertex;
    std::uint32_t pulled_end;  ///< Into pulled_, of what came into the separator by this move.
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
  Side to_ = 0;  ///< Where this pass moves vertices; those that it pulls come from the other side.
  Side from_ = 1;
  GainQueue queue_;
  std::vector<Move> moves_;
  std::vector<Vertex> pulled_;
  std::vector<Vertex> came_in_;
  std::size_t best_moves_ = 0;
  SeparatorState::Score best_score_;
};

}  // namespace gpusupernodal::dissection
