#include "tests/support/reference_symbolic.hpp"

#include <algorithm>

namespace gpusupernodal::test {
namespace {

std::vector<std::int32_t> new_neighbours(const AdjacencyGraph& graph, const Permutation& permutation, std::int32_t j) {
  std::vector<std::int32_t> result;
  for (OldIndex neighbour : graph.of(permutation.old_of_new[NewIndex(j)])) {
    result.push_back(permutation.new_of_old[neighbour].value);
  }
  return result;
}

}  // namespace

ReferenceSymbolic reference_symbolic(const AdjacencyGraph& graph, const Permutation& permutation) {
  const auto n = static_cast<std::size_t>(permutation.order());
  ReferenceSymbolic result;
  result.columns.resize(n);
  result.parent.assign(n, -1);
  std::vector<std::vector<std::size_t>> children(n);
  for (std::size_t j = 0; j < n; ++j) {
    const auto diagonal = static_cast<std::int32_t>(j);
    std::vector<std::int32_t> rows{diagonal};
    for (std::int32_t i : new_neighbours(graph, permutation, diagonal)) {
      if (i > diagonal) rows.push_back(i);
    }
    for (std::size_t c : children[j]) rows.insert(rows.end(), result.columns[c].begin() + 1, result.columns[c].end());
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    if (rows.size() > 1) {
      result.parent[j] = rows[1];
      children[static_cast<std::size_t>(rows[1])].push_back(j);
    }
    result.nonzeros += static_cast<std::int64_t>(rows.size());
    result.flops += static_cast<double>(rows.size()) * static_cast<double>(rows.size());
    result.columns[j] = std::move(rows);
  }
  return result;
}

ReferenceCounts reference_counts(const AdjacencyGraph& graph, const Permutation& permutation) {
  const auto n = static_cast<std::size_t>(permutation.order());
  std::vector<std::int32_t> parent(n, -1);
  std::vector<std::int32_t> seen_by(n, -1);
  std::vector<std::int32_t> count(n, 1);
  for (std::int32_t i = 0; i < permutation.order(); ++i) {
    seen_by[static_cast<std::size_t>(i)] = i;
    for (std::int32_t j : new_neighbours(graph, permutation, i)) {
      if (j > i) continue;
      for (auto k = static_cast<std::size_t>(j); seen_by[k] != i; k = static_cast<std::size_t>(parent[k])) {
        seen_by[k] = i;
        ++count[k];
        if (parent[k] < 0) parent[k] = i;
      }
    }
  }
  ReferenceCounts result;
  for (std::int32_t c : count) {
    result.nonzeros += c;
    result.flops += static_cast<double>(c) * static_cast<double>(c);
  }
  return result;
}

}  // namespace gpusupernodal::test
