#pragma once

/// \file
/// Exit codes.

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

/// Exit code for the status of a factorization.
ExitCode exit_code(Status status);
/// Prints the current exception to stderr, after `context` if that is not empty, and returns its exit code.
/// Precondition: called in a catch block.
ExitCode report_exception(const char* context = "");

}  // namespace gpusupernodal::cli
