#include "solver/symbolic/dissection/minimum_degree.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace gpusupernodal::dissection {
namespace {

/// The quotient graph of [ADD96], in the layout of CSparse: each vertex is a variable, an element (an eliminated one whose
/// list are the variables it joins) or gone into another. A variable's list has its elements first.
class QuotientGraph {
 public:
  QuotientGraph(const WeightedGraph& graph, Vertex inner) : n_(graph.vertices()), inner_(inner) {
    const auto n = static_cast<std::size_t>(n_);
    begin_.resize(n);
    length_.resize(n);
    elements_.assign(n, 0);
    weight_.resize(n);
    degree_.assign(n, 0);
    mark_.assign(n, 1);
    next_.assign(n, none);
    previous_.assign(n, none);
    into_.assign(n, none);
    hash_head_.assign(n, none);
    room_ = graph.neighbours.size() + graph.neighbours.size() / 2 + 8 * n;
    lists_.reserve(room_);
    lists_.assign(graph.neighbours.begin(), graph.neighbours.end());
    for (Vertex v = 0; v < n_; ++v) {
      const auto i = static_cast<std::size_t>(v);
      begin_[i] = graph.begin(v);
      length_[i] = static_cast<std::int32_t>(graph.degree(v));
      weight_[i] = graph.weight(v);
      total_ += weight_[i];
      if (v < inner_) inner_left_ += weight_[i];
      for (const Vertex u : graph.of(v)) degree_[i] += graph.weight(u);
    }
    head_.assign(static_cast<std::size_t>(total_) + 1, none);
    for (Vertex v = 0; v < inner_; ++v) file(v);
  }

  std::vector<Vertex> run() {
    while (inner_left_ > 0) eliminate(take_least());
    return expand();
  }

 private:
  static constexpr Vertex none = -1;

  bool is_inner(Vertex v) const { return v < inner_; }
  template <class T>
  static T& at(std::vector<T>& items, Vertex v) {
    return items[static_cast<std::size_t>(v)];
  }
  Vertex& list(std::int64_t p) { return lists_[static_cast<std::size_t>(p)]; }

  /// Into the list of its degree.
  void file(Vertex v) {
    const std::int32_t d = at(degree_, v);
    if (head_[static_cast<std::size_t>(d)] != none) at(previous_, head_[static_cast<std::size_t>(d)]) = v;
    at(next_, v) = head_[static_cast<std::size_t>(d)];
    at(previous_, v) = none;
    head_[static_cast<std::size_t>(d)] = v;
    least_ = std::min(least_, d);
  }

  void unfile(Vertex v) {
    if (at(next_, v) != none) at(previous_, at(next_, v)) = at(previous_, v);
    if (at(previous_, v) != none) {
      at(next_, at(previous_, v)) = at(next_, v);
    } else {
      head_[static_cast<std::size_t>(at(degree_, v))] = at(next_, v);
    }
  }

  Vertex take_least() {
    while (head_[static_cast<std::size_t>(least_)] == none) ++least_;
    const Vertex v = head_[static_cast<std::size_t>(least_)];
    unfile(v);
    return v;
  }

  void eliminate(Vertex pivot) {
    pivot_weight_ = at(weight_, pivot);
    inner_left_ -= pivot_weight_;
    eliminated_ += pivot_weight_;
    pivots_.push_back(pivot);
    make_element(pivot);
    count_outside(pivot);
    update_degrees(pivot);
    merge_equal(pivot);
    finish_element(pivot);
  }

  /// The pivot's variables and those of its elements, which it absorbs, at the end of the lists. Weights of those in it are
  /// negative until it is finished.
  void make_element(Vertex pivot) {
    if (lists_.size() > room_) pack_lists();
    at(weight_, pivot) = -pivot_weight_;
    const auto from = static_cast<std::int64_t>(lists_.size());
    pivot_degree_ = 0;
    const auto add = [&](std::int64_t p, std::int32_t count) {
      for (std::int64_t end = p + count; p < end; ++p) {
        const Vertex v = list(p);
        const std::int32_t weight = at(weight_, v);
        if (weight <= 0) continue;
        pivot_degree_ += weight;
        at(weight_, v) = -weight;
        lists_.push_back(v);
        if (is_inner(v)) unfile(v);
      }
    };
    std::int64_t p = at(begin_, pivot);
    const std::int32_t elements = at(elements_, pivot);
    for (std::int32_t k = 0; k < elements; ++k) {
      const Vertex e = list(p++);
      add(at(begin_, e), at(length_, e));
      at(into_, e) = pivot;
      at(mark_, e) = 0;
    }
    add(p, at(length_, pivot) - elements);
    at(begin_, pivot) = from;
    at(length_, pivot) = static_cast<std::int32_t>(static_cast<std::int64_t>(lists_.size()) - from);
    at(elements_, pivot) = element_;
    at(degree_, pivot) = static_cast<std::int32_t>(pivot_degree_);
  }

