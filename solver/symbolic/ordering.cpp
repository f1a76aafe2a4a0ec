#include "solver/symbolic/ordering.hpp"

#include <utility>

#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {

EliminationOrder natural_order(std::int32_t order) {
  EliminationOrder result(static_cast<std::size_t>(order));
  for (NewIndex k : result.ids()) result[k] = OldIndex(k.value);
  return result;
}

EliminationOrder user_order(std::int32_t order, std::span<const std::int64_t> permutation) {
  if (permutation.size() != static_cast<std::size_t>(order)) {
    fail<InvalidInput>("the permutation has {} entries, but the matrix has {} rows", permutation.size(), order);
  }
  EliminationOrder result(permutation.size());
  IdVector<OldIndex, NewIndex> position_of(permutation.size());
  for (NewIndex k : result.ids()) {
    const std::int64_t value = permutation[static_cast<std::size_t>(k.value)];
    if (value < 0 || value >= order) {
      fail<InvalidInput>("permutation[{}] is {}, but the rows of the matrix are 0 to {}", k.value, value, order - 1);
    }
    NewIndex& earlier = position_of[OldIndex(value)];
    if (earlier.valid()) {
      fail<InvalidInput>("permutation[{}] and permutation[{}] are both {}; every row must occur exactly once", earlier.value,
                         k.value, value);
    }
    earlier = k;
    result[k] = OldIndex(value);
  }
  return result;
}

ChosenOrder choose_order(const AdjacencyGraph& graph, const SymbolicOptions& options, ThreadTeam& team,
                         const std::atomic<bool>* cancel) {
  switch (options.ordering) {
    case Ordering::nested_dissection: {
      EliminationOrder order = dissection_order(graph, options.seed, team, cancel);
      if (cancel != nullptr && *cancel) fail<Cancelled>("analyze was cancelled in the step '{}'", "ordering");
      return {std::move(order), options.ordering, "requested", {}};
    }
    case Ordering::metis:
      return {metis_order(graph), options.ordering, "requested", {}};
    case Ordering::amd:
      return {amd_order(graph), options.ordering, "requested", {}};
    case Ordering::natural:
      return {natural_order(graph.order), options.ordering, "requested", {}};
    case Ordering::user:
      return {user_order(graph.order, options.user_permutation), options.ordering, "the caller's permutation", {}};
    case Ordering::automatic:
      break;
  }
  return automatic_order(graph, options, team, cancel);
}

}  // namespace gpusupernodal
