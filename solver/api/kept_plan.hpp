#pragma once

/// \file
/// Whether an earlier solver made a plan.

#include "gpusupernodal/options.hpp"
#include "solver/symbolic/adjacency.hpp"

namespace gpusupernodal {

/// Whether the process's cache may be used and has the plan of a pattern with these options. Throws InvalidInput as
/// obtain_plan. Cost: O(nnz).
bool has_kept_plan(const PatternView& pattern, const Options& options);

}  // namespace gpusupernodal
