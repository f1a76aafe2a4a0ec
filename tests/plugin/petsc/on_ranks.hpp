#pragma once

/// \file
/// Runs programs on several ranks.

#include <string>

#include "tests/plugin/petsc/program.hpp"

namespace gpusupernodal::test {

/// Whether this PETSc's MPI has a launcher.
bool can_run_on_ranks();

/// Runs a program on several ranks of this machine, possibly more than it has cores.
Outcome run_on_ranks(int ranks, const std::string& command);

}  // namespace gpusupernodal::test
