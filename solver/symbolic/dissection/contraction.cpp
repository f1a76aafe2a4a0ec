#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "solver/symbolic/dissection/clustering.hpp"

namespace gpusupernodal::dissection {
namespace {

constexpr std::int64_t contraction_grain = 4096;
/// Bounds on the number of coarse vertices per piece. The number is lower if there would be too few pieces for the threads.
constexpr std::int64_t max_in_piece = 2048;
constexpr std::int64_t min_in_piece = 256;

/// Appends the neighbours of one coarse vertex after another to a list and sums the edge weights of equal neighbours. A hash
/// table, small enough for the L1 cache, holds positions in the list. Positions before the current vertex's first one are
/// left over from preceding vertices and count as empty slots, so the table is never cleared.
class NeighbourTable {
 public:
  NeighbourTable(Vertex* neighbours, std::uint32_t* weights) : neighbours_(neighbours), weights_(weights) {}

  /// Starts the list of a coarse vertex with at most `max_neighbours` neighbours.
  void begin(std::int64_t max_neighbours) {
    const std::size_t slots = std::bit_ceil(static_cast<std::size_t>(2 * max_neighbours + 8));
    if (slots > slots_.size()) slots_.assign(slots, -1);
    shift_ = 32 - std::countr_zero(slots);
    mask_ = slots - 1;
    begin_ = end_;
  }

  void add(Vertex neighbour, std::uint32_t weight) {
    std::size_t slot = (static_cast<std::uint32_t>(neighbour) * 0x9e3779b1U) >> shift_;
    for (; slots_[slot] >= begin_; slot = (slot + 1) & mask_) {
      const std::int64_t place = slots_[slot];
      if (neighbours_[place] != neighbour) continue;
      weights_[place] += weight;
      return;
    }
    slots_[slot] = end_;
    neighbours_[end_] = neighbour;
    weights_[end_] = weight;
    ++end_;
  }

  /// End of the lists.
  std::int64_t end() const { return end_; }

 private:
  Vertex* neighbours_;
  std::uint32_t* weights_;
  std::vector<std::int64_t> slots_;
  std::size_t mask_ = 0;
  int shift_ = 0;
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
};

/// The edges of consecutive coarse vertices.
struct Piece {
  RawVector<Vertex> neighbours;
  RawVector<std::uint32_t> edge_weights;
  RawVector<std::int64_t> ends;  ///< End of each vertex's list within the piece.
};

class Contraction {
 public:
  Contraction(const WeightedGraph& fine, const Clustering& clustering, ThreadTeam& team)
      : fine_(fine),
        clustering_(clustering),
        team_(team),
        vertices_of_piece_(team.threads() == 1 ? max_in_piece
                                               : std::clamp(clustering.clusters() / (2 * std::int64_t{team.threads()}),
                                                            min_in_piece, max_in_piece)) {}

  CoarseGraph run() {
    number_clusters();
    const std::int64_t count = (clustering_.clusters() + vertices_of_piece_ - 1) / vertices_of_piece_;
    std::vector<Piece> pieces(static_cast<std::size_t>(count));
    coarse_.graph.vertex_weights.resize(static_cast<std::size_t>(clustering_.clusters()));
    team_.for_intervals(count, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p) fill(p, pieces[static_cast<std::size_t>(p)]);
    });
    join(pieces);
    coarse_.graph.total_weight = fine_.total_weight;
    return std::move(coarse_);
  }

