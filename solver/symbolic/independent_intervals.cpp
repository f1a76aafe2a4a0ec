#include "solver/symbolic/independent_intervals.hpp"

#include <algorithm>
#include <utility>

#include "base/raw_vector.hpp"

namespace gpusupernodal {
namespace {

/// Shorter intervals are not listed.
constexpr std::int32_t shortest = 32;

/// For each row of L, the minimum of the row and its neighbours. For a repetition the preceding row suffices, because all
/// its connections lead through that row too.
RawVector<std::int32_t> first_neighbours(const AdjacencyGraph& graph, const Permutation& permutation,
                                         const Repetitions& repetitions, ThreadTeam& team) {
  RawVector<std::int32_t> first(permutation.old_of_new.size());
  team.for_intervals(permutation.order(), 4096, [&](std::int64_t begin, std::int64_t end) {
    for (NewIndex row : IdRange<NewIndex>(NewIndex(begin), NewIndex(end))) {
      std::int32_t& first_neighbour = first[static_cast<std::size_t>(row.value)];
      first_neighbour = repetitions[row] != 0 ? row.value - 1 : row.value;
      if (repetitions[row] != 0) continue;
      for (const OldIndex neighbour : graph.of(permutation.old_of_new[row]))
        first_neighbour = std::min(first_neighbour, permutation.new_of_old[neighbour].value);
    }
  });
  return first;
}

}  // namespace

/// Each row merges all intervals from the one that contains its first neighbour into one interval that ends with the row. If
/// the merged interval is too long, the intervals that it was merged from are kept, except those that are too long.
std::vector<std::vector<RowInterval>> independent_intervals(const AdjacencyGraph& graph, const Permutation& permutation,
                                                            const Repetitions& repetitions,
                                                            std::span<const std::int32_t> longest, ThreadTeam& team) {
  const RawVector<std::int32_t> first = first_neighbours(graph, permutation, repetitions, team);
  std::vector<std::int32_t> begins;  // First rows of the current intervals, which are contiguous from row 0.
  std::vector<std::vector<RowInterval>> kept(longest.size());
  const auto keep_from = [&](std::size_t list, std::size_t i, std::int32_t past) {
    for (; i < begins.size(); ++i) {
      const std::int32_t end = i + 1 < begins.size() ? begins[i + 1] : past;
      if (end - begins[i] >= shortest && end - begins[i] <= longest[list])
        kept[list].push_back({NewIndex(std::int64_t{begins[i]}), NewIndex(std::int64_t{end})});
    }
  };
  const auto n = static_cast<std::int32_t>(first.size());
  for (std::int32_t row = 0; row < n; ++row) {
    const std::int32_t first_neighbour = first[static_cast<std::size_t>(row)];
    if (first_neighbour == row) {
      begins.push_back(row);
      continue;
    }
    std::size_t joined = begins.size() - 1;
    if (first_neighbour < begins.back())
      joined =
          static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), first_neighbour) - begins.begin()) - 1;
    for (std::size_t list = 0; list < longest.size() && row + 1 - begins[joined] > longest[list]; ++list)
      keep_from(list, joined, row);
    begins.resize(joined + 1);
  }
  for (std::size_t list = 0; list < longest.size(); ++list) {
    keep_from(list, 0, n);
    std::sort(kept[list].begin(), kept[list].end(),
              [](const RowInterval& a, const RowInterval& b) { return a.begin < b.begin; });
  }
  return kept;
}

std::vector<RowInterval> independent_intervals(const AdjacencyGraph& graph, const Permutation& permutation,
                                               const Repetitions& repetitions, std::int32_t longest, ThreadTeam& team) {
  return std::move(independent_intervals(graph, permutation, repetitions, std::span(&longest, 1), team).front());
}

std::vector<std::int32_t> part_sizes(std::int32_t order, const ThreadTeam& team) {
  constexpr std::int32_t min_order = 20'000;
  constexpr std::int32_t largest_share = 4;
  constexpr std::int32_t step = 4;
  std::vector<std::int32_t> sizes;
  if (team.threads() == 1 || order < min_order) return sizes;
  for (std::int32_t share = 4 * team.threads(); share >= largest_share; share /= step) sizes.push_back(order / share);
  return sizes;
}

}  // namespace gpusupernodal
