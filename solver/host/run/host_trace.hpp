#pragma once

/// \file
/// What the host's tasks are called in a trace.

#include "solver/backend/trace.hpp"
#include "solver/host/plan/host_plan.hpp"

namespace gpusupernodal {

/// Tasks are numbered as in their graph.
TraceSlice task_slice(const HostPlan& plan, const Task& task, int worker);
TraceSlice forward_slice(const HostPlan& plan, const SolveTask& task, int worker);
TraceSlice backward_slice(const HostPlan& plan, const SolveTask& task, int worker);

/// Sum of the flops of all tasks.
double total_flops(const TaskGraph& graph);

}  // namespace gpusupernodal
