/// \file
/// Stands in for metis_ordering.cpp in builds without METIS.

#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"
#include "solver/symbolic/ordering.hpp"

namespace gpusupernodal {

EliminationOrder metis_order(const AdjacencyGraph&) {
  fail<InvalidInput>(
      "the ordering metis was requested, but this build of gpusupernodal has no METIS; use nested_dissection or amd, or "
      "build with -DGPUSUPERNODAL_METIS=ON");
}

}  // namespace gpusupernodal
