#pragma once

/// \file
/// Options and code for the method that a report recommends.

#include <string>

#include "cli/report/figures.hpp"

namespace gpusupernodal::cli {

/// Stands in the text for the number of factorizations that are expected.
inline constexpr const char* factorizations_mark = "@FACTORIZATIONS@";

/// Lines for PETSc, Eigen, C++, Python and the command. `spec`: the matrix of the command, quoted for a shell where
/// necessary. Only `method` and `preconditioner` of the figures are read.
Paste paste_of(const MethodFigures& method, Form form, const std::string& spec, double tolerance);

/// `word` as a shell reads it back.
std::string shell_quoted(const std::string& word);

}  // namespace gpusupernodal::cli
