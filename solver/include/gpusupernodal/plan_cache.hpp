#pragma once

/// \file
/// The process-wide cache of plans, which saves repeated analyses of a pattern (Options::plan_cache).

#include <cstdint>

#include "gpusupernodal/export.hpp"

namespace gpusupernodal {

/// Limits of the cache. Least recently used plans are dropped first.
struct PlanCacheLimits {
  std::int64_t plans = 4;  ///< Maximum number of plans; 0: no cache.
  std::int64_t bytes =
      std::int64_t{256} * 1048576;  ///< Maximum size of the plans and the copies of their patterns together.
};

/// Contents of the cache and how often it was used.
struct PlanCacheInfo {
  PlanCacheLimits limits;   ///< Current limits.
  std::int64_t plans = 0;   ///< Plans held now.
  std::int64_t bytes = 0;   ///< Size of these plans and the copies of their patterns; solvers may share the plans.
  std::int64_t hits = 0;    ///< Analyses that found their plan, since the process began.
  std::int64_t misses = 0;  ///< Analyses that did not find their plan.
};

/// Sets the limits and drops plans that exceed them. Negative numbers count as 0. Thread-safe.
GPUSUPERNODAL_API void set_plan_cache_limits(const PlanCacheLimits& limits);
/// Drops all plans; solvers keep the ones they use. Thread-safe.
GPUSUPERNODAL_API void clear_plan_cache();
/// Returns the current state. Thread-safe.
GPUSUPERNODAL_API PlanCacheInfo plan_cache_info();

}  // namespace gpusupernodal
