#pragma once

/// \file
/// HostPlan: how a factorization and its solves run on the threads of the host.

#include <cstdint>
#include <memory>
#include <optional>

#include "base/thread_team.hpp"
#include "solver/factor/backend_plan.hpp"
#include "solver/factor/factor_structure.hpp"
#include "solver/host/plan/solve_schedule.hpp"

namespace gpusupernodal {

struct HostPlanOptions {
  std::int32_t block_width = 0;             ///< 0: chosen by the number of flops.
  std::optional<ScheduleOptions> schedule;  ///< Replaces the host's own rules, for tests and measurements.
};

class HostPlan final : public BackendPlan {
 public:
  std::shared_ptr<const FactorStructure> structure;
  Schedule schedule;    ///< Schedule of the factorization; each leaf subtree is one thread's task.
  SolveSchedule solve;  ///< Solve tasks, along the cut of `schedule`.

  MemoryEstimate memory(const MemoryRequest& request) const override;
  PlannedWork work() const override;
  const Schedule& cut() const override { return schedule; }
  std::int64_t bytes() const override;
};

/// Schedule rules for a factorization of `flops` operations.
ScheduleOptions host_schedule_options(const HostPlanOptions& options, double flops);

std::int64_t bytes_of(const SolveSchedule& schedule);

/// Work of LU on dense storage.
PlannedWork dense_work(const DenseStructure& dense);

/// Number of vector elements for one right-hand side: x, the boundary vector, and one work vector per worker.
std::int64_t host_solve_elements(const HostPlan& plan, int workers);

}  // namespace gpusupernodal
