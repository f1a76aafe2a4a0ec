/// \file
/// Stands in for cost_file.cpp in builds without nlohmann/json.

#include "gpusupernodal/error.hpp"
#include "solver/api/cost_file.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {

CostFigures read_cost_file(const std::string& path, const CostFigures&) {
  fail<InvalidInput>(
      "the cost model {} cannot be read: this gpusupernodal was built without nlohmann/json; unset "
      "GPUSUPERNODAL_COST_MODEL, or build it with -DGPUSUPERNODAL_COST_FILES=ON",
      path);
}

}  // namespace gpusupernodal
