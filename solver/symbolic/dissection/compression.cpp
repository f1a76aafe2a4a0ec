#include "solver/symbolic/dissection/compression.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>

#include "base/parallel_lists.hpp"
#include "solver/symbolic/dissection/random.hpp"

namespace gpusupernodal::dissection {
namespace {

constexpr std::int64_t compression_grain = 4096;
/// A class of rows is dense if it has more than dense_factor · √classes neighbouring classes, as in AMD, and more than
/// min_dense_degree.
constexpr double dense_factor = 10.0;
constexpr std::int64_t min_dense_degree = 256;

class Compression {
 public:
  Compression(const AdjacencyGraph& graph, ThreadTeam& team) : graph_(graph), team_(team) {}

  CompressedGraph run() {
    hash_rows();
    find_representatives();
    number_classes();
    count_neighbours();
    set_dense_aside();
    list_rows();
    connect();
    return std::move(result_);
  }

 private:
  static constexpr Vertex none = -1;

  std::span<const OldIndex> of(Vertex v) const { return graph_.of(OldIndex(std::int64_t{v})); }

  template <class Body>
  void each(Vertex count, Body&& body) {
    team_.for_intervals(count, compression_grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t v = begin; v < end; ++v) body(static_cast<Vertex>(v));
    });
  }

  void hash_rows() {
    hash_.resize(static_cast<std::size_t>(graph_.order));
    each(graph_.order, [&](Vertex v) {
      std::uint64_t sum = scatter(static_cast<std::uint64_t>(v) + 1);
      for (const OldIndex u : of(v)) sum += scatter(static_cast<std::uint64_t>(u.value) + 1);
      hash_[static_cast<std::size_t>(v)] = sum;
    });
  }

