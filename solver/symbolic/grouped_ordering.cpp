#include "solver/symbolic/grouped_ordering.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {
namespace {

/// Maximum number of entries of the cliques of all groups together, relative to the entries of A.
constexpr std::int64_t clique_share = 4;

/// Computes the graphs of the groups in order. Eliminating a connected set of rows makes its neighbours a clique, so only
/// the connected components of the rows before a group are stored.
class GroupGraphs {
 public:
  GroupGraphs(const AdjacencyGraph& graph, const RowGroups& groups, ThreadTeam& team)
      : graph_(graph),
        groups_(groups),
        team_(team),
        local_(static_cast<std::size_t>(graph.order)),
        component_(static_cast<std::size_t>(graph.order)),
        clique_entries_left_(clique_share * (static_cast<std::int64_t>(graph.neighbours.size()) + graph.order)) {
    for (const OldIndex row : component_.ids()) component_[row] = row;
  }

  /// The graph of the next group, with vertices numbered in the order of `rows`. Precondition: `rows` ascends.
  AdjacencyGraph next(std::span<const OldIndex> rows) {
    for (std::size_t k = 0; k < rows.size(); ++k) local_[rows[k]] = static_cast<std::int32_t>(k);
    const std::vector<Contact> contacts = contacts_of(rows);
    const bool last = groups_.of(rows.front()) + 1 == groups_.count();
    for (std::size_t k = 0; k < rows.size() && !last; ++k) join(rows[k]);
    return contacts.empty() ? own_edges(rows) : with_cliques(rows, contacts);
  }

 private:
  /// A row of the group, given by its position in the group, that is adjacent to a component of the rows before.
  struct Contact {
    OldIndex component;
    std::int32_t place;
    auto operator<=>(const Contact&) const = default;
  };

  OldIndex find(OldIndex row) {
    while (component_[row] != row) row = component_[row] = component_[component_[row]];
    return row;
  }

  void join(OldIndex row) {
    const std::int32_t group = groups_.of(row);
    for (const OldIndex neighbour : graph_.of(row)) {
      if (groups_.of(neighbour) > group) continue;
      const OldIndex of_row = find(row);
      const OldIndex of_neighbour = find(neighbour);
      component_[std::max(of_row, of_neighbour)] = std::min(of_row, of_neighbour);
    }
  }

  /// The contacts of a group's rows, sorted and without duplicates.
  std::vector<Contact> contacts_of(std::span<const OldIndex> rows) {
    std::vector<Contact> contacts;
    for (const OldIndex row : rows) {
      for (const OldIndex neighbour : graph_.of(row)) {
        if (groups_.of(neighbour) < groups_.of(row)) contacts.push_back({find(neighbour), local_[row]});
      }
    }
    std::sort(contacts.begin(), contacts.end());
    contacts.erase(std::unique(contacts.begin(), contacts.end()), contacts.end());
    return contacts;
  }

  AdjacencyGraph own_edges(std::span<const OldIndex> rows) const {
    AdjacencyGraph graph;
    graph.order = static_cast<std::int32_t>(rows.size());
    graph.offsets.assign(rows.size() + 1, 0);
    const auto each = [&](const auto& visit) {
      team_.for_intervals(graph.order, 16384, [&](std::int64_t begin, std::int64_t end) {
        for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
          for (const OldIndex neighbour : graph_.of(rows[k])) {
            if (groups_.of(neighbour) == groups_.of(rows[k])) visit(k, neighbour);
          }
        }
      });
    };
    each([&](std::size_t k, OldIndex) { ++graph.offsets[k + 1]; });
    for (std::size_t k = 0; k < rows.size(); ++k) graph.offsets[k + 1] += graph.offsets[k];
    graph.neighbours.resize(static_cast<std::size_t>(graph.offsets.back()));
    std::vector<std::int64_t> next(graph.offsets.begin(), graph.offsets.end() - 1);
    each([&](std::size_t k, OldIndex neighbour) {
      graph.neighbours[static_cast<std::size_t>(next[k]++)] = OldIndex(std::int64_t{local_[neighbour]});
    });
    return graph;
  }

