#pragma once

/// \file
/// A graph cut in two by a set of vertices, and how it is made better.

#include <array>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "base/raw_vector.hpp"
#include "solver/symbolic/dissection/random.hpp"
#include "solver/symbolic/dissection/weighted_graph.hpp"

namespace gpusupernodal::dissection {

using Side = std::uint8_t;  ///< 0 and 1, or `separator`.
inline constexpr Side separator = 2;

/// No edge joins a vertex of side 0 to one of side 1.
struct Separation {
  RawVector<Side> side;                  ///< Of each vertex.
  std::array<std::int64_t, 3> weight{};  ///< Of the sides and the separator.
  std::vector<Vertex> separator_vertices;

  /// The lower the better: what a side has too much, then the separator, then the imbalance.
  std::tuple<std::int64_t, std::int64_t, std::int64_t> score(std::int64_t heaviest_side) const;
};

/// A side may have this share of the weight.
inline constexpr double largest_share = 0.6;

/// Moves vertices between the sides and the separator [FM82], one side at a time as METIS does.
class SeparatorRefiner {
 public:
  /// Works on `separation` in place; the graph must outlive the refiner.
  SeparatorRefiner(const WeightedGraph& graph, Separation& separation, Random& random);

  /// Side 0 grows from `start` through the rest until it has half of the weight; the best separation on the way stays.
  /// Sets the separation, whatever it was.
  void grow_from(Vertex start);

  /// Passes to one side and the other in turn, until neither brings anything, at most `passes`.
  void refine(int passes);

 private:
  /// A vertex of the separator and what moving it takes off the separator's weight. Outdated entries stay in the heap and
  /// are skipped; of equal gains the latest goes first.
  struct Candidate {
    std::uint64_t key;
    Vertex vertex;
    bool operator<(const Candidate& other) const { return key < other.key; }
  };
  struct Move {
    Vertex vertex;
    std::uint32_t pulled_end;  ///< Into pulled_, of what came into the separator by this move.
  };

  bool pass(Side to);
  void start_pass(Side to);
  std::int64_t gain(Vertex v) const;
  void offer(Vertex v);
  void drop_outdated();
  void move_best();
  void pull(Vertex u);
  void note_if_best();
  void roll_back();
  void take_back(const Move& move);
  void collect_separator();

  Side& side(Vertex v) { return separation_.side[static_cast<std::size_t>(v)]; }
  Side side(Vertex v) const { return separation_.side[static_cast<std::size_t>(v)]; }
  std::int32_t& before(Vertex v) { return before_[static_cast<std::size_t>(v)]; }

  const WeightedGraph& graph_;
  Separation& separation_;
  Random& random_;
  std::int64_t heaviest_side_;
  Side to_ = 0;  ///< Where this pass moves vertices; those that it pulls come from the other side.
  Side from_ = 1;
  RawVector<std::int32_t> before_;  ///< Of separator vertices: weight of the neighbours that moving it would pull.
  RawVector<std::uint8_t> listed_;  ///< While the separator's vertices are collected.
  std::vector<Candidate> heap_;
  std::uint32_t offers_ = 0;
  std::vector<Move> moves_;
  std::vector<Vertex> pulled_;
  std::size_t best_moves_ = 0;
  std::tuple<std::int64_t, std::int64_t, std::int64_t> best_score_;
};

}  // namespace gpusupernodal::dissection
