#pragma once

/// \file
/// A report as one HTML page.

#include <string>

#include "cli/json.hpp"

namespace gpusupernodal::cli {

/// Returns the page for the JSON of a report: the template in this folder with its style, its scripts and the figures. It
/// loads nothing.
std::string report_page(const Json& figures);

/// JSON for a script element of HTML: ASCII only, and without <, > and &, which could end the element.
std::string script_json(const Json& json);

}  // namespace gpusupernodal::cli
