#pragma once

/// \file
/// Host memory of the parts of a plan.

#include <cstdint>

#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {

std::int64_t bytes_of(const PanelLayout& panels);
std::int64_t bytes_of(const AssemblyMap& assembly);
std::int64_t bytes_of(const UpdateList& updates);
std::int64_t bytes_of(const Schedule& schedule);
std::int64_t bytes_of(const SolveSchedule& schedule);
std::int64_t bytes_of(const CudaSolvePlan& plan);

}  // namespace gpusupernodal
