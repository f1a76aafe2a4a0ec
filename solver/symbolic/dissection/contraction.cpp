#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "solver/symbolic/dissection/clustering.hpp"

namespace gpusupernodal::dissection {
namespace {

constexpr std::int64_t grain = 4096;
/// Leaders whose clusters one piece of the coarse graph holds.
constexpr std::int64_t vertices_of_piece = 2048;

/// Adds up the weights of equal neighbours of one coarse vertex after another: a table that stays in the nearest cache.
class NeighbourTable {
 public:
  /// For a coarse vertex with at most `most` neighbours.
  void begin(std::int64_t most) {
    const std::size_t slots = std::bit_ceil(static_cast<std::size_t>(2 * most + 8));
    if (slots > slots_.size()) slots_.assign(slots, empty);
    shift_ = 32 - std::countr_zero(slots);
    mask_ = slots - 1;
  }

  /// Neighbours of the vertex so far, at the addresses given; weights add up.
  void add(Vertex neighbour, std::uint32_t weight, Vertex* neighbours, std::uint32_t* weights) {
    std::size_t slot = home(neighbour);
    while (slots_[slot] != empty) {
      const std::int32_t place = slots_[slot];
      if (neighbours[place] == neighbour) {
        weights[place] += weight;
        return;
      }
      slot = (slot + 1) & mask_;
    }
    slots_[slot] = count_;
    used_.push_back(slot);
    neighbours[count_] = neighbour;
    weights[count_] = weight;
    ++count_;
  }

  /// Returns the number of different neighbours.
  std::int32_t end() {
    for (const std::size_t slot : used_) slots_[slot] = empty;
    used_.clear();
    return std::exchange(count_, 0);
  }

 private:
  static constexpr std::int32_t empty = -1;
  std::size_t home(Vertex neighbour) const { return (static_cast<std::uint32_t>(neighbour) * 0x9e3779b1U) >> shift_; }

  std::vector<std::int32_t> slots_;
  std::vector<std::size_t> used_;
  std::size_t mask_ = 0;
  std::int32_t count_ = 0;
  int shift_ = 0;
};

/// Consecutive coarse vertices with their edges.
struct Piece {
  RawVector<Vertex> neighbours;
  RawVector<std::uint32_t> edge_weights;
  RawVector<std::int64_t> ends;  ///< Of each vertex, within the piece.
};

class Contraction {
 public:
  Contraction(const WeightedGraph& fine, const Clustering& clustering, ThreadTeam& team)
      : fine_(fine), clustering_(clustering), team_(team) {}

  CoarseGraph run() {
    number_clusters();
    const std::int64_t count = (clustering_.clusters + vertices_of_piece - 1) / vertices_of_piece;
    std::vector<Piece> pieces(static_cast<std::size_t>(count));
    coarse_.graph.vertex_weights.resize(static_cast<std::size_t>(clustering_.clusters));
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
    leaders_.reserve(static_cast<std::size_t>(clustering_.clusters));
    for (Vertex v = 0; v < n; ++v) {
      if (clustering_.leader[static_cast<std::size_t>(v)] == v) {
        coarse_.coarse_of[static_cast<std::size_t>(v)] = static_cast<Vertex>(leaders_.size());
        leaders_.push_back(v);
      }
    }
    team_.for_intervals(n, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t v = begin; v < end; ++v) {
        const auto i = static_cast<std::size_t>(v);
        const auto leader = static_cast<std::size_t>(clustering_.leader[i]);
        if (leader != i) coarse_.coarse_of[i] = coarse_.coarse_of[leader];
      }
    });
  }

  void fill(std::int64_t p, Piece& piece) {
    NeighbourTable table;
    const std::int64_t begin = p * vertices_of_piece;
    const std::int64_t end = std::min<std::int64_t>(begin + vertices_of_piece, clustering_.clusters);
    std::int64_t most = 0;
    for (std::int64_t c = begin; c < end; ++c) most += edges_of(leaders_[static_cast<std::size_t>(c)]);
    piece.neighbours.resize(static_cast<std::size_t>(most));
    piece.edge_weights.resize(static_cast<std::size_t>(most));
    piece.ends.reserve(static_cast<std::size_t>(end - begin));
    std::int64_t filled = 0;
    for (std::int64_t c = begin; c < end; ++c) {
      const Vertex leader = leaders_[static_cast<std::size_t>(c)];
      table.begin(edges_of(leader));
      std::int32_t weight = 0;
      for (Vertex v = leader; v >= 0; v = clustering_.next[static_cast<std::size_t>(v)]) {
        weight += fine_.weight(v);
        for (std::int64_t e = fine_.begin(v); e < fine_.end(v); ++e) {
          const Vertex d = coarse_.coarse_of[static_cast<std::size_t>(fine_.neighbours[static_cast<std::size_t>(e)])];
          if (d == c) continue;
          table.add(d, fine_.edge_weight(e), piece.neighbours.data() + filled, piece.edge_weights.data() + filled);
        }
      }
      filled += table.end();
      coarse_.graph.vertex_weights[static_cast<std::size_t>(c)] = weight;
      piece.ends.push_back(filled);
    }
    piece.neighbours.resize(static_cast<std::size_t>(filled));
    piece.edge_weights.resize(static_cast<std::size_t>(filled));
  }

  /// Of all vertices of a cluster.
  std::int64_t edges_of(Vertex leader) const {
    std::int64_t edges = 0;
    for (Vertex v = leader; v >= 0; v = clustering_.next[static_cast<std::size_t>(v)]) edges += fine_.degree(v);
    return edges;
  }

  void join(std::vector<Piece>& pieces) {
    WeightedGraph& graph = coarse_.graph;
    graph.offsets.resize(static_cast<std::size_t>(clustering_.clusters) + 1);
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
        std::transform(pieces[p].ends.begin(), pieces[p].ends.end(), graph.offsets.begin() + k * vertices_of_piece + 1,
                       [&](std::int64_t e) { return base[p] + e; });
        pieces[p] = Piece();
      }
    });
  }

  const WeightedGraph& fine_;
  const Clustering& clustering_;
  ThreadTeam& team_;
  CoarseGraph coarse_;
  RawVector<Vertex> leaders_;
};

}  // namespace

CoarseGraph contract(const WeightedGraph& graph, const Clustering& clustering, ThreadTeam& team) {
  return Contraction(graph, clustering, team).run();
}

}  // namespace gpusupernodal::dissection
