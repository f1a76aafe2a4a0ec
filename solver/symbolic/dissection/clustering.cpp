#include "solver/symbolic/dissection/clustering.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/parallel_lists.hpp"
#include "solver/symbolic/dissection/random.hpp"

namespace gpusupernodal::dissection {
namespace {

constexpr std::int64_t clustering_grain = 1024;
/// After this number of rounds few edges between free vertices remain: each round pairs about half of the vertices.
constexpr int max_rounds = 6;
/// Clusters that share a neighbour are paired if more than 1 / unmatched_share of the clusters remain unpaired.
constexpr Vertex unmatched_share = 10;

class Pairing {
 public:
  Pairing(const WeightedGraph& graph, const ClusteringLimits& limits, ThreadTeam& team)
      : graph_(graph),
        heaviest_(limits.heaviest),
        one_by_one_below_(limits.one_by_one_below),
        team_(team),
        choice_(static_cast<std::size_t>(graph.vertices())),
        state_(static_cast<std::size_t>(graph.vertices())) {
    const auto n = static_cast<std::size_t>(graph.vertices());
    next_.resize(n);
    leaders_.resize(n);
    team_.for_intervals(graph.vertices(), clustering_grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t v = begin; v < end; ++v) {
        const auto i = static_cast<std::size_t>(v);
        leaders_[i] = static_cast<Vertex>(v);
        next_[i] = -1;
        state_[i] = {static_cast<Vertex>(v), -1, graph_.weight(static_cast<Vertex>(v))};
      }
    });
  }

  void pair_all(std::uint64_t seed) {
    if (leaders_.size() < one_by_one_below_) {
      pair_one_by_one(seed);
    } else {
      pair_in_rounds(seed);
    }
    if (static_cast<Vertex>(unmatched_.size()) > static_cast<Vertex>(leaders_.size()) / unmatched_share)
      pair_over_two_edges();
    join_mates();
  }

  Clustering take() { return {std::move(next_), std::move(leaders_)}; }

 private:
  /// The state of a vertex. `mate` and `weight` are valid for leaders and describe their clusters. One record holds all
  /// three, because each edge reads all of them.
  struct State {
    Vertex leader;
    Vertex mate;          ///< Leader of the cluster that this one is paired with, or −1.
    std::int32_t weight;  ///< Weight of the cluster.
  };

  /// Visits clusters in random order and pairs each with the free neighbour at the end of its heaviest edge.
  void pair_one_by_one(std::uint64_t seed) {
    Random random(seed);
    free_ = leaders_;
    unmatched_.clear();
    for (const Vertex l : leaders_) at(state_, l).mate = -1;
    for (std::size_t k = free_.size(); k > 1; --k) {
      std::swap(free_[k - 1], free_[static_cast<std::size_t>(random.below(static_cast<Vertex>(k)))]);
    }
    for (const Vertex l : free_) {
      if (at(state_, l).mate >= 0) continue;
      const Vertex best = first_heaviest(l, random.next());
      if (best >= 0) {
        at(state_, l).mate = best;
        at(state_, best).mate = l;
      } else {
        unmatched_.push_back(l);
      }
    }
  }

