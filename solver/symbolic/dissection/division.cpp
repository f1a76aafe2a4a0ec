#include "solver/symbolic/dissection/division.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "solver/symbolic/dissection/first_separator.hpp"
#include "solver/symbolic/dissection/node_refinement.hpp"
#include "solver/symbolic/dissection/subgraphs.hpp"

namespace gpusupernodal::dissection {
namespace {

/// The coarse graph that is cut recursively has 1 / coarse_share of the vertices, within bounds.
constexpr Vertex coarse_share = 4;
constexpr Vertex coarse_vertices_per_part = 50;
constexpr Vertex max_coarse_vertices = 25'000;
/// Pieces of the coarse graph of at least this size are cut several times, and the best separator is taken.
constexpr Vertex worth_several_tries = 1000;
constexpr int several_tries = 6;
/// For graphs of at least this size that are divided alone, the first separator is chosen from several candidates. The
/// separators below it are better with nearly equal sides, hence the higher price.
constexpr Vertex worth_candidates = 25'000;
constexpr double price_below_chosen = 1.0;
/// Separators with more than this share of the weight that they separate are omitted. Coarse graphs have thicker ones.
constexpr double max_separator_share = 0.5;
constexpr double max_coarse_separator_share = 0.9;

bool is_useful(const SeparatorState& cut, double share) {
  return cut.weight[0] > 0 && cut.weight[1] > 0 &&
         static_cast<double>(cut.weight[separator]) < share * static_cast<double>(cut.total_weight());
}

/// Distributes components over two sides of about equal weight, heaviest first.
RawVector<Vertex> sides_of_components(const WeightedGraph& graph, const Cut& cut) {
  const auto count = static_cast<std::size_t>(cut.components);
  std::vector<std::int64_t> weight(count, 0);
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    weight[static_cast<std::size_t>(cut.component[static_cast<std::size_t>(v)])] += graph.weight(v);
  }
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weight[a] > weight[b]; });
  std::array<std::int64_t, 2> side_weight{};
  std::vector<Vertex> side(count);
  for (const std::size_t c : order) {
    side[c] = side_weight[0] <= side_weight[1] ? 0 : 1;
    side_weight[static_cast<std::size_t>(side[c])] += weight[c];
  }
  RawVector<Vertex> result(cut.component.size());
  for (std::size_t v = 0; v < result.size(); ++v) result[v] = side[static_cast<std::size_t>(cut.component[v])];
  return result;
}

class Divider {
 public:
  Divider(int depth, Vertex coarse_size, ThreadTeam& team, Concurrency concurrency, bool several_candidates, double price)
      : depth_(depth),
        coarse_size_(coarse_size),
        team_(team),
        concurrency_(concurrency),
        several_candidates_(several_candidates),
        price_(price) {}

  Division divide(const WeightedGraph& graph, std::uint64_t seed) {
    const Hierarchy hierarchy(graph, coarse_size_, seed, team_, concurrency_);
    Candidate first = first_separator(hierarchy);
    Division result;
    result.depth = depth_;
    result.price = price_;
    if (first.cut.components > 1) {
      result.components = first.cut.components;
      result.component = std::move(first.cut.component);
      for (std::size_t level = hierarchy.steps(); level-- > 0;)
        result.component = project(result.component, hierarchy.step(level), team_);
      return result;
    }
    const bool refine_thoroughly = concurrency_ == Concurrency::alone && !several_candidates_;
    divide_coarse(hierarchy.coarsest(), std::move(first.cut), hierarchy.seed(hierarchy.steps()), result);
    for (std::size_t level = hierarchy.steps(); level-- > 0;) {
      result.node = project(result.node, hierarchy.step(level), team_);
      refine_nodes(hierarchy.graph(level), result, weights_, effort_on(hierarchy, level, refine_thoroughly),
                   seed_of(hierarchy.seed(level), 3), team_, price_,
                   first.refined.empty() ? nullptr : &first.refined[level]);
    }
    return result;
  }

  /// Merges each separator that has become too large with all nodes below it into one leaf.
  void drop_poor_separators(Division& division) {
    std::array<Node, std::tuple_size_v<NodeWeights>> joined{};
    bool any = false;
    for (unsigned t = 1; t < 2U * division.first_leaf(); ++t) {
      const auto node = static_cast<Node>(t);
      const Node above = joined[t / 2];
      const bool inside = t > 1 && above != t / 2;
      joined[t] = inside ? above : node;
      if (inside || node >= division.first_leaf()) continue;
      SeparatorState state;
      state.weight = {weight_below(weights_, static_cast<Node>(2 * t), depth_),
                      weight_below(weights_, static_cast<Node>(2 * t + 1), depth_), weights_[t]};
      const bool empty = state.weight[0] == 0 && state.weight[separator] == 0;
      if (empty || state.weight[separator] == 0 || is_useful(state, max_separator_share)) continue;
      joined[t] = static_cast<Node>(t << static_cast<unsigned>(depth_ - depth_of(node)));
      any = true;
    }
    if (!any) return;
    for (Node& node : division.node) node = joined[node];
  }

