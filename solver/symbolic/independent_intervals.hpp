#pragma once

/// \file
/// Intervals of an elimination order that threads can process concurrently.

#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "solver/symbolic/adjacency.hpp"
#include "solver/symbolic/elimination_tree.hpp"
#include "solver/symbolic/permutation.hpp"

namespace gpusupernodal {

/// Rows begin … end−1 of L.
struct RowInterval {
  NewIndex begin;
  NewIndex end;
};

/// The maximal intervals of 32 to `longest` rows without a neighbour before the interval; ascending and disjoint. Orders by
/// nested dissection have many of them, also if the caller computed the order; other orders may have few. Cost: O(|A|)
/// spread over the team, plus O(n).
std::vector<RowInterval> independent_intervals(const AdjacencyGraph& graph, const Permutation& permutation,
                                               const Repetitions& repetitions, std::int32_t longest, ThreadTeam& team);

/// One list for each length in `longest`. Precondition: the lengths ascend. Each interval of a list lies within one interval
/// of the next list.
std::vector<std::vector<RowInterval>> independent_intervals(const AdjacencyGraph& graph, const Permutation& permutation,
                                                            const Repetitions& repetitions,
                                                            std::span<const std::int32_t> longest, ThreadTeam& team);

/// Maximum sizes, ascending, of the parts into which a tree of `order` columns is divided for the team: small parts balance
/// the threads, larger parts that contain them leave little work for one thread. Empty if waking threads would not pay off.
std::vector<std::int32_t> part_sizes(std::int32_t order, const ThreadTeam& team);

}  // namespace gpusupernodal