  /// Drops what is no longer read. Lists stay in the order of their vertices.
  void pack_lists() {
    std::vector<Vertex> packed;
    packed.reserve(lists_.capacity());
    for (Vertex v = 0; v < n_; ++v) {
      const bool dropped = at(elements_, v) == element_ && at(mark_, v) == 0;
      if (dropped || at(into_, v) != none) continue;
      const std::int64_t from = std::exchange(at(begin_, v), static_cast<std::int64_t>(packed.size()));
      packed.insert(packed.end(), lists_.begin() + from, lists_.begin() + from + at(length_, v));
    }
    lists_.swap(packed);
    room_ = std::max(room_, 2 * lists_.size());
  }

  /// For each element beside the pivot's: mark − tag is the weight of what it has outside of the pivot's.
  void count_outside(Vertex pivot) {
    const std::int64_t end = at(begin_, pivot) + at(length_, pivot);
    for (std::int64_t k = at(begin_, pivot); k < end; ++k) {
      const Vertex v = list(k);
      const std::int32_t weight = -at(weight_, v);
      for (std::int64_t p = at(begin_, v), last = p + at(elements_, v); p < last; ++p) {
        std::int64_t& mark = at(mark_, list(p));
        if (mark >= tag_) {
          mark -= weight;
        } else if (mark != 0) {
          mark = at(degree_, list(p)) + tag_ - weight;
        }
      }
    }
  }

  void update_degrees(Vertex pivot) {
    const std::int64_t end = at(begin_, pivot) + at(length_, pivot);
    for (std::int64_t k = at(begin_, pivot); k < end; ++k) {
      const Vertex v = list(k);
      const std::int64_t first = at(begin_, v);
      std::int64_t to = first;
      std::int64_t degree = 0;
      std::uint32_t hash = 0;
      const std::int64_t variables = first + at(elements_, v);
      for (std::int64_t p = first; p < variables; ++p) {
        const Vertex e = list(p);
        if (at(mark_, e) == 0) continue;
        const std::int64_t outside = at(mark_, e) - tag_;
        if (outside > 0) {
          degree += outside;
          list(to++) = e;
          hash += static_cast<std::uint32_t>(e);
        } else {
          at(into_, e) = pivot;
          at(mark_, e) = 0;
        }
      }
      const std::int64_t kept_elements = to - first;
      for (std::int64_t p = variables, last = first + at(length_, v); p < last; ++p) {
        const Vertex u = list(p);
        if (at(weight_, u) <= 0) continue;
        degree += at(weight_, u);
        list(to++) = u;
        hash += static_cast<std::uint32_t>(u);
      }
      if (degree == 0 && is_inner(v)) {
        absorb(v, pivot);
        continue;
      }
      // The pivot becomes the first element, what stood there goes to the ends of the two parts. There is room: v has lost
      // the pivot itself or one of the elements that went into it.
      at(degree_, v) = static_cast<std::int32_t>(std::min<std::int64_t>(at(degree_, v), degree));
      list(to) = list(first + kept_elements);
      list(first + kept_elements) = list(first);
      list(first) = pivot;
      at(elements_, v) = static_cast<std::int32_t>(kept_elements) + 1;
      at(length_, v) = static_cast<std::int32_t>(to - first) + 1;
      if (!is_inner(v)) continue;
      const auto slot = static_cast<Vertex>(hash % static_cast<std::uint32_t>(n_));
      at(next_, v) = at(hash_head_, slot);
      at(hash_head_, slot) = v;
      at(previous_, v) = slot;
    }
    tag_ += total_ + 1;
  }

  /// v has no neighbours beyond the pivot's element: it is eliminated with it.
  void absorb(Vertex v, Vertex pivot) {
    const std::int32_t weight = -at(weight_, v);
    at(into_, v) = pivot;
    pivot_degree_ -= weight;
    pivot_weight_ += weight;
    inner_left_ -= weight;
    eliminated_ += weight;
    at(weight_, v) = 0;
    at(elements_, v) = element_;
  }

