#pragma once

/// \file
/// Readable forms of a plan: statistics as JSON, the assembly tree as a drawing.

#include <cstdint>
#include <string>

#include "gpusupernodal/error.hpp"
#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {

std::string describe_json(const FactorPlan& plan);
/// The assembly tree in Graphviz's language. Throws InvalidInput above `max_supernodes`.
std::string describe_graphviz(const FactorPlan& plan, std::int64_t max_supernodes);

}  // namespace gpusupernodal
