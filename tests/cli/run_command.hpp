#pragma once

/// \file
/// Runs the command gpusupernodal as a shell would.

#include <nlohmann/json.hpp>
#include <string>

namespace gpusupernodal::test {

struct CommandResult {
  int code = -1;  ///< Exit code; −1 if it was ended by a signal.
  std::string output;
  std::string errors;

  /// The output as JSON. Throws where it is none.
  nlohmann::json json() const { return nlohmann::json::parse(output); }
  bool says(const std::string& text) const { return output.find(text) != std::string::npos; }
  bool complains(const std::string& text) const { return errors.find(text) != std::string::npos; }
};

/// `arguments` as typed after the name; `before` goes before it (limits, environment).
CommandResult run_command(const std::string& arguments, const std::string& before = "");

/// Path of a matrix in tests/data.
std::string project_matrix(const std::string& name);

}  // namespace gpusupernodal::test
