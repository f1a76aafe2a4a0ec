#pragma once

/// \file
/// Exit codes.

#include <string>

#include "gpusupernodal/report.hpp"

namespace gpusupernodal::cli {

enum class ExitCode {
  success = 0,
  failure = 1,
  bad_input = 2,
  not_positive_definite = 3,
  no_memory = 4,
  backend_unavailable = 5,
  singular = 6,
  unstable = 7,
  not_converged = 8
};

/// Exit code for the status of a factorization.
ExitCode exit_code(Status status);
/// Name of an exit code in JSON, like "bad_input".
const char* name_of(ExitCode code);

/// An error as the user sees it.
struct Failure {
  ExitCode code = ExitCode::failure;
  std::string sentence;
};

/// Describes the current exception, after `context` if that is not empty. Precondition: called in a catch block.
Failure current_failure(const char* context = "");
/// Prints the error to stderr and returns its exit code.
ExitCode report(const Failure& failure);

}  // namespace gpusupernodal::cli
