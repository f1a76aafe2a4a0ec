#include "solver/symbolic/dissection/separation.hpp"

#include <algorithm>
#include <cstdlib>

namespace gpusupernodal::dissection {
namespace {

/// A pass ends after so many moves that bring nothing, for each vertex of the separator: enough to sweep a front over layers
/// of the graph. On cubes separators along the diagonals, a quarter smaller than planes, are found only so.
constexpr std::size_t patience_per_vertex = 3;
constexpr std::size_t least_patience = 30;
constexpr std::size_t most_patience = 20'000;

constexpr Side other_side(Side s) { return static_cast<Side>(1 - s); }

}  // namespace

std::tuple<std::int64_t, std::int64_t, std::int64_t> Separation::score(std::int64_t heaviest_side) const {
  const std::int64_t excess = std::max<std::int64_t>(0, std::max(weight[0], weight[1]) - heaviest_side);
  return {excess, weight[separator], std::abs(weight[0] - weight[1])};
}

SeparatorRefiner::SeparatorRefiner(const WeightedGraph& graph, Separation& separation, Random& random)
    : graph_(graph),
      separation_(separation),
      random_(random),
      heaviest_side_(static_cast<std::int64_t>(largest_share * static_cast<double>(graph.total_weight))),
      before_(static_cast<std::size_t>(graph.vertices())),
      listed_(static_cast<std::size_t>(graph.vertices()), std::uint8_t{0}) {}

void SeparatorRefiner::grow_from(Vertex start) {
  separation_.side.assign(static_cast<std::size_t>(graph_.vertices()), Side{1});
  separation_.weight = {0, graph_.total_weight - graph_.weight(start), graph_.weight(start)};
  separation_.separator_vertices.assign(1, start);
  side(start) = separator;
  start_pass(0);
  while (2 * separation_.weight[0] < graph_.total_weight) {
    drop_outdated();
    if (heap_.empty()) break;
    move_best();
    note_if_best();
  }
  roll_back();
}

void SeparatorRefiner::refine(int passes) {
  Side to = separation_.weight[0] <= separation_.weight[1] ? 0 : 1;
  int in_vain = 0;
  for (int p = 0; p < passes && in_vain < 2; ++p) {
    in_vain = pass(to) ? 0 : in_vain + 1;
    to = other_side(to);
  }
}

bool SeparatorRefiner::pass(Side to) {
  start_pass(to);
  const auto score_before = best_score_;
  const std::size_t patience =
      std::clamp(patience_per_vertex * separation_.separator_vertices.size(), least_patience, most_patience);
  while (moves_.size() - best_moves_ <= patience) {
    drop_outdated();
    if (heap_.empty() || separation_.weight[to] + graph_.weight(heap_.front().vertex) > heaviest_side_) break;
    move_best();
    note_if_best();
  }
  roll_back();
  return best_score_ < score_before;
}

void SeparatorRefiner::start_pass(Side to) {
  to_ = to;
  from_ = other_side(to);
  moves_.clear();
  pulled_.clear();
  heap_.clear();
  offers_ = 0;
  best_moves_ = 0;
  best_score_ = separation_.score(heaviest_side_);
  std::vector<Vertex>& vertices = separation_.separator_vertices;
  for (std::size_t k = vertices.size(); k > 1; --k) {
    std::swap(vertices[k - 1], vertices[static_cast<std::size_t>(random_.below(static_cast<std::int32_t>(k)))]);
  }
  for (const Vertex v : vertices) {
    std::int32_t weight = 0;
    for (const Vertex u : graph_.of(v)) weight += side(u) == from_ ? graph_.weight(u) : 0;
    before(v) = weight;
    offer(v);
  }
}

std::int64_t SeparatorRefiner::gain(Vertex v) const {
  return std::int64_t{graph_.weight(v)} - before_[static_cast<std::size_t>(v)];
}

void SeparatorRefiner::offer(Vertex v) {
  const auto raised = static_cast<std::uint64_t>(gain(v) + (std::int64_t{1} << 31U));
  heap_.push_back({(raised << 32U) | offers_++, v});
  std::push_heap(heap_.begin(), heap_.end());
}

void SeparatorRefiner::drop_outdated() {
  while (!heap_.empty()) {
    const Candidate& top = heap_.front();
    const auto key_gain = static_cast<std::int64_t>(top.key >> 32U) - (std::int64_t{1} << 31U);
    if (side(top.vertex) == separator && key_gain == gain(top.vertex)) return;
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
  }
}

void SeparatorRefiner::move_best() {
  const Vertex v = heap_.front().vertex;
  std::pop_heap(heap_.begin(), heap_.end());
  heap_.pop_back();
  side(v) = to_;
  separation_.weight[separator] -= graph_.weight(v);
  separation_.weight[to_] += graph_.weight(v);
  for (const Vertex u : graph_.of(v)) {
    if (side(u) == from_) pull(u);
  }
  moves_.push_back({v, static_cast<std::uint32_t>(pulled_.size())});
}

/// Brings u into the separator, because a neighbour went to the side opposite to it.
void SeparatorRefiner::pull(Vertex u) {
  const std::int32_t weight = graph_.weight(u);
  side(u) = separator;
  separation_.weight[from_] -= weight;
  separation_.weight[separator] += weight;
  pulled_.push_back(u);
  std::int32_t own = 0;
  for (const Vertex x : graph_.of(u)) {
    if (side(x) == from_) {
      own += graph_.weight(x);
    } else if (side(x) == separator) {
      before(x) -= weight;
      offer(x);
    }
  }
  before(u) = own;
  offer(u);
}

void SeparatorRefiner::note_if_best() {
  const auto score = separation_.score(heaviest_side_);
  if (!(score < best_score_)) return;
  best_score_ = score;
  best_moves_ = moves_.size();
}

void SeparatorRefiner::roll_back() {
  while (moves_.size() > best_moves_) {
    const Move last = moves_.back();
    moves_.pop_back();
    take_back(last);
  }
  collect_separator();
}

void SeparatorRefiner::take_back(const Move& move) {
  const std::size_t first = moves_.empty() ? 0 : moves_.back().pulled_end;
  for (std::size_t k = first; k < pulled_.size(); ++k) {
    const Vertex u = pulled_[k];
    side(u) = from_;
    separation_.weight[separator] -= graph_.weight(u);
    separation_.weight[from_] += graph_.weight(u);
  }
  pulled_.resize(first);
  side(move.vertex) = separator;
  separation_.weight[to_] -= graph_.weight(move.vertex);
  separation_.weight[separator] += graph_.weight(move.vertex);
}

/// Those that were in it or came into it, and are in it.
void SeparatorRefiner::collect_separator() {
  std::vector<Vertex>& vertices = separation_.separator_vertices;
  vertices.insert(vertices.end(), pulled_.begin(), pulled_.end());
  std::erase_if(vertices, [&](Vertex v) {
    std::uint8_t& listed = listed_[static_cast<std::size_t>(v)];
    if (side(v) != separator || listed != 0) return true;
    listed = 1;
    return false;
  });
  for (const Vertex v : vertices) listed_[static_cast<std::size_t>(v)] = 0;
}

}  // namespace gpusupernodal::dissection
