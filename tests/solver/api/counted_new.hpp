#pragma once

/// \file
/// Counts calls of the global operator new; link counted_new.cpp into the test program.

#include <cstdint>

namespace gpusupernodal::test {

/// Calls so far, from all threads.
std::int64_t new_calls();

}  // namespace gpusupernodal::test