  /// Whether v and u have the same other neighbours. Precondition: they are neighbours.
  bool same(Vertex v, Vertex u) const {
    const auto a = of(v);
    const auto b = of(u);
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0, j = 0;; ++i, ++j) {
      while (i < a.size() && a[i].value == u) ++i;
      while (j < b.size() && b[j].value == v) ++j;
      if (i == a.size() || j == b.size()) return i == a.size() && j == b.size();
      if (a[i] != b[j]) return false;
    }
  }

  /// Finds the lowest row of each class. Indistinguishable rows are neighbours, so only neighbours are compared.
  void find_representatives() {
    representative_.resize(static_cast<std::size_t>(graph_.order));
    each(graph_.order, [&](Vertex v) {
      Vertex found = v;
      for (const OldIndex u : of(v)) {
        if (u.value >= v) break;
        if (hash_[static_cast<std::size_t>(u.value)] == hash_[static_cast<std::size_t>(v)] && same(v, u.value)) {
          found = u.value;
          break;
        }
      }
      representative_[static_cast<std::size_t>(v)] = found;
    });
    hash_ = RawVector<std::uint64_t>();
  }

  bool leads(Vertex v) const { return representative_[static_cast<std::size_t>(v)] == v; }

  void number_classes() {
    vertex_of_.resize(static_cast<std::size_t>(graph_.order));
    std::atomic<bool> some_follow{false};
    each(graph_.order, [&](Vertex v) {
      if (!leads(v)) some_follow.store(true, std::memory_order_relaxed);
    });
    all_leaders_ = !some_follow;
    if (all_leaders_) {
      leaders_.resize(vertex_of_.size());
      each(graph_.order,
           [&](Vertex v) { vertex_of_[static_cast<std::size_t>(v)] = leaders_[static_cast<std::size_t>(v)] = v; });
      return;
    }
    leaders_ = list_where<Vertex>(
        graph_.order, team_, [&](std::int64_t v) { return leads(static_cast<Vertex>(v)); },
        [](std::int64_t v) { return static_cast<Vertex>(v); });
    each(static_cast<Vertex>(leaders_.size()),
         [&](Vertex c) { vertex_of_[static_cast<std::size_t>(leaders_[static_cast<std::size_t>(c)])] = c; });
  }

  void count_neighbours() {
    degree_.resize(leaders_.size());
    each(static_cast<Vertex>(leaders_.size()), [&](Vertex c) {
      const auto neighbours = of(leaders_[static_cast<std::size_t>(c)]);
      auto degree = static_cast<std::int64_t>(neighbours.size());
      if (!all_leaders_)
        degree = std::count_if(neighbours.begin(), neighbours.end(), [&](OldIndex u) { return leads(u.value); });
      degree_[static_cast<std::size_t>(c)] = degree;
    });
  }

  /// Moves the rows of dense classes from leaders_ to dense_rows and renumbers the other classes.
  void set_dense_aside() {
    const auto limit = std::max(min_dense_degree,
                                static_cast<std::int64_t>(dense_factor * std::sqrt(static_cast<double>(leaders_.size()))));
    std::vector<std::pair<std::int64_t, Vertex>> dense;
    for (std::size_t c = 0; c < leaders_.size(); ++c) {
      if (degree_[c] > limit) dense.emplace_back(degree_[c], leaders_[c]);
    }
    if (dense.empty()) return;
    std::sort(dense.begin(), dense.end());
    for (const auto& [degree, leader] : dense) {
      (void)degree;
      vertex_of_[static_cast<std::size_t>(leader)] = none;
    }
    std::erase_if(leaders_, [&](Vertex l) { return vertex_of_[static_cast<std::size_t>(l)] == none; });
    for (std::size_t c = 0; c < leaders_.size(); ++c)
      vertex_of_[static_cast<std::size_t>(leaders_[c])] = static_cast<Vertex>(c);
    std::vector<std::vector<Vertex>> rows_of_dense(dense.size());
    std::vector<std::pair<Vertex, std::size_t>> place;
    for (std::size_t k = 0; k < dense.size(); ++k) place.emplace_back(dense[k].second, k);
    std::sort(place.begin(), place.end());
    for (Vertex v = 0; v < graph_.order; ++v) {
      const Vertex leader = representative_[static_cast<std::size_t>(v)];
      if (vertex_of_[static_cast<std::size_t>(leader)] != none) continue;
      const auto found = std::lower_bound(place.begin(), place.end(), std::pair(leader, std::size_t{0}));
      rows_of_dense[found->second].push_back(v);
    }
    for (const auto& rows : rows_of_dense) result_.dense_rows.insert(result_.dense_rows.end(), rows.begin(), rows.end());
    some_dense_ = true;
  }

  void list_rows() {
    const std::size_t classes = leaders_.size();
    result_.is_whole = all_leaders_ && !some_dense_;
    if (result_.is_whole) {
      result_.class_begin.resize(classes + 1);
      result_.rows.resize(classes);
      each(graph_.order, [&](Vertex v) {
        result_.class_begin[static_cast<std::size_t>(v)] = result_.rows[static_cast<std::size_t>(v)] = v;
      });
      result_.class_begin.back() = graph_.order;
      return;
    }
    result_.class_begin.assign(classes + 1, 0);
    each(graph_.order, [&](Vertex v) {
      if (!leads(v))
        vertex_of_[static_cast<std::size_t>(v)] =
            vertex_of_[static_cast<std::size_t>(representative_[static_cast<std::size_t>(v)])];
    });
    const auto add = [&](RawVector<std::int64_t>& numbers, Vertex c) {
      return std::atomic_ref(numbers[static_cast<std::size_t>(c)]).fetch_add(1, std::memory_order_relaxed);
    };
    each(graph_.order, [&](Vertex v) {
      const Vertex c = vertex_of_[static_cast<std::size_t>(v)];
      if (c != none) add(result_.class_begin, c + 1);
    });
    add_up(result_.class_begin.data(), static_cast<std::int64_t>(classes) + 1, team_);
    result_.rows.resize(static_cast<std::size_t>(result_.class_begin.back()));
    RawVector<std::int64_t> next(result_.class_begin.begin(), result_.class_begin.end());
    each(graph_.order, [&](Vertex v) {
      const Vertex c = vertex_of_[static_cast<std::size_t>(v)];
      if (c != none) result_.rows[static_cast<std::size_t>(add(next, c))] = v;
    });
    // The threads insert rows in arbitrary order.
    each(static_cast<Vertex>(classes), [&](Vertex c) {
      const auto i = static_cast<std::size_t>(c);
      std::sort(result_.rows.begin() + result_.class_begin[i], result_.rows.begin() + result_.class_begin[i + 1]);
    });
  }

  void connect() {
    const std::size_t classes = leaders_.size();
    WeightedGraph& graph = result_.graph;
    graph.offsets.resize(classes + 1);
    graph.offsets[0] = 0;
    const auto kept = [&](OldIndex u) { return leads(u.value) && vertex_of_[static_cast<std::size_t>(u.value)] != none; };
    each(static_cast<Vertex>(classes), [&](Vertex c) {
      const auto neighbours = of(leaders_[static_cast<std::size_t>(c)]);
      graph.offsets[static_cast<std::size_t>(c) + 1] = result_.is_whole
                                                           ? static_cast<std::int64_t>(neighbours.size())
                                                           : std::count_if(neighbours.begin(), neighbours.end(), kept);
    });
    add_up(graph.offsets.data(), static_cast<std::int64_t>(classes) + 1, team_);
    graph.neighbours.resize(static_cast<std::size_t>(graph.offsets.back()));
    graph.total_weight = result_.class_begin.back();
    if (!all_leaders_) graph.vertex_weights.resize(classes);
    each(static_cast<Vertex>(classes), [&](Vertex c) {
      const auto i = static_cast<std::size_t>(c);
      auto next = static_cast<std::size_t>(graph.offsets[i]);
      for (const OldIndex u : of(leaders_[i])) {
        if (kept(u)) graph.neighbours[next++] = vertex_of_[static_cast<std::size_t>(u.value)];
      }
      if (!all_leaders_)
        graph.vertex_weights[i] = static_cast<std::int32_t>(result_.class_begin[i + 1] - result_.class_begin[i]);
    });
  }

  const AdjacencyGraph& graph_;
  ThreadTeam& team_;
  CompressedGraph result_;
  RawVector<std::uint64_t> hash_;
  RawVector<Vertex> representative_;
  RawVector<Vertex> vertex_of_;  ///< Vertex of each leader, later of each row; `none` for dense rows.
  RawVector<Vertex> leaders_;
  RawVector<std::int64_t> degree_;  ///< Number of neighbouring classes of each class.
  bool all_leaders_ = false;        ///< Each class has one row.
  bool some_dense_ = false;
};

}  // namespace

CompressedGraph compress(const AdjacencyGraph& graph, ThreadTeam& team) { return Compression(graph, team).run(); }

}  // namespace gpusupernodal::dissection
