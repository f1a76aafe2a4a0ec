#pragma once

/// \file
/// Approximate minimum degree on the quotient graph of what is left.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/raw_vector.hpp"
#include "solver/symbolic/dissection/weighted_graph.hpp"
#include "solver/symbolic/least_cost.hpp"

namespace gpusupernodal::dissection {

/// Lists of neighbours, which the elimination works on in place.
template <class Place>
struct NeighbourLists {
  RawVector<Place> begin;         ///< By vertex.
  RawVector<std::int32_t> count;  ///< By vertex.
  RawVector<std::int32_t> weight;
  RawVector<Vertex> entries;  ///< With room to spare behind `used`; one entry a vertex is enough, more is faster.
  Place used = 0;
};

/// The quotient graph of [ADD96], in the layout of CSparse: each vertex is a variable, an element (an eliminated one whose
/// list are the variables it joins) or gone into another. A variable's list has its elements first. `Place`: int32_t, or
/// int64_t where the lists have more entries. Memory beyond the lists: 28 bytes a vertex.
template <class Place>
class QuotientGraph {
 public:
  /// Vertices from `inner` on are halo: never eliminated.
  QuotientGraph(NeighbourLists<Place>&& lists, Vertex inner);

  /// The first `inner` vertices in the order of their elimination; empty where `goes_on` ended it.
  RawVector<Vertex> run(const GoesOn& goes_on);

 private:
  static constexpr Vertex none = -1;
  // elements_ of what is no variable.
  static constexpr std::int32_t is_element = -1;
  static constexpr std::int32_t is_gone = -2;  ///< begin_ says into what.

  bool is_inner(Vertex v) const { return v < inner_; }
  template <class T>
  static T& at(RawVector<T>& items, std::int64_t v) {
    return items[static_cast<std::size_t>(v)];
  }
  Vertex& entry(Place p) { return entries_[static_cast<std::size_t>(p)]; }
  Place end_of(Vertex v) { return at(begin_, v) + at(length_, v); }

  /// Into the list of its degree.
  void file(Vertex v) {
    const std::int32_t d = at(degree_, v);
    if (at(head_, d) != none) at(previous_, at(head_, d)) = v;
    at(next_, v) = at(head_, d);
    at(previous_, v) = none;
    at(head_, d) = v;
    least_ = std::min(least_, d);
  }
  void unfile(Vertex v) {
    if (at(next_, v) != none) at(previous_, at(next_, v)) = at(previous_, v);
    if (at(previous_, v) != none) {
      at(next_, at(previous_, v)) = at(next_, v);
    } else {
      at(head_, at(degree_, v)) = at(next_, v);
    }
  }
  Vertex take_least() {
    while (at(head_, least_) == none) ++least_;
    const Vertex v = at(head_, least_);
    unfile(v);
    return v;
  }
  void eliminate(Vertex pivot);
  void make_element(Vertex pivot);
  void take_variables(Place from, Place end, Place& to);
  void make_room(std::int32_t entries);
  void pack();
  void count_outside(Vertex pivot);
  void update_degrees(Vertex pivot);
  void update(Vertex v, Vertex pivot);
  void absorb(Vertex v, Vertex pivot);
  void merge_equal(Vertex pivot);
  void merge_into(Vertex v);
  /// Whether u has the length of v and only what is marked as v's.
  bool same_list(Vertex u, Vertex v) {
    if (at(length_, u) != at(length_, v) || at(elements_, u) != at(elements_, v)) return false;
    for (Place p = at(begin_, u) + 1, end = end_of(u); p < end; ++p) {
      if (at(mark_, entry(p)) != tag_) return false;
    }
    return true;
  }
  void finish_element(Vertex pivot);
  void add_cost();
  void next_tag(std::int64_t step);
  /// v is no longer a variable or an element of its own.
  void leave(Vertex v, Vertex into) {
    at(elements_, v) = is_gone;
    at(begin_, v) = into;
  }
  RawVector<Vertex> expand();

  Vertex n_;
  Vertex inner_;
  std::int64_t total_ = 0;
  std::int64_t inner_left_ = 0;
  std::int64_t eliminated_ = 0;
  RawVector<Place> begin_;            ///< Of a list; of what is gone, what it is part of.
  RawVector<std::int32_t> length_;    ///< Of a list.
  RawVector<std::int32_t> weight_;    ///< Of variables, negative while they are in the pivot's list; 0 for all others.
  RawVector<Vertex> entries_;         ///< All lists.
  Place used_;                        ///< Entries up to here.
  RawVector<std::int32_t> elements_;  ///< Elements at the start of a variable's list.
  RawVector<std::int32_t> degree_;    ///< Of a variable approximate, of an element exact.
  RawVector<std::int32_t> mark_;      ///< 0: an element that is gone.
  RawVector<Vertex> next_;      ///< In the list of a degree, or of pivots; while degrees are updated, in that of a hash.
  RawVector<Vertex> previous_;  ///< In the list of a degree; while degrees are updated, the hash.
  RawVector<Vertex> head_;      ///< By degree.
  RawVector<Vertex> hash_head_;
  Vertex first_pivot_ = none;  ///< The pivots are linked by next_.
  Vertex last_pivot_ = none;
  std::int32_t pivots_ = 0;
  std::int64_t tag_ = 2;
  std::int64_t largest_ = 0;  ///< Degree of an element so far.
  std::int32_t least_ = 0;
  std::int64_t pivot_degree_ = 0;
  std::int64_t pivot_weight_ = 0;
  LeastCost eliminated_cost_;
  LeastCost min_cost_;
};

extern template class QuotientGraph<std::int32_t>;
extern template class QuotientGraph<std::int64_t>;

}  // namespace gpusupernodal::dissection
