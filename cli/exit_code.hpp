#pragma once

/// \file
/// What the command tells the shell.

#include "gpusupernodal/report.hpp"

namespace gpusupernodal::cli {

enum class ExitCode {
  success = 0,
  failure = 1,
  bad_input = 2,
  not_positive_definite = 3,
  no_memory = 4,
  backend_unavailable = 5
};

/// The code of a numerical outcome.
ExitCode exit_code(Status status);
/// Prints the exception that is being handled to stderr, after `context` where that is not empty, and returns its code.
/// To be called in a catch block.
ExitCode report_exception(const char* context = "");

}  // namespace gpusupernodal::cli
