#pragma once

/// \file
/// Memory of the host executor, as a function of the plan.

#include <cstdint>

#include "gpusupernodal/report.hpp"

namespace gpusupernodal {

class FactorPlan;

/// Elements of vectors that solves of one right-hand side need with a number of workers: the vector in elimination
/// order, the boundary vector, and a buffer a worker.
std::int64_t host_solve_elements(const FactorPlan& plan, int workers);

/// Bytes that a host executor takes: panels, one right-hand side with a buffer a worker, and what refinement needs if A is
/// kept. The index structures counted are the plan's own, which all its solvers share.
MemoryEstimate host_memory(const FactorPlan& plan, std::int64_t scalar_bytes, bool keep_a, int workers);

}  // namespace gpusupernodal
