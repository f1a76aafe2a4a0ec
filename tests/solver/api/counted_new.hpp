#pragma once

/// \file
/// Counts calls of the global operator new. Link counted_new.cpp into the test program.

#include <cstdint>

namespace gpusupernodal::test {

/// Number of calls so far, from all threads.
std::int64_t new_calls();

}  // namespace gpusupernodal::test
