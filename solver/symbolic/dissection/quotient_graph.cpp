#include "solver/symbolic/dissection/quotient_graph.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace gpusupernodal::dissection {
namespace {

double sum_up_to(double k) { return k * (k + 1.0) / 2.0; }
double squares_up_to(double k) { return k * (k + 1.0) * (2.0 * k + 1.0) / 6.0; }

}  // namespace

template <class Place>
QuotientGraph<Place>::QuotientGraph(NeighbourLists<Place>&& lists, Vertex inner)
    : n_(static_cast<Vertex>(lists.begin.size())),
      inner_(inner),
      begin_(std::move(lists.begin)),
      length_(std::move(lists.count)),
      weight_(std::move(lists.weight)),
      entries_(std::move(lists.entries)),
      used_(lists.used) {
  const auto n = static_cast<std::size_t>(n_);
  elements_.assign(n, 0);
  degree_.resize(n);
  mark_.assign(n, 1);
  next_.assign(n, none);
  previous_.assign(n, none);
  hash_head_.assign(n, none);
  for (Vertex v = 0; v < n_; ++v) {
    total_ += at(weight_, v);
    if (v < inner_) inner_left_ += at(weight_, v);
    std::int32_t degree = 0;
    for (Place p = at(begin_, v); p < end_of(v); ++p) degree += at(weight_, entry(p));
    at(degree_, v) = degree;
  }
  head_.assign(static_cast<std::size_t>(total_) + 1, none);
  for (Vertex v = 0; v < inner_; ++v) file(v);
}

template <class Place>
RawVector<Vertex> QuotientGraph<Place>::run(const ContinueOrdering& keep_going) {
  while (inner_left_ > 0) {
    eliminate(take_min_degree());
    if (keep_going && !keep_going(min_cost_)) return {};
  }
  return expand();
}

template <class Place>
void QuotientGraph<Place>::eliminate(Vertex pivot) {
  pivot_weight_ = at(weight_, pivot);
  inner_left_ -= pivot_weight_;
  eliminated_ += pivot_weight_;
  (last_pivot_ != none ? at(next_, last_pivot_) : first_pivot_) = pivot;
  at(next_, pivot) = none;
  last_pivot_ = pivot;
  ++pivots_;
  make_element(pivot);
  count_outside(pivot);
  update_degrees(pivot);
  merge_equal(pivot);
  finish_element(pivot);
  add_cost();
}

/// Appends the variables in [from, end) that are not in the pivot's list yet. Variables in that list have negative weights
/// until finish_element().
template <class Place>
void QuotientGraph<Place>::take_variables(Place from, Place end, Place& to) {
  for (Place p = from; p < end; ++p) {
    const Vertex v = entry(p);
    const std::int32_t weight = at(weight_, v);
    if (weight <= 0) continue;
    pivot_degree_ += weight;
    at(weight_, v) = -weight;
    entry(to++) = v;
    if (is_inner(v)) remove_from_degree_list(v);
  }
}

/// Makes the pivot an element: collects its variables and those of its elements, which are merged into it. Works in place if
/// the pivot has no elements, else appends a new list.
template <class Place>
void QuotientGraph<Place>::make_element(Vertex pivot) {
  const std::int32_t elements = at(elements_, pivot);
  // The degree is an upper bound on the number of variables.
  if (elements > 0) ensure_free_entries(at(degree_, pivot));
  at(weight_, pivot) = static_cast<std::int32_t>(-pivot_weight_);
  pivot_degree_ = 0;
  const Place own = at(begin_, pivot);
  const Place from = elements > 0 ? used_ : own;
  Place to = from;
  for (Place p = own; p < own + elements; ++p) {
    const Vertex e = entry(p);
    take_variables(at(begin_, e), end_of(e), to);
    leave(e, pivot);
    at(mark_, e) = 0;
  }
  take_variables(own + elements, own + at(length_, pivot), to);
  if (elements > 0) used_ = to;
  at(begin_, pivot) = from;
  at(length_, pivot) = static_cast<std::int32_t>(to - from);
  at(elements_, pivot) = is_element;
  at(degree_, pivot) = static_cast<std::int32_t>(pivot_degree_);
}

/// Ensures free space for `entries` entries at the end.
template <class Place>
void QuotientGraph<Place>::ensure_free_entries(std::int32_t entries) {
  const auto free_entries = [&] { return entries_.size() - static_cast<std::size_t>(used_); };
  if (free_entries() >= static_cast<std::size_t>(entries)) return;
  pack();
  if (free_entries() < static_cast<std::size_t>(entries)) entries_.resize(static_cast<std::size_t>(used_) + entries);
}

