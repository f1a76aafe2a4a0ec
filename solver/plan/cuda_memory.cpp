#include "solver/plan/cuda_memory.hpp"

#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {

MemoryEstimate cuda_memory(const FactorPlan& plan, std::int64_t scalar_bytes, bool keep_a) {
  MemoryEstimate memory;
  memory.factor = plan.panels.values() * scalar_bytes;
  memory.index = static_cast<std::int64_t>(plan.updates.relative_rows.size() + plan.symbolic.rows.size()) * 4 +
                 static_cast<std::int64_t>(plan.assembly.source.size()) * 16;
  memory.workspace = (2 * plan.symbolic.order() + (keep_a ? plan.assembly.entries_of_a : 0)) * scalar_bytes;
  return memory;
}

}  // namespace gpusupernodal
