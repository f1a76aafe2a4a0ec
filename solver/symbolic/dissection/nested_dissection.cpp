#include <algorithm>
#include <utility>
#include <vector>

#include "solver/symbolic/dissection/compression.hpp"
#include "solver/symbolic/dissection/leaf_order.hpp"
#include "solver/symbolic/dissection/multilevel.hpp"
#include "solver/symbolic/dissection/subgraphs.hpp"
#include "solver/symbolic/ordering.hpp"

namespace gpusupernodal {
namespace {

using namespace dissection;

/// Pieces of at most so many vertices are ordered by minimum degree.
constexpr Vertex leaf_size = 400;
/// A piece is not dissected where the separator would have more than this share of its weight.
constexpr double useless_share = 0.22;
/// Smaller pieces are not worth a task of their own.
constexpr Vertex task_size = 1000;

class Dissection {
 public:
  Dissection(const WeightedGraph& graph, std::uint64_t seed, ThreadTeam& team)
      : graph_(graph), seed_(seed), team_(team), order_(static_cast<std::size_t>(graph.vertices())), leaves_(graph) {}

  RawVector<Vertex> run() {
    Subgraph whole;
    whole.graph = graph_;
    whole.whole.resize(order_.size());
    for (std::size_t v = 0; v < order_.size(); ++v) whole.whole[v] = static_cast<Vertex>(v);
    dissect(std::move(whole), 0, 1);
    return std::move(order_);
  }

 private:
  /// Orders a piece into order_[begin …]. `place`: of the piece in the tree, which its random numbers belong to.
  void dissect(Subgraph piece, std::size_t begin, std::uint64_t place) {
    if (piece.graph.vertices() <= leaf_size) {
      leaves_.order(piece.whole, order_.data() + begin);
      return;
    }
    Cut cut = cut_graph(piece.graph, seed_of(seed_, place), team_);
    if (cut.components > 1) {
      dissect_components(std::move(piece), cut, begin, place);
      return;
    }
    const Separation& separation = cut.separation;
    const bool useful =
        separation.weight[0] > 0 && separation.weight[1] > 0 &&
        static_cast<double>(separation.weight[separator]) < useless_share * static_cast<double>(piece.graph.total_weight);
    if (!useful) {
      leaves_.order(piece.whole, order_.data() + begin);
      return;
    }
    RawVector<Vertex> part_of(separation.side.size());
    Vertex* const last = order_.data() + begin + part_of.size();
    Vertex* next = last - separation.separator_vertices.size();
    for (std::size_t v = 0; v < part_of.size(); ++v) {
      part_of[v] = separation.side[v] == separator ? Vertex{-1} : Vertex{separation.side[v]};
      if (part_of[v] < 0) *next++ = piece.whole[v];
    }
    leaves_.set_outside(last - separation.separator_vertices.size(), last);
    cut = Cut();
    dissect_parts(std::move(piece), part_of, 2, begin, place);
  }

  /// Large components are parts of their own, small ones are gathered into parts of about the size of a leaf.
  void dissect_components(Subgraph piece, Cut& cut, std::size_t begin, std::uint64_t place) {
    std::vector<Vertex> size(static_cast<std::size_t>(cut.components), 0);
    for (const Vertex c : cut.component) ++size[static_cast<std::size_t>(c)];
    std::vector<Vertex> part_of_component(size.size());
    Vertex parts = 0;
    Vertex gathering = -1;
    Vertex gathered = 0;
    for (std::size_t c = 0; c < size.size(); ++c) {
      if (size[c] > leaf_size) {
        part_of_component[c] = parts++;
        continue;
      }
      if (gathering < 0 || gathered + size[c] > leaf_size) {
        gathering = parts++;
        gathered = 0;
      }
      part_of_component[c] = gathering;
      gathered += size[c];
    }
    RawVector<Vertex> part_of(cut.component.size());
    for (std::size_t v = 0; v < part_of.size(); ++v)
      part_of[v] = part_of_component[static_cast<std::size_t>(cut.component[v])];
    cut = Cut();
    dissect_parts(std::move(piece), part_of, parts, begin, place);
  }

  void dissect_parts(Subgraph piece, const RawVector<Vertex>& part_of, Vertex parts, std::size_t begin,
                     std::uint64_t place) {
    std::vector<Subgraph> subgraphs = extract(piece, part_of, parts, team_);
    piece = Subgraph();
    TaskGroup group(team_);
    for (std::size_t p = 0; p < subgraphs.size(); ++p) {
      const std::uint64_t place_of_part = seed_of(place, p);
      const auto size = static_cast<std::size_t>(subgraphs[p].graph.vertices());
      if (p + 1 < subgraphs.size() && subgraphs[p].graph.vertices() >= task_size) {
        group.run([this, &subgraphs, p, begin, place_of_part] { dissect(std::move(subgraphs[p]), begin, place_of_part); });
      } else {
        dissect(std::move(subgraphs[p]), begin, place_of_part);
      }
      begin += size;
    }
    group.wait();
  }

  const WeightedGraph& graph_;
  std::uint64_t seed_;
  ThreadTeam& team_;
  RawVector<Vertex> order_;
  LeafOrder leaves_;
};

}  // namespace

EliminationOrder dissection_order(const AdjacencyGraph& graph, std::uint64_t seed, ThreadTeam& team) {
  EliminationOrder result(static_cast<std::size_t>(graph.order));
  if (graph.order == 0) return result;
  team.execute([&] {
    const CompressedGraph compressed = compress(graph, team);
    const RawVector<Vertex> order = Dissection(compressed.graph, seed, team).run();
    std::int64_t next = 0;
    for (const Vertex v : order) {
      const auto i = static_cast<std::size_t>(v);
      for (std::int64_t r = compressed.class_begin[i]; r < compressed.class_begin[i + 1]; ++r) {
        result[NewIndex(next++)] = OldIndex(std::int64_t{compressed.rows[static_cast<std::size_t>(r)]});
      }
    }
    for (const std::int32_t row : compressed.dense_rows) result[NewIndex(next++)] = OldIndex(std::int64_t{row});
  });
  return result;
}

}  // namespace gpusupernodal
