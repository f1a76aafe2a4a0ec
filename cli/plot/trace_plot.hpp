#pragma once

/// \file
/// A trace as a picture.

#include <string>

namespace gpusupernodal::cli {

/// Returns an SVG of a trace, the text of Solver::trace_json: a row for each lane, coloured by the part of the tree that it
/// works on. Groups of more than 24 lanes have several lanes in a row. Precondition: the text is from trace_json. Cost:
/// O(slices); memory: 40 bytes for each slice; the file is smaller than 1.5 MB.
std::string trace_plot(const std::string& trace_json, const std::string& matrix);

}  // namespace gpusupernodal::cli
