#pragma once

/// \file
/// The option --devices: CUDA devices that factorize together.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace gpusupernodal::cli {

/// Adds --devices. Precondition: add_analyze_options was called before.
void add_devices(CLI::App& app, CommonOptions& common);

/// Returns the numbers that a value of --devices names: "0,1", or "all" for the devices that `info` lists. Throws
/// InvalidInput for any other text, and BackendUnavailable for "all" without a device.
std::vector<int> named_devices(const std::string& typed);

}  // namespace gpusupernodal::cli
