#pragma once

/// \file
/// Figures of the cost model from a file that bench/fit_cost_model wrote.

#include <string>

#include "solver/model/cost_model.hpp"

namespace gpusupernodal {

/// The file that the environment variable GPUSUPERNODAL_COST_MODEL names; empty if none.
std::string cost_model_path();

/// JSON: an object with "format", and objects "host", "cuda" and "launch" of positive numbers named as in
/// cost_figures.hpp. What is not there stays as it is in `defaults`; names that do not exist are refused. Throws
/// InvalidInput, naming the file.
CostFigures read_cost_file(const std::string& path, const CostFigures& defaults);

/// Returns the figures for `device` (a line of cuda_availability().devices, empty for none). Figures in the file that the
/// environment variable GPUSUPERNODAL_COST_MODEL names replace the built-in ones. Throws as read_cost_file.
CostFigures cost_figures_for(const std::string& device);

}  // namespace gpusupernodal
