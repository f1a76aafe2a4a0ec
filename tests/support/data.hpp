#pragma once

/// \file
/// Paths of the real matrices.

#include <string>
#include <vector>

namespace gpusupernodal::test {

/// Paths of the matrices in the project (tests/data), sorted.
std::vector<std::string> project_matrices();
/// Paths of *.mtx and *.mtx.gz in the folder named by GPUSUPERNODAL_TEST_DATA; empty if it is not set.
std::vector<std::string> further_matrices();

}  // namespace gpusupernodal::test
