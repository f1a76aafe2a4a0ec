#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "base/parallel_lists.hpp"
#include "solver/symbolic/dissection/compression.hpp"
#include "solver/symbolic/dissection/division.hpp"
#include "solver/symbolic/dissection/leaf_order.hpp"
#include "solver/symbolic/dissection/random.hpp"
#include "solver/symbolic/dissection/subgraphs.hpp"
#include "solver/symbolic/ordering.hpp"

namespace gpusupernodal {
namespace {

using namespace dissection;

/// Pieces and graphs of at most this number of vertices are ordered by minimum degree.
constexpr Vertex usual_leaf = 400;
/// Graphs of up to `small_graph` vertices are dissected into smaller pieces, because two or three large ones would leave
/// most of the ordering to minimum degree (this takes 0.80 times the flops for nos5 and 0.62 times for nos7).
constexpr Vertex small_graph = 1000;
constexpr Vertex leaf_of_small = 100;
/// Number of separator levels that one division finds.
constexpr int levels_at_once = 3;
constexpr int levels_at_once_of_large = 4;
constexpr Vertex large = 100'000;
/// Added to the caller's seed. An arbitrary choice: docs/analysis.md.
constexpr std::uint64_t first_seed = 21;
/// Pieces of at least 1 / few of the graph's vertices count as divided alone.
constexpr Vertex few = 3;
/// Smaller pieces are not worth a separate task.
constexpr Vertex task_size = 200;
constexpr std::int64_t grain = 16384;

class Dissection {
 public:
  /// `rows` is the graph of A, and `compressed` its compression.
  Dissection(CompressedGraph& compressed, const AdjacencyGraph& rows, std::uint64_t seed, ThreadTeam& team,
             const std::atomic<bool>* stop, const std::atomic<bool>* cancel)
      : whole_{std::move(compressed.graph), {}},
        keeps_whole_(!compressed.is_whole),
        seed_(first_seed + seed),
        team_(team),
        stop_(stop),
        cancel_(cancel),
        leaf_size_(leaf_size_of(whole_.graph.vertices())),
        order_(static_cast<std::size_t>(whole_.graph.vertices())),
        leaves_(keeps_whole_ ? GraphView(whole_.graph) : GraphView(rows)),
        pieces_(team) {}

  RawVector<Vertex> run() {
    whole_.whole.resize(order_.size());
    team_.for_intervals(static_cast<std::int64_t>(order_.size()), grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t v = begin; v < end; ++v) whole_.whole[static_cast<std::size_t>(v)] = static_cast<Vertex>(v);
    });
    dissect(whole_, 0, 1, usual_price);
    pieces_.wait();
    return std::move(order_);
  }

  bool is_stopped() const { return (stop_ != nullptr && *stop_) || (cancel_ != nullptr && *cancel_); }

 private:
  struct Job {
    Subgraph piece;
    std::size_t begin = 0;
    std::uint64_t place = 0;
    double price = usual_price;

    bool operator<(const Job& other) const { return piece.graph.vertices() < other.piece.graph.vertices(); }
  };

  static Vertex leaf_size_of(Vertex vertices) {
    return vertices > usual_leaf && vertices <= small_graph ? leaf_of_small : usual_leaf;
  }

  /// Frees the memory of a divided piece. The whole graph is kept for ordering the leaves, unless A's graph is identical.
  void give_back(Subgraph& piece) const {
    if (&piece != &whole_ || !keeps_whole_) piece = Subgraph();
  }

