#pragma once

/// \file
/// Loads the matrix that the command line names.

#include <string>

#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::cli {

/// Loads a file or generates a matrix as io::load does. Throws InvalidInput with the nearest generator if `spec` looks like
/// a misspelt one and there is no such file; otherwise throws what io::load throws.
io::SymmetricMatrix load_matrix(const std::string& spec);

}  // namespace gpusupernodal::cli