  /// Variables of the pivot with the same list become one.
  void merge_equal(Vertex pivot) {
    const std::int64_t end = at(begin_, pivot) + at(length_, pivot);
    for (std::int64_t k = at(begin_, pivot); k < end; ++k) {
      const Vertex in_bucket = list(k);
      if (!is_inner(in_bucket) || at(weight_, in_bucket) >= 0) continue;
      const Vertex slot = at(previous_, in_bucket);
      for (Vertex v = std::exchange(at(hash_head_, slot), none); v != none && at(next_, v) != none; v = at(next_, v)) {
        const std::int64_t from = at(begin_, v) + 1;
        const std::int64_t to = at(begin_, v) + at(length_, v);
        for (std::int64_t p = from; p < to; ++p) at(mark_, list(p)) = tag_;
        Vertex before = v;
        for (Vertex u = at(next_, v); u != none; u = at(next_, u)) {
          if (same_list(u, v)) {
            at(into_, u) = v;
            at(weight_, v) += at(weight_, u);
            at(weight_, u) = 0;
            at(elements_, u) = element_;
            at(next_, before) = at(next_, u);
          } else {
            before = u;
          }
        }
        ++tag_;
      }
    }
  }

  /// Whether u has the length of v and only what is marked as v's.
  bool same_list(Vertex u, Vertex v) {
    if (at(length_, u) != at(length_, v) || at(elements_, u) != at(elements_, v)) return false;
    for (std::int64_t p = at(begin_, u) + 1, end = at(begin_, u) + at(length_, u); p < end; ++p) {
      if (at(mark_, list(p)) != tag_) return false;
    }
    return true;
  }

  void finish_element(Vertex pivot) {
    const std::int64_t first = at(begin_, pivot);
    const std::int64_t end = first + at(length_, pivot);
    std::int64_t to = first;
    for (std::int64_t k = first; k < end; ++k) {
      const Vertex v = list(k);
      const std::int32_t weight = -at(weight_, v);
      if (weight <= 0) continue;
      at(weight_, v) = weight;
      list(to++) = v;
      if (!is_inner(v)) continue;
      const std::int64_t degree =
          std::min<std::int64_t>(std::int64_t{at(degree_, v)} + pivot_degree_ - weight, total_ - eliminated_ - weight);
      at(degree_, v) = static_cast<std::int32_t>(degree);
      file(v);
    }
    at(weight_, pivot) = 0;
    at(degree_, pivot) = static_cast<std::int32_t>(pivot_degree_);
    at(length_, pivot) = static_cast<std::int32_t>(to - first);
    at(mark_, pivot) = to > first ? 1 : 0;
    lists_.resize(static_cast<std::size_t>(to));
  }

  /// Each pivot with what went into it. Elements that went into later ones are pivots of their own.
  std::vector<Vertex> expand() {
    std::vector<Vertex> rank(static_cast<std::size_t>(n_), none);
    for (std::size_t k = 0; k < pivots_.size(); ++k) at(rank, pivots_[k]) = static_cast<Vertex>(k);
    std::vector<Vertex> start(pivots_.size() + 1, 0);
    std::vector<Vertex> pivot_of(static_cast<std::size_t>(inner_));
    for (Vertex v = 0; v < inner_; ++v) {
      Vertex p = v;
      while (at(rank, p) == none) p = at(into_, p);
      at(pivot_of, v) = at(rank, p);
      ++at(start, at(rank, p) + 1);
    }
    for (std::size_t k = 0; k < pivots_.size(); ++k) start[k + 1] += start[k];
    std::vector<Vertex> order(static_cast<std::size_t>(inner_));
    for (Vertex v = 0; v < inner_; ++v) at(order, at(start, at(pivot_of, v))++) = v;
    return order;
  }

  static constexpr std::int32_t element_ = -1;  ///< elements_ of what is no variable.

  Vertex n_;
  Vertex inner_;
  std::int64_t total_ = 0;
  std::int64_t inner_left_ = 0;
  std::int64_t eliminated_ = 0;
  std::vector<Vertex> lists_;
  std::size_t room_ = 0;  ///< Entries of lists_ above which they are packed.
  std::vector<std::int64_t> begin_;
  std::vector<std::int32_t> length_;
  std::vector<std::int32_t> elements_;   ///< Elements at the start of a variable's list.
  std::vector<std::int32_t> weight_;     ///< Of variables; 0 for all others.
  std::vector<std::int32_t> degree_;     ///< Of a variable approximate, of an element exact.
  std::vector<std::int64_t> mark_;       ///< 0: an element that was absorbed.
  std::vector<Vertex> next_, previous_;  ///< In the list of a degree; while degrees are updated, in that of a hash.
  std::vector<Vertex> into_;             ///< What absorbed it.
  std::vector<Vertex> head_;             ///< By degree.
  std::vector<Vertex> hash_head_;
  std::vector<Vertex> pivots_;
  std::int64_t tag_ = 2;
  std::int32_t least_ = 0;
  std::int64_t pivot_degree_ = 0;
  std::int32_t pivot_weight_ = 0;
};

}  // namespace

std::vector<Vertex> minimum_degree_order(const WeightedGraph& graph, Vertex inner) {
  if (inner == 0) return {};
  return QuotientGraph(graph, inner).run();
}

}  // namespace gpusupernodal::dissection
