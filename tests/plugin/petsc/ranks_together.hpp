#pragma once

/// \file
/// Checks what ranks_together_program.cpp prints.

#include "tests/plugin/petsc/program.hpp"

namespace gpusupernodal::test {

/// Expects the output of a run on `ranks` ranks with m points on a side of the grid.
void expect_together(const Outcome& outcome, int ranks, int m);

}  // namespace gpusupernodal::test
