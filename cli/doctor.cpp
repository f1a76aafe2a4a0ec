#include <fmt/format.h>

#include <memory>
#include <vector>

#include "cli/commands.hpp"
#include "cli/doctor_checks.hpp"
#include "cli/json.hpp"
#include "cli/print.hpp"

namespace gpusupernodal::cli {
namespace {

ExitCode run(bool json) {
  std::vector<Check> checks = check_installation();
  checks.push_back(check_solve());
  const bool can_solve = checks.back().found;
  if (json) {
    Json report{{"can_solve", can_solve}, {"checks", Json::array()}};
    for (const Check& c : checks)
      report["checks"].push_back({{"name", c.name}, {"found", c.found}, {"text", c.text}, {"advice", c.advice}});
    print_json(report);
  } else {
    for (const Check& c : checks) {
      print_to(stdout, "{:<8} {:<25} {}\n", c.found ? "ok" : "missing", c.name, c.text);
      if (!c.advice.empty()) print_to(stdout, "{:<34} {}\n", "", c.advice);
    }
  }
  return can_solve ? ExitCode::success : ExitCode::failure;
}

}  // namespace

Command add_doctor(CLI::App& parent) {
  auto json = std::make_shared<bool>(false);
  CLI::App* app = parent.add_subcommand("doctor", "check this installation: what is found, what is missing, what to type");
  app->add_flag("--json", *json, "print JSON instead of text");
  return {app, [json] { return run(*json); }};
}

}  // namespace gpusupernodal::cli
