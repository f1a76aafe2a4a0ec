#pragma once

/// \file
/// What to say to a subcommand that does not exist.

#include <CLI/CLI.hpp>

namespace gpusupernodal::cli {

/// To be called where the line has no subcommand. Throws InvalidInput if a word stands in its place, naming the subcommand
/// with the most similar name, or all if none is similar.
void refuse_unknown_command(const CLI::App& app);

}  // namespace gpusupernodal::cli
