#include "gpusupernodal/info.hpp"

#include <memory>
#include <string>

#include "base/fmt.hpp"
#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/options.hpp"
#include "cli/print.hpp"

namespace gpusupernodal::cli {
namespace {

void print_text() {
  const BuildInfo build = build_info();
  print_line("gpusupernodal", version());
  print_line("scalars", fmt::format("{}", fmt::join(build.scalars, ", ")));
  print_line("forms", fmt::format("{}", fmt::join(build.forms, ", ")));
  for (const BackendInfo& backend : backends()) {
    const std::string reason = backend.reason.empty() ? "" : fmt::format(" ({})", backend.reason);
    print_line(backend.name.c_str(), (backend.available ? "available" : "not available") + reason);
    for (const std::string& device : backend.devices) print_to(stdout, "{:<15} {}\n", "", device);
  }
}

void print_as_json() {
  const BuildInfo build = build_info();
  Json json{{"version", version()}, {"scalars", build.scalars}, {"forms", build.forms}, {"backends", Json::array()}};
  for (const BackendInfo& backend : backends()) {
    json["backends"].push_back({{"name", backend.name},
                                {"available", backend.available},
                                {"reason", backend.reason},
                                {"devices", backend.devices}});
  }
  print_json(json);
}

}  // namespace

Command add_info(CLI::App& parent) {
  auto json = std::make_shared<bool>(false);
  CLI::App* app = parent.add_subcommand(
      "info", "print the version, the scalar types and forms of the build,\nthe backends and the devices found");
  app->add_flag("--json", *json, "print JSON instead of text");
  add_color(*app);
  return {app, [json] {
            *json ? print_as_json() : print_text();
            return ExitCode::success;
          }};
}

}  // namespace gpusupernodal::cli
