#pragma once

/// \file
/// The figures of a report as JSON; docs/report.md describes the keys.

#include "cli/json.hpp"
#include "cli/report/figures.hpp"

namespace gpusupernodal::cli {

Json to_json(const ReportFigures& figures);

}  // namespace gpusupernodal::cli