/// Compacts all lists. Meanwhile begin_[v] holds the first entry of v's list, whose place holds −1 − v.
template <class Place>
void QuotientGraph<Place>::pack() {
  for (Vertex v = 0; v < n_; ++v) {
    const bool has_list = at(elements_, v) != is_gone && at(length_, v) > 0;
    if (has_list) at(begin_, v) = std::exchange(entry(at(begin_, v)), -1 - v);
  }
  Place to = 0;
  for (Place from = 0; from < used_;) {
    const Vertex found = entry(from++);
    if (found >= 0) continue;
    const Vertex v = -1 - found;
    entry(to) = static_cast<Vertex>(std::exchange(at(begin_, v), to));
    ++to;
    for (std::int32_t k = 1; k < at(length_, v); ++k) entry(to++) = entry(from++);
  }
  used_ = to;
}

/// Raises the tag above all existing marks. Precondition: no mark exceeds tag_ + step − 1. Resets the marks on overflow.
template <class Place>
void QuotientGraph<Place>::next_tag(std::int64_t step) {
  tag_ += step;
  if (tag_ + largest_ < std::numeric_limits<std::int32_t>::max()) return;
  for (std::int32_t& mark : mark_) mark = mark != 0 ? 1 : 0;
  tag_ = 2;
}

/// Sets mark_ of each element adjacent to the pivot's variables: mark − tag is the weight of the element's variables that
/// are not in the pivot's list.
template <class Place>
void QuotientGraph<Place>::count_outside(Vertex pivot) {
  const auto tag = static_cast<std::int32_t>(tag_);
  for (Place k = at(begin_, pivot), end = end_of(pivot); k < end; ++k) {
    const Vertex v = entry(k);
    const std::int32_t weight = -at(weight_, v);
    for (Place p = at(begin_, v), last = p + at(elements_, v); p < last; ++p) {
      std::int32_t& mark = at(mark_, entry(p));
      if (mark >= tag) {
        mark -= weight;
      } else if (mark != 0) {
        mark = at(degree_, entry(p)) + tag - weight;
      }
    }
  }
}

template <class Place>
void QuotientGraph<Place>::update_degrees(Vertex pivot) {
  for (Place k = at(begin_, pivot), end = end_of(pivot); k < end; ++k) update(entry(k), pivot);
  largest_ = std::max(largest_, static_cast<std::int64_t>(at(degree_, pivot)));
  next_tag(largest_ + 1);
}

/// Computes the degree of v without the pivot's variables. Adds the pivot to v's list and removes the elements and variables
/// that the pivot covers.
template <class Place>
void QuotientGraph<Place>::update(Vertex v, Vertex pivot) {
  const auto tag = static_cast<std::int32_t>(tag_);
  const Place first = at(begin_, v);
  const Place variables = first + at(elements_, v);
  Place to = first;
  std::int64_t degree = 0;
  std::uint32_t hash = 0;
  for (Place p = first; p < variables; ++p) {
    const Vertex e = entry(p);
    if (at(mark_, e) == 0) continue;
    const std::int32_t outside = at(mark_, e) - tag;
    if (outside > 0) {
      degree += outside;
      entry(to++) = e;
      hash += static_cast<std::uint32_t>(e);
    } else {
      leave(e, pivot);
      at(mark_, e) = 0;
    }
  }
  const auto kept_elements = static_cast<std::int32_t>(to - first);
  for (Place p = variables, last = first + at(length_, v); p < last; ++p) {
    const Vertex u = entry(p);
    if (at(weight_, u) <= 0) continue;
    degree += at(weight_, u);
    entry(to++) = u;
    hash += static_cast<std::uint32_t>(u);
  }
  if (degree == 0 && is_inner(v)) {
    absorb(v, pivot);
    return;
  }
  // The pivot becomes the first element. The first element moves to the end of the elements, the first variable to the end
  // of the list. The list does not grow, because v has lost the pivot or one of the elements that were merged into it.
  at(degree_, v) = static_cast<std::int32_t>(std::min<std::int64_t>(at(degree_, v), degree));
  entry(to) = entry(first + kept_elements);
  entry(first + kept_elements) = entry(first);
  entry(first) = pivot;
  at(elements_, v) = kept_elements + 1;
  at(length_, v) = static_cast<std::int32_t>(to - first) + 1;
  if (!is_inner(v)) return;
  const auto slot = static_cast<Vertex>(hash % static_cast<std::uint32_t>(n_));
  at(next_, v) = at(hash_head_, slot);
  at(hash_head_, slot) = v;
  at(previous_, v) = slot;
}

