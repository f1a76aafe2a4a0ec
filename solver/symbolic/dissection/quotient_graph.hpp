#pragma once

/// \file
/// Approximate minimum degree on quotient graphs.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/raw_vector.hpp"
#include "solver/symbolic/cost_bound.hpp"
#include "solver/symbolic/dissection/weighted_graph.hpp"

namespace gpusupernodal::dissection {

/// Neighbour lists that the elimination modifies in place.
template <class Place>
struct NeighbourLists {
  RawVector<Place> begin;         ///< First entry of each vertex's list.
  RawVector<std::int32_t> count;  ///< Length of each vertex's list.
  RawVector<std::int32_t> weight;
  RawVector<Vertex> entries;  ///< With free space beyond `used`: one entry per vertex suffices, more is faster.
  Place used = 0;
};

/// The quotient graph of [ADD96] in the layout of CSparse. Each vertex is a variable, an element (an eliminated vertex whose
/// list holds the variables that it connects), or merged into another vertex. A variable's list holds its elements first.
/// `Place` is int32_t, or int64_t if the lists have more entries. Memory besides the lists: 28 bytes per vertex.
template <class Place>
class QuotientGraph {
 public:
  /// Vertices from `inner` on are the halo, which is never eliminated.
  QuotientGraph(NeighbourLists<Place>&& lists, Vertex inner);

  /// Returns the first `inner` vertices in elimination order; an empty list if `keep_going` returned false.
  RawVector<Vertex> run(const ContinueOrdering& keep_going);

 private:
  static constexpr Vertex none = -1;
  // Values of elements_ for vertices that are not variables.
  static constexpr std::int32_t is_element = -1;
  static constexpr std::int32_t is_gone = -2;  ///< Merged into vertex begin_[v].

  bool is_inner(Vertex v) const { return v < inner_; }
  template <class T>
  static T& at(RawVector<T>& items, std::int64_t v) {
    return items[static_cast<std::size_t>(v)];
  }
  Vertex& entry(Place p) { return entries_[static_cast<std::size_t>(p)]; }
  Place end_of(Vertex v) { return at(begin_, v) + at(length_, v); }

  /// Inserts v into the list of its degree.
  void file(Vertex v) {
    const std::int32_t d = at(degree_, v);
    if (at(head_, d) != none) at(previous_, at(head_, d)) = v;
    at(next_, v) = at(head_, d);
    at(previous_, v) = none;
    at(head_, d) = v;
    min_degree_ = std::min(min_degree_, d);
  }
  void remove_from_degree_list(Vertex v) {
    if (at(next_, v) != none) at(previous_, at(next_, v)) = at(previous_, v);
    if (at(previous_, v) != none) {
      at(next_, at(previous_, v)) = at(next_, v);
    } else {
      at(head_, at(degree_, v)) = at(next_, v);
    }
  }
  Vertex take_min_degree() {
    while (at(head_, min_degree_) == none) ++min_degree_;
    const Vertex v = at(head_, min_degree_);
    remove_from_degree_list(v);
    return v;
  }
  void eliminate(Vertex pivot);
  void make_element(Vertex pivot);
  void take_variables(Place from, Place end, Place& to);
  void ensure_free_entries(std::int32_t entries);
  void pack();
  void count_outside(Vertex pivot);
  void update_degrees(Vertex pivot);
  void update(Vertex v, Vertex pivot);
  void absorb(Vertex v, Vertex pivot);
  void merge_equal(Vertex pivot);
  void merge_into(Vertex v);
  /// Whether u and v have equal lists, ignoring the order. Precondition: v's entries are marked with tag_.
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
  /// Marks v as merged into another vertex.
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
  RawVector<Place> begin_;            ///< First entry of a list; for a merged vertex, the vertex that it is part of.
  RawVector<std::int32_t> length_;    ///< Length of a list.
  RawVector<std::int32_t> weight_;    ///< Weight of a variable, negated while it is in the pivot's list; 0 for all others.
  RawVector<Vertex> entries_;         ///< All lists.
  Place used_;                        ///< End of the used part of entries_.
  RawVector<std::int32_t> elements_;  ///< Number of elements at the start of a variable's list.
  RawVector<std::int32_t> degree_;    ///< Approximate for variables, exact for elements.
  RawVector<std::int32_t> mark_;      ///< 0 for merged elements.
  RawVector<Vertex> next_;      ///< Link in the list of a degree or of pivots; during degree updates, of a hash bucket.
  RawVector<Vertex> previous_;  ///< Link in the list of a degree; during degree updates, the hash.
  RawVector<Vertex> head_;      ///< First variable of each degree.
  RawVector<Vertex> hash_head_;
  Vertex first_pivot_ = none;  ///< Head of the list of pivots.
  Vertex last_pivot_ = none;
  std::int32_t pivots_ = 0;
  std::int64_t tag_ = 2;
  std::int64_t largest_ = 0;  ///< Largest degree of an element so far.
  std::int32_t min_degree_ = 0;
  std::int64_t pivot_degree_ = 0;
  std::int64_t pivot_weight_ = 0;
  CostBound eliminated_cost_;
  CostBound min_cost_;
};

extern template class QuotientGraph<std::int32_t>;
extern template class QuotientGraph<std::int64_t>;

}  // namespace gpusupernodal::dissection
