#pragma once

/// \file
/// The subcommands. Each add_ function adds a subcommand to `parent` and returns the function that runs it after parsing.

#include <CLI/CLI.hpp>
#include <functional>

#include "cli/exit_code.hpp"

namespace gpusupernodal::cli {

struct Command {
  CLI::App* app = nullptr;
  std::function<ExitCode()> run;
};

Command add_solve(CLI::App& parent);
Command add_analyze(CLI::App& parent);
Command add_bench(CLI::App& parent);
Command add_batch(CLI::App& parent);
Command add_multiply(CLI::App& parent);
Command add_tune(CLI::App& parent);
Command add_report(CLI::App& parent);
Command add_info(CLI::App& parent);
Command add_doctor(CLI::App& parent);
/// `parent` must outlive the command: the script lists all of its subcommands.
Command add_completion(CLI::App& parent);

}  // namespace gpusupernodal::cli
