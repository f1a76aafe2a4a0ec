#pragma once

/// \file
/// Counts the graphs that are made executable; link counted_graphs.cpp into the test program.

#include <cstdint>

namespace gpusupernodal::test {

/// So far, in this process.
std::int64_t graph_instantiations();

}  // namespace gpusupernodal::test
