#pragma once

/// \file
/// Parts of an elimination order that can be worked on at the same time.

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

/// The largest intervals of 32 to `longest` rows whose rows have no neighbour before the interval; ascending, disjoint. An
/// order by dissection has many, whoever made it; others may have few. Cost O(|A|), spread over the team, and O(n).
std::vector<RowInterval> independent_intervals(const AdjacencyGraph& graph, const Permutation& permutation,
                                               const Repetitions& repetitions, std::int32_t longest, ThreadTeam& team);

/// The same for several lengths, which ascend: each interval of one list lies in one of the next.
std::vector<std::vector<RowInterval>> independent_intervals(const AdjacencyGraph& graph, const Permutation& permutation,
                                                            const Repetitions& repetitions,
                                                            std::span<const std::int32_t> longest, ThreadTeam& team);

/// What parts of a tree of `order` columns are gone over by themselves: enough of the small ones to balance the threads, and
/// larger ones that hold those, so that little is left for one thread. Empty where threads take longer to be woken.
std::vector<std::int32_t> part_sizes(std::int32_t order, const ThreadTeam& team);

}  // namespace gpusupernodal