  /// The free cluster at the end of a heaviest edge, or −1. The search starts at a random edge, which breaks ties.
  Vertex first_heaviest(Vertex l, std::uint64_t random) {
    Vertex best = -1;
    std::uint32_t best_weight = 0;
    const std::int64_t max_mate_weight = heaviest_ - at(state_, l).weight;
    const auto look = [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t e = from; e < to; ++e) {
        const std::uint32_t weight = graph_.edge_weight(e);
        if (weight <= best_weight) continue;
        const Vertex other = at(state_, graph_.neighbours[static_cast<std::size_t>(e)]).leader;
        if (other == l || at(state_, other).mate >= 0 || at(state_, other).weight > max_mate_weight) continue;
        best = other;
        best_weight = weight;
      }
    };
    for (Vertex v = l; v >= 0; v = at(next_, v)) {
      const auto degree = static_cast<std::uint64_t>(graph_.degree(v));
      const std::int64_t middle = graph_.begin(v) + static_cast<std::int64_t>(((random >> 40U) * degree) >> 24U);
      look(middle, graph_.end(v));
      look(graph_.begin(v), middle);
    }
    return best;
  }

  void pair_in_rounds(std::uint64_t seed) {
    salt_ = seed;
    free_ = leaders_;
    unmatched_.clear();
    each(free_, [&](Vertex l) { at(state_, l).mate = -1; });
    for (int round = 0; round < max_rounds && !free_.empty(); ++round) {
      each(free_, [&](Vertex l) { at(choice_, l) = best_free_neighbour(l); });
      each(free_, [&](Vertex l) {
        const Vertex choice = at(choice_, l);
        if (choice >= 0 && at(choice_, choice) == l) at(state_, l).mate = choice;
      });
      const RawVector<Vertex> alone = filtered(free_, team_, [&](Vertex l) { return at(choice_, l) < 0; });
      unmatched_.insert(unmatched_.end(), alone.begin(), alone.end());
      free_ = filtered(free_, team_, [&](Vertex l) { return at(choice_, l) >= 0 && at(state_, l).mate < 0; });
    }
    unmatched_.insert(unmatched_.end(), free_.begin(), free_.end());
  }

  template <class T>
  static T& at(RawVector<T>& items, Vertex v) {
    return items[static_cast<std::size_t>(v)];
  }

  template <class Body>
  void each(const RawVector<Vertex>& list, Body&& body) {
    team_.for_intervals(static_cast<std::int64_t>(list.size()), clustering_grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) body(list[static_cast<std::size_t>(k)]);
    });
  }

  /// A hash of an edge, equal for both directions.
  std::uint64_t hash_of(Vertex u, Vertex v) const {
    const auto [low, high] = std::minmax(u, v);
    const std::uint64_t edge = (static_cast<std::uint64_t>(low) << 32U) | static_cast<std::uint64_t>(high);
    const std::uint64_t hash = (edge ^ salt_) * 0xbf58476d1ce4e5b9U;
    return (hash ^ (hash >> 32U)) * 0x94d049bb133111ebU;
  }

  /// The free cluster at the end of the heaviest edge, or −1. The edges' hashes break ties.
  Vertex best_free_neighbour(Vertex l) {
    Vertex best = -1;
    std::uint32_t best_weight = 0;
    std::uint64_t best_hash = 0;
    const std::int64_t max_mate_weight = heaviest_ - at(state_, l).weight;
    for (Vertex v = l; v >= 0; v = at(next_, v)) {
      for (std::int64_t e = graph_.begin(v), end = graph_.end(v); e < end; ++e) {
        const std::uint32_t weight = graph_.edge_weight(e);
        if (weight < best_weight) continue;
        const Vertex u = graph_.neighbours[static_cast<std::size_t>(e)];
        const Vertex other = at(state_, u).leader;
        if (other == l || at(state_, other).mate >= 0 || at(state_, other).weight > max_mate_weight) continue;
        const std::uint64_t hash = hash_of(u, v);
        if (best >= 0 && weight == best_weight && hash <= best_hash) continue;
        best = other;
        best_weight = weight;
        best_hash = hash;
      }
    }
    return best;
  }

  /// The cluster at the end of the heaviest edge, the lowest one on a tie; −1 if the cluster has no edges.
  Vertex heaviest_neighbour(Vertex l) {
    Vertex hub = -1;
    std::uint32_t best_weight = 0;
    for (Vertex v = l; v >= 0; v = at(next_, v)) {
      for (std::int64_t e = graph_.begin(v), end = graph_.end(v); e < end; ++e) {
        const std::uint32_t weight = graph_.edge_weight(e);
        const Vertex other = at(state_, graph_.neighbours[static_cast<std::size_t>(e)]).leader;
        if (other == l || (hub >= 0 && (weight < best_weight || (weight == best_weight && other >= hub)))) continue;
        hub = other;
        best_weight = weight;
      }
    }
    return hub;
  }

  /// Pairs lonely clusters whose heaviest edges lead to the same cluster.
  void pair_over_two_edges() {
    each(unmatched_, [&](Vertex l) { at(choice_, l) = heaviest_neighbour(l); });
    RawVector<Vertex> waiting(static_cast<std::size_t>(graph_.vertices()));
    each(unmatched_, [&](Vertex l) {
      if (at(choice_, l) >= 0) std::atomic_ref(at(waiting, at(choice_, l))).store(-1, std::memory_order_relaxed);
    });
    for (const Vertex l : unmatched_) {
      const Vertex hub = at(choice_, l);
      if (hub < 0) continue;
      Vertex& other = at(waiting, hub);
      if (other >= 0 && std::int64_t{at(state_, other).weight} + at(state_, l).weight <= heaviest_) {
        at(state_, l).mate = other;
        at(state_, other).mate = l;
        other = -1;
      } else {
        other = l;
      }
    }
  }

  void join_mates() {
    each(leaders_, [&](Vertex l) {
      const Vertex mate = at(state_, l).mate;
      if (mate < l) return;
      Vertex tail = l;
      while (at(next_, tail) >= 0) tail = at(next_, tail);
      at(next_, tail) = mate;
      for (Vertex v = mate; v >= 0; v = at(next_, v)) at(state_, v).leader = l;
      at(state_, l).weight += at(state_, mate).weight;
    });
    leaders_ = filtered(leaders_, team_, [&](Vertex l) { return at(state_, l).leader == l; });
  }

  const WeightedGraph& graph_;
  std::int64_t heaviest_;
  std::size_t one_by_one_below_;
  ThreadTeam& team_;
  std::uint64_t salt_ = 0;
  RawVector<Vertex> leaders_;
  RawVector<Vertex> free_;
  RawVector<Vertex> unmatched_;
  RawVector<Vertex> choice_;
  RawVector<State> state_;
  RawVector<Vertex> next_;  ///< Next vertex in the cluster's list.
};

}  // namespace

Clustering cluster_vertices(const WeightedGraph& graph, const ClusteringLimits& limits, std::uint64_t seed,
                            ThreadTeam& team) {
  Pairing pairing(graph, limits, team);
  for (int round = 0; round < limits.rounds_of_pairing; ++round) {
    pairing.pair_all(seed_of(seed, static_cast<std::uint64_t>(round)));
  }
  return pairing.take();
}

}  // namespace gpusupernodal::dissection
