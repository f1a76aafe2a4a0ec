#pragma once

/// \file
/// Memory of the CUDA executor, as a function of the plan; host-only code.

#include <cstdint>

#include "gpusupernodal/report.hpp"

namespace gpusupernodal {

class FactorPlan;

/// Bytes of device memory that a CUDA executor takes.
MemoryEstimate cuda_memory(const FactorPlan& plan, std::int64_t scalar_bytes, bool keep_a);

}  // namespace gpusupernodal
