#pragma once

/// \file
/// Memory of this machine.

#include <cstdint>

namespace gpusupernodal::cli {

/// Bytes that a process can take without swapping; the largest number if the system does not tell.
std::int64_t available_memory();

}  // namespace gpusupernodal::cli
