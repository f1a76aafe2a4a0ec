#pragma once

/// \file
/// Forests given by parent arrays in which every parent has a greater id than its children. Nothing here recurses, because
/// a chain of a million nodes is an ordinary input.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/thread_team.hpp"
#include "solver/common/ids.hpp"

namespace gpusupernodal {

/// An array of equal items. The team's threads touch its pages first, which is faster than page faults on one thread.
template <class IdType, class T>
RawIdVector<IdType, T> filled(std::size_t size, T value, ThreadTeam& team) {
  RawIdVector<IdType, T> items;
  items.resize(size);
  team.for_intervals(static_cast<std::int64_t>(size), 65536, [&](std::int64_t begin, std::int64_t end) {
    std::fill(items.begin() + begin, items.begin() + end, value);
  });
  return items;
}

/// Nodes in the subtree of each node, itself included. Cost O(nodes).
template <class IdType>
IdVector<IdType, std::int32_t> subtree_sizes(const IdVector<IdType, IdType>& parent) {
  IdVector<IdType, std::int32_t> size(parent.size(), 1);
  for (IdType node : parent.ids()) {
    if (parent[node].valid()) size[parent[node]] += size[node];
  }
  return size;
}

/// Subtree sizes in an array whose pages the team's threads touch first.
template <class IdType>
RawIdVector<IdType, std::int32_t> subtree_sizes(const IdVector<IdType, IdType>& parent, ThreadTeam& team) {
  RawIdVector<IdType, std::int32_t> size = filled<IdType, std::int32_t>(parent.size(), 1, team);
  for (IdType node : parent.ids()) {
    if (parent[node].valid()) size[parent[node]] += size[node];
  }
  return size;
}

/// First node of each subtree if that subtree and all subtrees within it are intervals of nodes, else invalid. In a
/// postordered forest every entry is valid. Cost O(nodes).
template <class IdType>
IdVector<IdType, IdType> subtree_firsts(const IdVector<IdType, IdType>& parent) {
  const IdVector<IdType, std::int32_t> size = subtree_sizes(parent);
  IdVector<IdType, IdType> first(parent.size());
  for (IdType node : parent.ids()) first[node] = node - (size[node] - 1);
  // A subtree that is not an interval contains a node before the interval of its length.
  for (IdType node : parent.ids()) {
    if (parent[node].valid() && first[node] < first[parent[node]]) first[parent[node]] = IdType();
  }
  return first;
}

/// Position of each node in a postorder. Children keep their order, except that `last_child[p]`, if valid, comes last among
/// the children of p; an empty vector sets no last children. Without them a postordered forest keeps its order.
/// Cost O(nodes).
///
/// Walks from the roots down and gives each child the end of the free part of its parent's interval of positions.
template <class IdType>
IdVector<IdType, IdType> postorder_positions(const IdVector<IdType, IdType>& parent,
                                             const IdVector<IdType, IdType>& last_child = {}) {
  const IdVector<IdType, std::int32_t> size = subtree_sizes(parent);
  IdVector<IdType, IdType> position(parent.size());
  IdVector<IdType, std::int32_t> free_end(parent.size(), 0);
  auto free_root_end = static_cast<std::int32_t>(parent.size());
  const auto place = [&](IdType node, std::int32_t& end) {
    position[node] = IdType(end - 1);
    free_end[node] = end - 1;
    end -= size[node];
  };
  for (auto raw = static_cast<std::int32_t>(parent.size()) - 1; raw >= 0; --raw) {
    const IdType node(raw);
    if (!position[node].valid()) place(node, parent[node].valid() ? free_end[parent[node]] : free_root_end);
    if (!last_child.empty() && last_child[node].valid()) place(last_child[node], free_end[node]);
  }
  return position;
}

/// Renames the nodes of a forest. Precondition: `position` is a bijection. Cost O(nodes).
template <class IdType>
IdVector<IdType, IdType> relabel_forest(const IdVector<IdType, IdType>& parent, const IdVector<IdType, IdType>& position) {
  IdVector<IdType, IdType> renamed(parent.size());
  for (IdType node : parent.ids()) {
    if (parent[node].valid()) renamed[position[node]] = position[parent[node]];
  }
  return renamed;
}

/// Children of each node as linked lists in ascending order.
template <class IdType>
struct ChildLists {
  IdVector<IdType, IdType> first;  ///< First child of a node.
  IdVector<IdType, IdType> next;   ///< Next sibling of a node.

  explicit ChildLists(const IdVector<IdType, IdType>& parent) : first(parent.size()), next(parent.size()) {
    for (auto raw = static_cast<std::int32_t>(parent.size()) - 1; raw >= 0; --raw) {
      const IdType node(raw);
      if (!parent[node].valid()) continue;
      next[node] = first[parent[node]];
      first[parent[node]] = node;
    }
  }
};

/// A partition of a postordered forest: disjoint subtrees that threads process concurrently, and the nodes above them. A
/// small forest or a team of one thread gets no subtrees.
template <class IdType>
class ForestParts {
 public:
  /// Cost O(nodes).
  ForestParts(const IdVector<IdType, IdType>& parent, ThreadTeam& team) : team_(team) {
    IdType next(0);
    if (team.threads() > 1 && parent.size() >= min_nodes) {
      const IdVector<IdType, std::int32_t> size = subtree_sizes(parent);
      const std::int32_t largest = static_cast<std::int32_t>(parent.size()) / (8 * team.threads());
      for (IdType node : parent.ids()) {
        if (size[node] < min_subtree || size[node] > largest) continue;
        if (parent[node].valid() && size[parent[node]] <= largest) continue;
        const IdType first = node - (size[node] - 1);
        subtrees_.push_back({first, node + 1});
        if (next < first) above_.push_back({next, first});
        next = node + 1;
      }
    }
    const IdType end(static_cast<std::int64_t>(parent.size()));
    if (next < end) above_.push_back({next, end});
  }

  /// Calls body(nodes) for intervals of nodes that cover the forest, children first. Subtrees run concurrently on the team.
  /// Every descendant of a node in an interval is in that interval or in a finished one.
  template <class Body>
  void upwards(const Body& body) const {
    each_subtree(body);
    for (const IdRange<IdType>& nodes : above_) body(nodes);
  }
  /// Calls body(nodes) for these intervals, parents first. Every ancestor of a node in an interval is in that interval or in
  /// a finished one.
  template <class Body>
  void downwards(const Body& body) const {
    for (auto nodes = above_.rbegin(); nodes != above_.rend(); ++nodes) body(*nodes);
    each_subtree(body);
  }

 private:
  static constexpr std::size_t min_nodes = 20'000;
  static constexpr std::int32_t min_subtree = 64;

  template <class Body>
  void each_subtree(const Body& body) const {
    team_.for_intervals(static_cast<std::int64_t>(subtrees_.size()), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) body(subtrees_[static_cast<std::size_t>(k)]);
    });
  }

  ThreadTeam& team_;
  std::vector<IdRange<IdType>> subtrees_;
  std::vector<IdRange<IdType>> above_;
};

}  // namespace gpusupernodal
