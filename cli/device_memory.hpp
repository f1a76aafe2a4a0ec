#pragma once

/// \file
/// The options --memory and --device-memory-limit: factors that exceed the memory of a CUDA device.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "cli/options.hpp"

namespace gpusupernodal::cli {

/// Adds --memory and --device-memory-limit.
void add_device_memory(CLI::App& app, CommonOptions& common);

/// Returns the bytes that a value of --device-memory-limit names: "2000000000", "2.5GB" or "2GiB". Throws InvalidInput for
/// any other text.
std::int64_t named_bytes(const std::string& typed);

}  // namespace gpusupernodal::cli
