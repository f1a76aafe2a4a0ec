#include "solver/symbolic/dissection/node_refinement.hpp"

#include <algorithm>
#include <vector>

#include "base/parallel_lists.hpp"

namespace gpusupernodal::dissection {
namespace {

constexpr std::int64_t refinement_grain = 16384;
constexpr Node unplaced = 0;  ///< Marks vertices that were taken off their nodes.
constexpr Side outside = 3;
/// Smaller graphs are not worth a separate task.
constexpr Vertex refinement_task = 2000;

class NodeRefinement {
 public:
  NodeRefinement(const WeightedGraph& graph, Division& division, NodeWeights& weights, ThreadTeam& team, double price,
                 const RefinedSeparation* root)
      : graph_(graph),
        division_(division),
        weights_(weights),
        team_(team),
        price_(price),
        root_(root),
        lists_(division.first_leaf()),
        side_(division.node.size()),
        space_(graph.vertices()) {
    const RawVector<Vertex> separators = list_where<Vertex>(
        graph.vertices(), team, [&](std::int64_t v) { return node(static_cast<Vertex>(v)) < division.first_leaf(); },
        [](std::int64_t v) { return static_cast<Vertex>(v); });
    for (const Vertex v : separators) lists_[node(v)].push_back(v);
  }

  void run(const RefinerEffort& effort, std::uint64_t seed) {
    for (int depth = 0; depth < division_.depth; ++depth) {
      set_sides(depth);
      const auto first = static_cast<Node>(1U << static_cast<unsigned>(depth));
      for (unsigned t = first; t < 2U * first; ++t) remove_moved_vertices(static_cast<Node>(t));
      TaskGroup group(team_);
      for (unsigned t = first; t < 2U * first; ++t) {
        const auto work = [this, effort, seed, t] { refine(static_cast<Node>(t), effort, seed_of(seed, t)); };
        if (t + 1 < 2U * first && graph_.vertices() / first >= refinement_task) {
          group.run(work);
        } else {
          work();
        }
      }
      group.wait();
    }
  }

 private:
  Node& node(Vertex v) { return division_.node[static_cast<std::size_t>(v)]; }
  Side side(Vertex v) const { return side_[static_cast<std::size_t>(v)]; }

  /// Sets the sides of all vertices with respect to the nodes of this depth.
  void set_sides(int depth) {
    std::array<Side, std::tuple_size_v<NodeWeights>> side_of{};
    for (unsigned t = 1; t < side_of.size(); ++t) {
      const int below = depth_of(static_cast<Node>(t)) - depth;
      side_of[t] = below < 0    ? outside
                   : below == 0 ? separator
                                : static_cast<Side>(t >> static_cast<unsigned>(below - 1) & 1U);
    }
    team_.for_intervals(graph_.vertices(), refinement_grain, [&](std::int64_t begin, std::int64_t end) {
      for (auto v = static_cast<std::size_t>(begin); v < static_cast<std::size_t>(end); ++v)
        side_[v] = side_of[division_.node[v]];
    });
  }

  /// Removes vertices from the list of t that a refinement further up has moved to other nodes. Precondition: no refinement
  /// of this depth has started, because it may move such vertices.
  void remove_moved_vertices(Node t) {
    std::erase_if(lists_[t], [&](Vertex v) { return node(v) != t; });
  }

  void refine(Node t, const RefinerEffort& effort, std::uint64_t seed) {
    const std::vector<Vertex>& list = lists_[t];
    if (list.empty()) return;
    if (t == 1 && root_ != nullptr) {
      const auto take = [&](Vertex v) {
        side_[static_cast<std::size_t>(v)] = root_->separation.side[static_cast<std::size_t>(v)];
      };
      for (const Vertex v : list) take(v);
      for (const Vertex v : root_->entered) take(v);
      apply_refinement(t, root_->entered, root_->separation.separator_vertices);
      return;
    }
    const auto child = [t](Side s) { return static_cast<Node>(2U * t + s); };
    SeparatorState state;
    state.weight = {weight_below(weights_, child(0), division_.depth), weight_below(weights_, child(1), division_.depth),
                    weights_[t]};
    state.separator_vertices = list;
    Random random(seed);
    SeparatorRefiner refiner(graph_, side_, state, space_, random, price_);
    refiner.refine(effort);
    apply_refinement(t, refiner.entered(), std::move(state.separator_vertices));
  }

  /// Moves the vertices that a refinement has moved to nodes on their new sides, and updates the weights.
  void apply_refinement(Node t, const std::vector<Vertex>& entered, std::vector<Vertex> separator_vertices) {
    std::vector<Vertex>& list = lists_[t];
    for (const Vertex v : list) take_off(v, t);
    for (const Vertex v : entered) take_off(v, t);
    for (const Vertex v : separator_vertices) put(v, t);
    for (const Vertex v : list) place(v, t);
    for (const Vertex v : entered) place(v, t);
    list = std::move(separator_vertices);
  }

  void put(Vertex v, Node t) {
    node(v) = t;
    weights_[t] += graph_.weight(v);
  }

  /// Takes v off its node, unless the node is still below the child of t on the side of v.
  void take_off(Vertex v, Node t) {
    Node& old = node(v);
    if (old == unplaced || (side(v) != separator && is_below(old, static_cast<Node>(2U * t + side(v))))) return;
    weights_[old] -= graph_.weight(v);
    old = unplaced;
  }

  /// Puts v into the lowest node below the child of t that is valid for all neighbours on that side: the lowest of their
  /// nodes if these lie on one path from the child, else the node where their paths meet.
  void place(Vertex v, Node t) {
    if (node(v) != unplaced) return;
    const auto child = static_cast<Node>(2U * t + side(v));
    Node found = unplaced;
    bool paths_part = false;
    for (const Vertex u : graph_.of(v)) {
      const Node other = node(u);
      if (other == unplaced || side(u) != side(v)) continue;
      if (found == unplaced) {
        found = other;
      } else if (is_below(other, found)) {
        if (!paths_part) found = other;
      } else if (!is_below(found, other)) {
        found = common_ancestor(found, other);
        paths_part = true;
      }
    }
    if (found == unplaced) found = child;
    put(v, found);
    if (found < division_.first_leaf()) lists_[found].push_back(v);
  }

  const WeightedGraph& graph_;
  Division& division_;
  NodeWeights& weights_;
  ThreadTeam& team_;
  double price_;
  const RefinedSeparation* root_;           ///< If null, the root separator is refined here.
  std::vector<std::vector<Vertex>> lists_;  ///< Vertices of each separator, including some that have left it.
  RawVector<Side> side_;
  RefinerSpace space_;
};

}  // namespace

std::int64_t weight_below(const NodeWeights& weights, Node node, int depth) {
  std::int64_t sum = 0;
  unsigned first = node;
  for (unsigned count = 1; first < 2U << static_cast<unsigned>(depth); first *= 2, count *= 2) {
    for (unsigned t = first; t < first + count; ++t) sum += weights[t];
  }
  return sum;
}

void refine_nodes(const WeightedGraph& graph, Division& division, NodeWeights& weights, const RefinerEffort& effort,
                  std::uint64_t seed, ThreadTeam& team, double price, const RefinedSeparation* root) {
  NodeRefinement(graph, division, weights, team, price, root).run(effort, seed);
}

}  // namespace gpusupernodal::dissection
