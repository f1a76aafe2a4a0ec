#pragma once

/// \file
/// Memory of the host executor, as a function of the plan.

#include <cstdint>

#include "gpusupernodal/report.hpp"

namespace gpusupernodal {

class FactorPlan;

/// Bytes that a host executor takes: panels, task bookkeeping, one right-hand side, and A's values if they are kept.
/// The index structures counted are the plan's own, which all its solvers share.
MemoryEstimate host_memory(const FactorPlan& plan, std::int64_t scalar_bytes, bool keep_a);

}  // namespace gpusupernodal