  /// The cliques of the components' neighbours, smallest first, up to the limit on entries.
  std::vector<std::span<const Contact>> cliques_of(std::span<const Contact> contacts) {
    std::vector<std::span<const Contact>> cliques;
    for (std::size_t begin = 0; begin < contacts.size();) {
      std::size_t end = begin + 1;
      while (end < contacts.size() && contacts[end].component == contacts[begin].component) ++end;
      if (end - begin > 1) cliques.push_back(contacts.subspan(begin, end - begin));
      begin = end;
    }
    std::stable_sort(cliques.begin(), cliques.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
    std::size_t taken = 0;
    for (; taken < cliques.size(); ++taken) {
      const auto size = static_cast<std::int64_t>(cliques[taken].size());
      if (size * (size - 1) > clique_entries_left_) break;
      clique_entries_left_ -= size * (size - 1);
    }
    cliques.resize(taken);
    return cliques;
  }

  AdjacencyGraph with_cliques(std::span<const OldIndex> rows, std::span<const Contact> contacts) {
    const AdjacencyGraph own = own_edges(rows);
    std::vector<std::vector<OldIndex>> lists(rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const auto neighbours = own.of(OldIndex(static_cast<std::int64_t>(k)));
      lists[k].assign(neighbours.begin(), neighbours.end());
    }
    for (const auto& clique : cliques_of(contacts)) {
      for (const Contact& a : clique) {
        for (const Contact& b : clique) {
          if (a.place != b.place) lists[static_cast<std::size_t>(a.place)].push_back(OldIndex(std::int64_t{b.place}));
        }
      }
    }
    AdjacencyGraph graph;
    graph.order = own.order;
    graph.offsets.assign(1, 0);
    for (auto& list : lists) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
      graph.offsets.push_back(graph.offsets.back() + static_cast<std::int64_t>(list.size()));
    }
    graph.neighbours.resize(static_cast<std::size_t>(graph.offsets.back()));
    auto place = graph.neighbours.begin();
    for (const auto& list : lists) place = std::copy(list.begin(), list.end(), place);
    return graph;
  }

  const AdjacencyGraph& graph_;
  const RowGroups& groups_;
  ThreadTeam& team_;
  IdVector<OldIndex, std::int32_t> local_;  ///< Position of a row in its group.
  IdVector<OldIndex, OldIndex> component_;  ///< Union-find links; a root represents its component.
  std::int64_t clique_entries_left_;        ///< Number of clique entries that may still be added.
};

/// The caller's permutation. Throws InvalidInput if it does not keep the groups in order.
ChosenOrder checked_user_order(const AdjacencyGraph& graph, const RowGroups& groups, const SymbolicOptions& options,
                               ThreadTeam& team) {
  ChosenOrder chosen = choose_order(graph, options, team);
  if (const NewIndex k = groups.first_misplaced(chosen.order); k.valid()) {
    fail<InvalidInput>("permutation[{}] is {}, but last_rows requires this row before row {}, which is permutation[{}]",
                       k.value, chosen.order[k].value, chosen.order[k - 1].value, k.value - 1);
  }
  return chosen;
}

/// Moves the elimination order of a group's vertices out of `chosen`.
EliminationOrder take_order(ChosenOrder& chosen) {
  return chosen.tree ? std::move(chosen.tree->permutation.old_of_new) : std::move(chosen.order);
}

}  // namespace

ChosenOrder grouped_order(const AdjacencyGraph& graph, const RowGroups& groups, const SymbolicOptions& options,
                          ThreadTeam& team, const std::atomic<bool>* cancel) {
  if (groups.none()) return choose_order(graph, options, team, cancel);
  if (options.ordering == Ordering::user) return checked_user_order(graph, groups, options, team);
  GroupGraphs graphs(graph, groups, team);
  const std::vector<OldIndex> rows = groups.by_group();
  ChosenOrder result;
  result.order.reserve(rows.size());
  std::int32_t largest = 0;
  for (std::int32_t g = 0; g < groups.count(); ++g) {
    const auto of_group = std::span(rows).subspan(result.order.size(), static_cast<std::size_t>(groups.size(g)));
    if (of_group.empty()) continue;
    ChosenOrder chosen = choose_order(graphs.next(of_group), options, team, cancel);
    for (const OldIndex place : take_order(chosen)) result.order.push_back(of_group[static_cast<std::size_t>(place.value)]);
    if (groups.size(g) <= largest) continue;
    largest = groups.size(g);
    result.method = chosen.method;
    result.reason = std::move(chosen.reason);
  }
  result.reason +=
      fmt::format("; {} rows are eliminated last (groups: {})", graph.order - groups.size(0), groups.count() - 1);
  return result;
}

}  // namespace gpusupernodal