 private:
  void number_clusters() {
    const Vertex n = fine_.vertices();
    coarse_.coarse_of.resize(static_cast<std::size_t>(n));
    team_.for_intervals(clustering_.clusters(), contraction_grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t c = begin; c < end; ++c) {
        for (Vertex v = leader_of(c); v >= 0; v = clustering_.next[static_cast<std::size_t>(v)])
          coarse_.coarse_of[static_cast<std::size_t>(v)] = static_cast<Vertex>(c);
      }
    });
  }

  Vertex leader_of(std::int64_t cluster) const { return clustering_.leaders[static_cast<std::size_t>(cluster)]; }

  void fill(std::int64_t p, Piece& piece) {
    const std::int64_t begin = p * vertices_of_piece_;
    const std::int64_t end = std::min<std::int64_t>(begin + vertices_of_piece_, clustering_.clusters());
    std::int64_t max_neighbours = 0;
    for (std::int64_t c = begin; c < end; ++c) max_neighbours += edges_of(leader_of(c));
    piece.neighbours.resize(static_cast<std::size_t>(max_neighbours));
    piece.edge_weights.resize(static_cast<std::size_t>(max_neighbours));
    piece.ends.reserve(static_cast<std::size_t>(end - begin));
    NeighbourTable table(piece.neighbours.data(), piece.edge_weights.data());
    for (std::int64_t c = begin; c < end; ++c) {
      const Vertex leader = leader_of(c);
      table.begin(edges_of(leader));
      coarse_.graph.vertex_weights[static_cast<std::size_t>(c)] =
          fine_.edge_weights.empty() ? add_edges<false>(c, leader, table) : add_edges<true>(c, leader, table);
      piece.ends.push_back(table.end());
    }
    piece.neighbours.resize(static_cast<std::size_t>(table.end()));
    piece.edge_weights.resize(static_cast<std::size_t>(table.end()));
    if (4 * table.end() < 3 * max_neighbours) {  // Otherwise space for the fine edges would be kept.
      piece.neighbours.shrink_to_fit();
      piece.edge_weights.shrink_to_fit();
    }
  }

  /// Adds the edges that leave a cluster; returns the cluster's weight.
  template <bool weighted>
  std::int32_t add_edges(std::int64_t cluster, Vertex leader, NeighbourTable& into) const {
    NeighbourTable table = std::move(into);  // A local copy, so that the compiler keeps its members in registers.
    const Vertex* const coarse_of = coarse_.coarse_of.data();
    const Vertex* const neighbours = fine_.neighbours.data();
    const std::uint32_t* const weights = fine_.edge_weights.data();
    std::int32_t weight = 0;
    for (Vertex v = leader; v >= 0; v = clustering_.next[static_cast<std::size_t>(v)]) {
      weight += fine_.weight(v);
      for (std::int64_t e = fine_.begin(v), end = fine_.end(v); e < end; ++e) {
        const Vertex d = coarse_of[neighbours[e]];
        if (d != cluster) table.add(d, weighted ? weights[e] : 1U);
      }
    }
    into = std::move(table);
    return weight;
  }

  /// Number of edges of all vertices of a cluster.
  std::int64_t edges_of(Vertex leader) const {
    std::int64_t edges = 0;
    for (Vertex v = leader; v >= 0; v = clustering_.next[static_cast<std::size_t>(v)]) edges += fine_.degree(v);
    return edges;
  }

  void join(std::vector<Piece>& pieces) {
    WeightedGraph& graph = coarse_.graph;
    graph.offsets.resize(static_cast<std::size_t>(clustering_.clusters()) + 1);
    graph.offsets[0] = 0;
    std::vector<std::int64_t> base(pieces.size() + 1, 0);
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      base[p + 1] = base[p] + static_cast<std::int64_t>(pieces[p].neighbours.size());
    }
    if (pieces.size() == 1) {
      graph.neighbours = std::move(pieces[0].neighbours);
      graph.edge_weights = std::move(pieces[0].edge_weights);
    } else {
      graph.neighbours.resize(static_cast<std::size_t>(base.back()));
      graph.edge_weights.resize(static_cast<std::size_t>(base.back()));
    }
    team_.for_intervals(static_cast<std::int64_t>(pieces.size()), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        const auto p = static_cast<std::size_t>(k);
        std::copy(pieces[p].neighbours.begin(), pieces[p].neighbours.end(), graph.neighbours.begin() + base[p]);
        std::copy(pieces[p].edge_weights.begin(), pieces[p].edge_weights.end(), graph.edge_weights.begin() + base[p]);
        std::transform(pieces[p].ends.begin(), pieces[p].ends.end(), graph.offsets.begin() + k * vertices_of_piece_ + 1,
                       [&](std::int64_t e) { return base[p] + e; });
        pieces[p] = Piece();
      }
    });
  }

  const WeightedGraph& fine_;
  const Clustering& clustering_;
  ThreadTeam& team_;
  std::int64_t vertices_of_piece_;
  CoarseGraph coarse_;
};

}  // namespace

CoarseGraph contract(const WeightedGraph& graph, const Clustering& clustering, ThreadTeam& team) {
  return Contraction(graph, clustering, team).run();
}

}  // namespace gpusupernodal::dissection