 private:
  /// The best of several candidates with its refinements, or one unrefined candidate, which divide() refines.
  Candidate first_separator(const Hierarchy& hierarchy) {
    const std::uint64_t seed = seed_of(hierarchy.seed(hierarchy.steps()), 4);
    const WeightedGraph& coarsest = hierarchy.coarsest();
    if (!several_candidates_ || hierarchy.steps() == 0) {
      return {best_cut(coarsest, seed, team_, {tries_for(coarsest), 1, concurrency_, price_}), price_, {}};
    }
    std::vector<Candidate> candidates = make_candidates(hierarchy, seed, team_);
    std::erase_if(candidates, [](const Candidate& candidate) {
      return candidate.cut.components == 1 && !is_useful(candidate.cut.separation, max_coarse_separator_share);
    });
    if (candidates.empty()) return {best_cut(coarsest, seed, team_, {1, 1, concurrency_, price_}), price_, {}};
    if (candidates.size() == 1) return std::move(candidates.front());
    price_ = price_below_chosen;
    return best_on_finest(hierarchy, std::move(candidates), team_);
  }

  void divide_coarse(const WeightedGraph& graph, Cut first, std::uint64_t seed, Division& result) {
    result.node.resize(static_cast<std::size_t>(graph.vertices()));
    Subgraph whole;
    whole.graph = graph;
    whole.whole.resize(result.node.size());
    std::iota(whole.whole.begin(), whole.whole.end(), Vertex{0});
    apply(std::move(whole), std::move(first), 1, seed, result);
    weights_.fill(0);
    for (std::size_t v = 0; v < result.node.size(); ++v) weights_[result.node[v]] += graph.weight(static_cast<Vertex>(v));
  }

  static int tries_for(const WeightedGraph& graph) { return graph.vertices() >= worth_several_tries ? several_tries : 1; }

  /// Divides a piece of the coarse graph among the nodes of a subtree.
  void divide_piece(Subgraph piece, unsigned node, std::uint64_t seed, Division& result) {
    if (piece.graph.vertices() == 0) return;
    if (depth_of(static_cast<Node>(node)) == depth_ || piece.graph.vertices() == 1) {
      give(piece, node, result);
      return;
    }
    Cut cut = best_cut(piece.graph, seed_of(seed, 4), team_, {tries_for(piece.graph), 1, Concurrency::others, price_});
    apply(std::move(piece), std::move(cut), node, seed, result);
  }

  /// Assigns a whole piece to the first leaf below a node.
  void give(const Subgraph& piece, unsigned node, Division& result) const {
    const auto leaf = static_cast<Node>(node << static_cast<unsigned>(depth_ - depth_of(static_cast<Node>(node))));
    for (const Vertex v : piece.whole) result.node[static_cast<std::size_t>(v)] = leaf;
  }

  void apply(Subgraph piece, Cut cut, unsigned node, std::uint64_t seed, Division& result) {
    RawVector<Vertex> part_of;
    if (cut.components > 1) {
      part_of = sides_of_components(piece.graph, cut);
    } else if (is_useful(cut.separation, max_coarse_separator_share)) {
      part_of.resize(cut.separation.side.size());
      for (std::size_t v = 0; v < part_of.size(); ++v) {
        part_of[v] = cut.separation.side[v] == separator ? -1 : cut.separation.side[v];
        if (part_of[v] < 0) result.node[static_cast<std::size_t>(piece.whole[v])] = static_cast<Node>(node);
      }
    } else {
      give(piece, node, result);
      return;
    }
    std::vector<Subgraph> sides = extract(piece, part_of, 2, team_);
    TaskGroup group(team_);
    group.run([&] { divide_piece(std::move(sides[0]), 2 * node, seed_of(seed, 5), result); });
    divide_piece(std::move(sides[1]), 2 * node + 1, seed_of(seed, 6), result);
    group.wait();
  }

  int depth_;
  Vertex coarse_size_;
  ThreadTeam& team_;
  Concurrency concurrency_;
  bool several_candidates_;  ///< Whether to choose the first separator from several candidates.
  double price_;             ///< Price of imbalance.
  NodeWeights weights_{};
};

}  // namespace

Division divide_graph(const WeightedGraph& graph, int depth, std::uint64_t seed, ThreadTeam& team, Concurrency concurrency,
                      double price) {
  const Vertex parts = Vertex{1} << static_cast<unsigned>(depth);
  const bool several_candidates = concurrency == Concurrency::alone && graph.vertices() >= worth_candidates;
  Divider divider(depth,
                  std::max(coarse_vertices_per_part * parts, std::min(graph.vertices() / coarse_share, max_coarse_vertices)),
                  team, concurrency, several_candidates, price);
  Division division = divider.divide(graph, seed);
  if (division.components == 1) divider.drop_poor_separators(division);
  return division;
}

}  // namespace gpusupernodal::dissection
