#pragma once

/// \file
/// Counts the bytes allocated with operator new; link memory_peak.cpp into the program. Allocations of C libraries with
/// malloc (METIS, oneTBB) do not count.

#include <cstdint>

namespace gpusupernodal::bench {

/// Bytes allocated now, by all threads.
std::int64_t held_bytes();
/// Maximum of held_bytes() since restart_peak().
std::int64_t peak_bytes();
/// Resets the peak to held_bytes().
void restart_peak();

}  // namespace gpusupernodal::bench
