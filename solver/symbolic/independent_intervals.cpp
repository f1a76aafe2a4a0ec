#include "solver/symbolic/independent_intervals.hpp"

#include <algorithm>

#include "base/raw_vector.hpp"

namespace gpusupernodal {
namespace {

/// Shorter intervals are not worth being listed.
constexpr std::int32_t shortest = 32;

/// Of each row of L: the first of its neighbours, or itself. A repetition has all it has through the row before.
RawVector<std::int32_t> first_neighbours(const AdjacencyGraph& graph, const Permutation& permutation,
                                         const Repetitions& repetitions, ThreadTeam& team) {
  RawVector<std::int32_t> first(permutation.old_of_new.size());
  team.for_intervals(permutation.order(), 4096, [&](std::int64_t begin, std::int64_t end) {
    for (NewIndex row : IdRange<NewIndex>(NewIndex(begin), NewIndex(end))) {
      std::int32_t& least = first[static_cast<std::size_t>(row.value)];
      least = repetitions[row] != 0 ? row.value - 1 : row.value;
      if (repetitions[row] != 0) continue;
      for (const OldIndex neighbour : graph.of(permutation.old_of_new[row]))
        least = std::min(least, permutation.new_of_old[neighbour].value);
    }
  });
  return first;
}

}  // namespace

/// A row joins all intervals from the one with its first neighbour on to one that ends with it. Where that is too long, what
/// it was joined from is kept, unless it was too long itself.
std::vector<RowInterval> independent_intervals(const AdjacencyGraph& graph, const Permutation& permutation,
                                               const Repetitions& repetitions, std::int32_t longest, ThreadTeam& team) {
  const RawVector<std::int32_t> first = first_neighbours(graph, permutation, repetitions, team);
  std::vector<std::int32_t> begins;  // Of the intervals so far, which follow each other from row 0 on.
  std::vector<RowInterval> kept;
  const auto keep_from = [&](std::size_t i, std::int32_t past) {
    for (; i < begins.size(); ++i) {
      const std::int32_t end = i + 1 < begins.size() ? begins[i + 1] : past;
      if (end - begins[i] >= shortest && end - begins[i] <= longest)
        kept.push_back({NewIndex(std::int64_t{begins[i]}), NewIndex(std::int64_t{end})});
    }
  };
  const auto n = static_cast<std::int32_t>(first.size());
  for (std::int32_t row = 0; row < n; ++row) {
    const std::int32_t least = first[static_cast<std::size_t>(row)];
    if (least == row) {
      begins.push_back(row);
      continue;
    }
    std::size_t joined = begins.size() - 1;
    if (least < begins.back())
      joined = static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), least) - begins.begin()) - 1;
    if (row + 1 - begins[joined] > longest) keep_from(joined, row);
    begins.resize(joined + 1);
  }
  keep_from(0, n);
  std::sort(kept.begin(), kept.end(), [](const RowInterval& a, const RowInterval& b) { return a.begin < b.begin; });
  return kept;
}

}  // namespace gpusupernodal
