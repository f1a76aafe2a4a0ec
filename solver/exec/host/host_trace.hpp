#pragma once

/// \file
/// What the host's tasks are called in a trace.

#include "solver/exec/trace.hpp"
#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {

/// Tasks are numbered as in their graph.
TraceSlice task_slice(const FactorPlan& plan, const Task& task, int worker);
TraceSlice forward_slice(const FactorPlan& plan, const SolveTask& task, int worker);
TraceSlice backward_slice(const FactorPlan& plan, const SolveTask& task, int worker);

/// All that tasks of the graph are said to do.
double total_flops(const TaskGraph& graph);

}  // namespace gpusupernodal
