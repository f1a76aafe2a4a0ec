#pragma once

/// \file
/// The checks of `gpusupernodal doctor`.

#include <string>
#include <vector>

namespace gpusupernodal::cli {

/// Outcome of one check.
struct Check {
  std::string name;
  bool found = true;
  std::string text;    ///< What was found, or why it is missing.
  std::string advice;  ///< What to do or type if it is missing, or to use it; may be empty.
};

/// Solves a small system as a program with default options would. Not found: this process cannot solve.
Check check_solve();
/// All other checks: version, library, backends, the software of doctor_software.hpp, memory, environment variables. None of
/// them throws for something that is missing.
std::vector<Check> check_installation();

}  // namespace gpusupernodal::cli