/// Eliminates v together with the pivot, because v has no neighbours outside of the pivot's list.
template <class Place>
void QuotientGraph<Place>::absorb(Vertex v, Vertex pivot) {
  const std::int32_t weight = -at(weight_, v);
  leave(v, pivot);
  pivot_degree_ -= weight;
  pivot_weight_ += weight;
  inner_left_ -= weight;
  eliminated_ += weight;
  at(weight_, v) = 0;
}

/// Merges variables of the pivot that have equal lists.
template <class Place>
void QuotientGraph<Place>::merge_equal(Vertex pivot) {
  for (Place k = at(begin_, pivot), end = end_of(pivot); k < end; ++k) {
    const Vertex in_bucket = entry(k);
    if (!is_inner(in_bucket) || at(weight_, in_bucket) >= 0) continue;
    Vertex& bucket = at(hash_head_, at(previous_, in_bucket));
    for (Vertex v = std::exchange(bucket, none); v != none && at(next_, v) != none; v = at(next_, v)) merge_into(v);
  }
}

/// Merges those variables into v that follow it in its hash bucket and have equal lists.
template <class Place>
void QuotientGraph<Place>::merge_into(Vertex v) {
  for (Place p = at(begin_, v) + 1, end = end_of(v); p < end; ++p) at(mark_, entry(p)) = static_cast<std::int32_t>(tag_);
  Vertex before = v;
  for (Vertex u = at(next_, v); u != none; u = at(next_, u)) {
    if (same_list(u, v)) {
      at(weight_, v) += at(weight_, u);
      at(weight_, u) = 0;
      leave(u, v);
      at(next_, before) = at(next_, u);
    } else {
      before = u;
    }
  }
  next_tag(1);
}

template <class Place>
void QuotientGraph<Place>::finish_element(Vertex pivot) {
  const Place first = at(begin_, pivot);
  const Place end = end_of(pivot);
  Place to = first;
  for (Place k = first; k < end; ++k) {
    const Vertex v = entry(k);
    const std::int32_t weight = -at(weight_, v);
    if (weight <= 0) continue;
    at(weight_, v) = weight;
    entry(to++) = v;
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
  if (end == used_) used_ = to;
}

template <class Place>
void QuotientGraph<Place>::add_cost() {
  const auto clique = static_cast<double>(pivot_degree_);
  const auto front = static_cast<double>(pivot_degree_ + pivot_weight_);
  eliminated_cost_.flops += squares_up_to(front) - squares_up_to(clique);
  eliminated_cost_.nonzeros += sum_up_to(front) - sum_up_to(clique);
  min_cost_.flops = eliminated_cost_.flops + squares_up_to(clique);
  min_cost_.nonzeros = eliminated_cost_.nonzeros + sum_up_to(clique);
  min_cost_.height = std::max(min_cost_.height, front);
}

/// Returns each pivot followed by the vertices merged into it. The bound on the cost counts those vertices with the pivot's
/// neighbours; placed before the pivot, some of them would have fewer. Elements that were merged into later ones remain
/// separate pivots.
template <class Place>
RawVector<Vertex> QuotientGraph<Place>::expand() {
  RawVector<Vertex>& rank = previous_;
  std::fill(rank.begin(), rank.end(), none);
  std::int32_t next = 0;
  for (Vertex p = first_pivot_; p != none; p = at(next_, p)) at(rank, p) = next++;
  RawVector<Vertex>& start = head_;
  start.assign(static_cast<std::size_t>(pivots_) + 1, 0);
  RawVector<Vertex>& pivot_of = degree_;
  for (Vertex v = 0; v < inner_; ++v) {
    Vertex p = v;
    while (at(rank, p) == none) p = static_cast<Vertex>(at(begin_, p));
    at(pivot_of, v) = at(rank, p);
    ++at(start, at(rank, p) + 1);
  }
  for (std::int32_t k = 0; k < pivots_; ++k) at(start, k + 1) += at(start, k);
  RawVector<Vertex> order(static_cast<std::size_t>(inner_));
  for (Vertex p = first_pivot_; p != none; p = at(next_, p)) at(order, at(start, at(rank, p))++) = p;
  for (Vertex v = 0; v < inner_; ++v) {
    if (at(rank, v) == none) at(order, at(start, at(pivot_of, v))++) = v;
  }
  return order;
}

template class QuotientGraph<std::int32_t>;
template class QuotientGraph<std::int64_t>;

}  // namespace gpusupernodal::dissection
