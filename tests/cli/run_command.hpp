#pragma once

/// \file
/// Runs the command gpusupernodal in a shell.

#include <nlohmann/json.hpp>
#include <string>

namespace gpusupernodal::test {

struct CommandResult {
  int code = -1;  ///< Exit code; −1 if a signal ended it.
  std::string output;
  std::string errors;

  /// The output as JSON. Throws if it is not JSON.
  nlohmann::json json() const { return nlohmann::json::parse(output); }
  bool says(const std::string& text) const { return output.find(text) != std::string::npos; }
  bool complains(const std::string& text) const { return errors.find(text) != std::string::npos; }
};

/// `arguments` follow the command's name; `before` precedes it (limits, environment).
CommandResult run_command(const std::string& arguments, const std::string& before = "");

/// Path of a matrix in tests/data.
std::string project_matrix(const std::string& name);

}  // namespace gpusupernodal::test
