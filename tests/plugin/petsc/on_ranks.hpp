#pragma once

/// \file
/// Runs programs on several ranks.

#include <string>

#include "tests/plugin/petsc/program.hpp"

namespace gpusupernodal::test {

/// Runs a program on several ranks of this machine, which may be more than it has cores.
Outcome run_on_ranks(int ranks, const std::string& command);

}  // namespace gpusupernodal::test
