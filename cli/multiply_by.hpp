#pragma once

/// \file
/// `multiply A --by B`: the product of two sparse matrices.

#include <string>

#include "cli/exit_code.hpp"

namespace gpusupernodal::cli {

struct MultiplyByOptions {
  std::string left;
  std::string right;
  std::string output;  ///< Matrix Market file for the product; empty: none.
  std::string backend;
  int threads = 0;
  int device = -1;
  int repeat = 1;
  bool is_single = false;
  bool json = false;
};

/// Multiplies, prints sizes and times, and writes the product. Throws FileError and what SparseProduct throws.
ExitCode multiply_by(const MultiplyByOptions& options);

}  // namespace gpusupernodal::cli
