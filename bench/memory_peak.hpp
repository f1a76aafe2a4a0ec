#pragma once

/// \file
/// Bytes that the process holds by operator new; link memory_peak.cpp into the program. What C libraries take by malloc
/// (METIS, oneTBB) does not count.

#include <cstdint>

namespace gpusupernodal::bench {

/// Held now, by all threads.
std::int64_t held_bytes();
/// Most that was held since restart_peak().
std::int64_t peak_bytes();
/// The peak is what is held now.
void restart_peak();

}  // namespace gpusupernodal::bench
