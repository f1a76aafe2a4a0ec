#include "solver/symbolic/dissection/separation.hpp"

#include <algorithm>

namespace gpusupernodal::dissection {
namespace {

/// Bounds, for any effort, on the number of moves without improvement after which a pass ends.
constexpr std::size_t min_patience = 30;
constexpr std::size_t max_patience = 20'000;
/// A pass that improves the score by less than this share counts as a failure.
constexpr double min_improvement = 1e-3;

constexpr Side other_side(Side s) { return static_cast<Side>(1 - s); }

}  // namespace

SeparatorState::Score SeparatorState::score(std::int64_t heaviest_side, double price) const {
  // With a large separator, even one side alone would stay below heaviest_side, so the sides are compared with each other.
  if (is_large()) {
    const double both = static_cast<double>(weight[0] + weight[1]);
    heaviest_side = std::min(heaviest_side, static_cast<std::int64_t>(largest_share * both));
  }
  const std::int64_t excess = std::max<std::int64_t>(0, std::max(weight[0], weight[1]) - heaviest_side);
  const auto whole = static_cast<double>(total_weight());
  const auto difference = static_cast<double>(weight[0] - weight[1]);
  return {excess, static_cast<double>(weight[separator]) * (whole * whole + price * difference * difference)};
}

void Separation::list_separator() {
  separator_vertices.clear();
  for (std::size_t v = 0; v < side.size(); ++v) {
    if (side[v] == separator) separator_vertices.push_back(static_cast<Vertex>(v));
  }
}

SeparatorRefiner::SeparatorRefiner(const WeightedGraph& graph, RawVector<Side>& side, SeparatorState& state,
                                   RefinerSpace& space, Random& random, double price)
    : graph_(graph),
      side_(side),
      state_(state),
      space_(space),
      random_(random),
      price_(price),
      heaviest_side_(static_cast<std::int64_t>(largest_share * static_cast<double>(state.total_weight()))) {}

void SeparatorRefiner::grow_from(Vertex start) {
  side_.assign(static_cast<std::size_t>(graph_.vertices()), Side{1});
  heaviest_side_ = static_cast<std::int64_t>(largest_share * static_cast<double>(graph_.total_weight));
  state_.weight = {0, graph_.total_weight - graph_.weight(start), graph_.weight(start)};
  state_.separator_vertices.assign(1, start);
  side(start) = separator;
  start_pass(0);
  while (2 * state_.weight[0] < graph_.total_weight) {
    const Vertex v = best();
    if (v < 0) break;
    move(v);
    note_if_best();
  }
  roll_back();
}

void SeparatorRefiner::refine(const RefinerEffort& effort) {
  Side to = state_.weight[0] <= state_.weight[1] ? 0 : 1;
  int in_vain = 0;
  for (int p = 0; p < effort.passes && in_vain < 2; ++p) {
    in_vain = pass(to, effort) ? 0 : in_vain + 1;
    to = other_side(to);
  }
}

bool SeparatorRefiner::pass(Side to, const RefinerEffort& effort) {
  start_pass(to);
  const auto score_before = best_score_;
  const auto max_failed_moves =
      std::clamp(static_cast<std::size_t>(effort.patience * static_cast<double>(state_.separator_vertices.size())),
                 min_patience, max_patience);
  const double worst =
      1.0 + effort.share_lost + effort.vertices_lost / static_cast<double>(state_.separator_vertices.size() + 1);
  while (moves_.size() - best_moves_ <= max_failed_moves) {
    const Vertex v = best();
    if (v < 0 || state_.weight[to] + graph_.weight(v) > heaviest_side_) break;
    move(v);
    const auto score = note_if_best();
    if (score.first == 0 && score.second > worst * best_score_.second) break;
  }
  roll_back();
  return best_score_.first < score_before.first || best_score_.second < (1.0 - min_improvement) * score_before.second;
}

void SeparatorRefiner::start_pass(Side to) {
  to_ = to;
  from_ = other_side(to);
  moves_.clear();
  pulled_.clear();
  queue_.start(graph_.total_weight / std::max<Vertex>(graph_.vertices(), 1));
  best_moves_ = 0;
  best_score_ = state_.score(heaviest_side_, price_);
  std::vector<Vertex>& vertices = state_.separator_vertices;
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
  return std::int64_t{graph_.weight(v)} - space_.before[static_cast<std::size_t>(v)];
}

void SeparatorRefiner::offer(Vertex v) { queue_.offer(v, gain(v)); }

/// The vertex with the largest gain; −1 if the separator is empty.
Vertex SeparatorRefiner::best() {
  return queue_.first(
      [&](Vertex v, std::int32_t stack) { return side(v) != separator || queue_.stack_of(gain(v)) != stack; });
}

void SeparatorRefiner::move(Vertex v) {
  queue_.pop();
  side(v) = to_;
  state_.weight[separator] -= graph_.weight(v);
  state_.weight[to_] += graph_.weight(v);
  for (const Vertex u : graph_.of(v)) {
    if (side(u) == from_) pull(u);
  }
  moves_.push_back({v, static_cast<std::uint32_t>(pulled_.size())});
}

/// Moves u into the separator, because a neighbour of u has moved to the opposite side.
void SeparatorRefiner::pull(Vertex u) {
  const std::int32_t weight = graph_.weight(u);
  side(u) = separator;
  state_.weight[from_] -= weight;
  state_.weight[separator] += weight;
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

/// Returns the score after the last move, and records it if it is the best.
SeparatorState::Score SeparatorRefiner::note_if_best() {
  const auto score = state_.score(heaviest_side_, price_);
  if (score < best_score_) {
    best_score_ = score;
    best_moves_ = moves_.size();
  }
  return score;
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
    state_.weight[separator] -= graph_.weight(u);
    state_.weight[from_] += graph_.weight(u);
  }
  pulled_.resize(first);
  side(move.vertex) = separator;
  state_.weight[to_] -= graph_.weight(move.vertex);
  state_.weight[separator] += graph_.weight(move.vertex);
}

/// Lists the vertices of the separator: those that were in it or have entered it, and are still in it.
void SeparatorRefiner::collect_separator() {
  std::vector<Vertex>& vertices = state_.separator_vertices;
  vertices.insert(vertices.end(), pulled_.begin(), pulled_.end());
  entered_.insert(entered_.end(), pulled_.begin(), pulled_.end());
  std::erase_if(vertices, [&](Vertex v) {
    std::uint8_t& listed = space_.listed[static_cast<std::size_t>(v)];
    if (side(v) != separator || listed != 0) return true;
    listed = 1;
    return false;
  });
  for (const Vertex v : vertices) space_.listed[static_cast<std::size_t>(v)] = 0;
}

}  // namespace gpusupernodal::dissection
