#pragma once

/// \file
/// The error for an unknown subcommand.

#include <CLI/CLI.hpp>

namespace gpusupernodal::cli {

/// Throws InvalidInput if the command line begins with an unknown word. The message names the most similar subcommand, or
/// all subcommands if none is similar. Precondition: the command line has no subcommand.
void refuse_unknown_command(const CLI::App& app);

}  // namespace gpusupernodal::cli
