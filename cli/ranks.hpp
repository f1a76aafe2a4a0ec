#pragma once

/// \file
/// How a factorization divides among ranks, as text and as JSON.

#include "cli/json.hpp"
#include "gpusupernodal/distribution.hpp"

namespace gpusupernodal::cli {

/// Prints the estimated times and a table with a line for each rank.
void print_ranks(const DistributionReport& report);

Json to_json(const DistributionReport& report);

}  // namespace gpusupernodal::cli
