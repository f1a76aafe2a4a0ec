#pragma once

/// \file
/// Counts graph instantiations. Link counted_graphs.cpp into the test program.

#include <cstdint>

namespace gpusupernodal::test {

/// Number of instantiations so far in this process.
std::int64_t graph_instantiations();

}  // namespace gpusupernodal::test
