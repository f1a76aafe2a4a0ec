#pragma once

/// \file
/// Scotch's ordering with its default strategy, if Scotch was found.

#include <vector>

#include "solver/symbolic/ordering.hpp"

#ifdef GPUSUPERNODAL_BENCH_SCOTCH
#include <cstdio>

extern "C" {
#include <scotch.h>
}

namespace gpusupernodal::bench {

inline EliminationOrder scotch_order(const AdjacencyGraph& graph) {
  const auto n = static_cast<std::size_t>(graph.order);
  std::vector<SCOTCH_Num> offsets(graph.offsets.begin(), graph.offsets.end());
  std::vector<SCOTCH_Num> neighbours(graph.neighbours.size());
  for (std::size_t k = 0; k < neighbours.size(); ++k) neighbours[k] = graph.neighbours[k].value;
  std::vector<SCOTCH_Num> new_of_old(n);
  std::vector<SCOTCH_Num> old_of_new(n);
  SCOTCH_Graph scotch;
  SCOTCH_Strat strategy;
  SCOTCH_graphInit(&scotch);
  SCOTCH_stratInit(&strategy);
  SCOTCH_graphBuild(&scotch, 0, graph.order, offsets.data(), nullptr, nullptr, nullptr,
                    static_cast<SCOTCH_Num>(neighbours.size()), neighbours.data(), nullptr);
  SCOTCH_graphOrder(&scotch, &strategy, new_of_old.data(), old_of_new.data(), nullptr, nullptr, nullptr);
  SCOTCH_stratExit(&strategy);
  SCOTCH_graphExit(&scotch);
  EliminationOrder order(n);
  for (NewIndex k : order.ids()) order[k] = OldIndex(std::int64_t{old_of_new[static_cast<std::size_t>(k.value)]});
  return order;
}

}  // namespace gpusupernodal::bench
#endif
