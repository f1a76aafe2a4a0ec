#pragma once

/// \file
/// Maps of parts as reports.

#include "gpusupernodal/distribution.hpp"
#include "solver/factor/part_map.hpp"
#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {

/// The map of a plan. Throws as distribution().
PartMap make_part_map(const FactorPlan& plan, const DistributionOptions& options, ScalarType scalar);
DistributionReport describe(const PartMap& map, ScalarType scalar);

}  // namespace gpusupernodal