  /// Queues a piece for dissection. Threads take the largest waiting piece, because starting it late would delay the end.
  void add(Job job) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(job));
      std::push_heap(waiting_.begin(), waiting_.end());
    }
    pieces_.run([this] {
      Job largest = take_largest();
      dissect(largest.piece, largest.begin, largest.place, largest.price);
    });
  }

  Job take_largest() {
    const std::lock_guard lock(mutex_);
    std::pop_heap(waiting_.begin(), waiting_.end());
    Job job = std::move(waiting_.back());
    waiting_.pop_back();
    return job;
  }

  /// Orders a piece into order_[begin …]. `place` identifies the piece in the tree and determines its random numbers.
  void dissect(Subgraph& piece, std::size_t begin, std::uint64_t place, double price) {
    if (is_stopped()) return;
    if (piece.graph.vertices() <= leaf_size_) {
      leaves_.order(piece.whole, order_.data() + begin);
      return;
    }
    if (piece.graph.neighbours.empty()) {  // Nothing to separate; any order leaves the same fill.
      std::copy(piece.whole.begin(), piece.whole.end(), order_.begin() + static_cast<std::ptrdiff_t>(begin));
      return;
    }
    Division division;
    const Vertex size = piece.graph.vertices();
    const Concurrency concurrency =
        size >= static_cast<Vertex>(order_.size()) / few ? Concurrency::alone : Concurrency::others;
    ThreadTeam::isolate(
        [&] { division = divide_graph(piece.graph, depth_for(size), seed_of(seed_, place), team_, concurrency, price); });
    if (division.components > 1) {
      dissect_components(piece, division, begin, place);
    } else {
      dissect_division(piece, division, begin, place);
    }
  }

  /// Depth of the next division. Divides the levels down to the leaves into about equal steps.
  int depth_for(Vertex vertices) const {
    const int levels = std::bit_width(static_cast<unsigned>((vertices - 1) / leaf_size_));
    const int at_once = vertices >= large ? levels_at_once_of_large : levels_at_once;
    const int steps = (levels + at_once - 1) / at_once;
    return (levels + steps - 1) / steps;
  }

  void dissect_division(Subgraph& piece, Division& division, std::size_t begin, std::uint64_t place) {
    NodePlaces next = places_of(division, begin);
    const NodePlaces first = next;
    const Node leaf = division.first_leaf();
    const auto size = static_cast<std::int64_t>(division.node.size());
    const auto node_of = [&](std::int64_t v) { return division.node[static_cast<std::size_t>(v)]; };
    RawVector<Vertex> part_of(division.node.size());
    team_.for_intervals(size, grain, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t v = from; v < to; ++v)
        part_of[static_cast<std::size_t>(v)] = node_of(v) >= leaf ? node_of(v) - leaf : -1;
    });
    const RawVector<Vertex> separators = list_where<Vertex>(
        size, team_, [&](std::int64_t v) { return node_of(v) < leaf; },
        [](std::int64_t v) { return static_cast<Vertex>(v); });
    for (const Vertex v : separators) order_[next[node_of(v)]++] = piece.whole[static_cast<std::size_t>(v)];
    for (unsigned t = 1; t < leaf; ++t) leaves_.set_outside(order_.data() + first[t], order_.data() + next[t]);
    std::vector<std::size_t> begins(first.begin() + leaf, first.begin() + 2 * leaf);
    const bool undivided =
        separators.empty() && std::all_of(part_of.begin(), part_of.end(), [](Vertex p) { return p == 0; });
    const double price = division.price;
    division = Division();
    if (undivided) {
      leaves_.order(piece.whole, order_.data() + begin);
      return;
    }
    dissect_parts(piece, part_of, begins, place, price);
  }

  using NodePlaces = std::vector<std::size_t>;

  NodePlaces sizes_of(const Division& division) const {
    const std::size_t nodes = 2U * division.first_leaf();
    const Runs runs(static_cast<std::int64_t>(division.node.size()), team_);
    std::vector<NodePlaces> of_run(static_cast<std::size_t>(runs.runs()), NodePlaces(nodes, 0));
    runs.each([&](std::size_t run, std::int64_t first, std::int64_t last) {
      for (std::int64_t v = first; v < last; ++v) ++of_run[run][division.node[static_cast<std::size_t>(v)]];
    });
    NodePlaces size(nodes, 0);
    for (const NodePlaces& run : of_run) std::transform(size.begin(), size.end(), run.begin(), size.begin(), std::plus<>());
    return size;
  }

  /// First position in order_ of each node's vertices. A separator follows all nodes below it.
  NodePlaces places_of(const Division& division, std::size_t begin) const {
    const NodePlaces count = sizes_of(division);
    NodePlaces place(count.size(), 0);
    const auto lay = [&](auto& self, unsigned node) -> void {
      if (node < division.first_leaf()) {
        self(self, 2 * node);
        self(self, 2 * node + 1);
      }
      place[node] = begin;
      begin += count[node];
    };
    lay(lay, 1);
    return place;
  }

  /// Each large component becomes a part; small ones are gathered into parts of at most the size of a leaf.
  void dissect_components(Subgraph& piece, Division& cut, std::size_t begin, std::uint64_t place) {
    std::vector<Vertex> size(static_cast<std::size_t>(cut.components), 0);
    for (const Vertex c : cut.component) ++size[static_cast<std::size_t>(c)];
    std::vector<Vertex> part_of_component(size.size());
    Vertex parts = 0;
    Vertex gathering = -1;
    Vertex gathered = 0;
    for (std::size_t c = 0; c < size.size(); ++c) {
      if (size[c] > leaf_size_) {
        part_of_component[c] = parts++;
        continue;
      }
      if (gathering < 0 || gathered + size[c] > leaf_size_) {
        gathering = parts++;
        gathered = 0;
      }
      part_of_component[c] = gathering;
      gathered += size[c];
    }
    RawVector<Vertex> part_of(cut.component.size());
    for (std::size_t v = 0; v < part_of.size(); ++v)
      part_of[v] = part_of_component[static_cast<std::size_t>(cut.component[v])];
    const double price = cut.price;
    cut = Division();
    std::vector<std::size_t> begins(static_cast<std::size_t>(parts) + 1, 0);
    for (const Vertex p : part_of) ++begins[static_cast<std::size_t>(p) + 1];
    begins.front() = begin;
    for (std::size_t p = 0; p + 1 < begins.size(); ++p) begins[p + 1] += begins[p];
    begins.pop_back();
    dissect_parts(piece, part_of, begins, place, price);
  }

  /// Dissects each part p into order_[begins[p] …].
  void dissect_parts(Subgraph& piece, const RawVector<Vertex>& part_of, const std::vector<std::size_t>& begins,
                     std::uint64_t place, double price) {
    std::vector<Subgraph> subgraphs = extract(piece, part_of, static_cast<Vertex>(begins.size()), team_);
    give_back(piece);
    for (std::size_t p = 0; p < subgraphs.size(); ++p) {
      const std::uint64_t place_of_part = seed_of(place, p);
      if (subgraphs[p].graph.vertices() >= task_size) {
        add({std::move(subgraphs[p]), begins[p], place_of_part, price});
      } else {
        dissect(subgraphs[p], begins[p], place_of_part, price);
        subgraphs[p] = Subgraph();
      }
    }
  }

  Subgraph whole_;
  bool keeps_whole_;  ///< Whether leaves_ refers to whole_.graph, which then must be kept.
  std::uint64_t seed_;
  ThreadTeam& team_;
  const std::atomic<bool>* stop_;
  const std::atomic<bool>* cancel_;
  Vertex leaf_size_;  ///< Maximum size of the pieces that minimum degree orders.
  RawVector<Vertex> order_;
  LeafOrder leaves_;
  std::mutex mutex_;
  std::vector<Job> waiting_;  ///< A heap with the largest piece on top.
  TaskGroup pieces_;          ///< Has one task per waiting job; each task takes the largest one.
};

