#pragma once

/// \file
/// The plans that the process keeps, so that a pattern is not analyzed twice (Options::plan_cache).

#include <cstdint>

#include "gpusupernodal/export.hpp"

namespace gpusupernodal {

/// How much the cache may keep; what was used longest ago goes first.
struct PlanCacheLimits {
  std::int64_t plans = 4;                            ///< At most so many plans; 0: none.
  std::int64_t bytes = std::int64_t{256} * 1048576;  ///< Of plans and copies of their patterns together.
};

/// What the cache holds, and how often it served.
struct PlanCacheInfo {
  PlanCacheLimits limits;   ///< What it may keep.
  std::int64_t plans = 0;   ///< Held now.
  std::int64_t bytes = 0;   ///< Of them and of the copies of their patterns; solvers may share the plans.
  std::int64_t hits = 0;    ///< Analyses that took a plan from the cache, since the process began.
  std::int64_t misses = 0;  ///< Analyses that looked for one and did not find it.
};

/// Replaces the limits of the process, and lets go what is beyond them. Negative numbers count as 0. Any thread may call it.
GPUSUPERNODAL_API void set_plan_cache_limits(const PlanCacheLimits& limits);
/// Lets all plans go; solvers keep those that they use. Any thread may call it.
GPUSUPERNODAL_API void clear_plan_cache();
/// The state now. Any thread may call it.
GPUSUPERNODAL_API PlanCacheInfo plan_cache_info();

}  // namespace gpusupernodal
