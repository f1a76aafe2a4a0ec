#include <algorithm>
#include <memory>
#include <vector>

#include "base/fmt.hpp"
#include "cli/commands.hpp"
#include "cli/doctor_checks.hpp"
#include "cli/json.hpp"
#include "cli/options.hpp"
#include "cli/print.hpp"
#include "cli/terminal.hpp"

namespace gpusupernodal::cli {
namespace {

void print_check(const Check& check) {
  const std::string word = check.found ? styled(stdout, Style::good, "ok     ") : styled(stdout, Style::warning, "missing");
  print_to(stdout, "{}  {} {}\n", word, styled(stdout, Style::label, fmt::format("{:<25}", check.name)), check.text);
  if (!check.advice.empty()) print_to(stdout, "{:<34} {}\n", "", styled(stdout, Style::aside, check.advice));
}

void print_summary(const std::vector<Check>& checks, bool can_solve) {
  const auto missing = std::count_if(checks.begin(), checks.end(), [](const Check& check) { return !check.found; });
  if (!can_solve) {
    print_to(stdout, "{}\n", styled(stdout, Style::error, "This installation cannot solve."));
  } else if (missing == 0) {
    print_to(stdout, "This installation solves, and nothing is missing.\n");
  } else {
    print_to(stdout, "This installation solves. {} optional {} missing.\n", missing, missing == 1 ? "part is" : "parts are");
  }
}

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
    for (const Check& c : checks) print_check(c);
    print_summary(checks, can_solve);
  }
  return can_solve ? ExitCode::success : ExitCode::failure;
}

}  // namespace

Command add_doctor(CLI::App& parent) {
  auto json = std::make_shared<bool>(false);
  CLI::App* app = parent.add_subcommand("doctor", "check this installation: what is found, what is missing, what to type");
  app->add_flag("--json", *json, "print JSON instead of text");
  add_color(*app);
  return {app, [json] { return run(*json); }};
}

}  // namespace gpusupernodal::cli