/// Expands an order of vertices to an order of rows, in which the dense rows are last.
EliminationOrder order_of_rows(const CompressedGraph& compressed, const RawVector<Vertex>& order, std::int32_t rows,
                               ThreadTeam& team) {
  EliminationOrder result(static_cast<std::size_t>(rows));
  const auto classes = static_cast<std::int64_t>(order.size());
  const auto class_at = [&](std::int64_t k) { return static_cast<std::size_t>(order[static_cast<std::size_t>(k)]); };
  RawVector<std::int64_t> place(order.size() + 1);  // Position of the first row of each vertex, in elimination order.
  place[0] = 0;
  team.for_intervals(classes, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k)
      place[static_cast<std::size_t>(k) + 1] = compressed.class_begin[class_at(k) + 1] - compressed.class_begin[class_at(k)];
  });
  add_up(place.data(), classes + 1, team);
  team.for_intervals(classes, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      std::int64_t next = place[static_cast<std::size_t>(k)];
      for (std::int64_t r = compressed.class_begin[class_at(k)]; r < compressed.class_begin[class_at(k) + 1]; ++r)
        result[NewIndex(next++)] = OldIndex(std::int64_t{compressed.rows[static_cast<std::size_t>(r)]});
    }
  });
  std::int64_t next = place.back();
  for (const std::int32_t row : compressed.dense_rows) result[NewIndex(next++)] = OldIndex(std::int64_t{row});
  return result;
}

}  // namespace

EliminationOrder dissection_order(const AdjacencyGraph& graph, std::uint64_t seed, ThreadTeam& team,
                                  const std::atomic<bool>* stop, const std::atomic<bool>* cancel) {
  EliminationOrder result;
  if (graph.order == 0) return result;
  team.execute([&] {
    CompressedGraph compressed = compress(graph, team);
    Dissection dissection(compressed, graph, seed, team, stop, cancel);
    const RawVector<Vertex> order = dissection.run();
    if (!dissection.is_stopped()) result = order_of_rows(compressed, order, graph.order, team);
  });
  return result;
}

}  // namespace gpusupernodal
