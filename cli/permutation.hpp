#pragma once

/// \file
/// Reads the files that determine the elimination order.

#include <cstdint>
#include <string>
#include <vector>

namespace gpusupernodal::cli {

/// Reads the rows of A in elimination order, one number per line: 0-based if the file contains a 0, 1-based otherwise.
/// Returns 0-based rows. Throws FileError with file and line unless the numbers are a permutation.
std::vector<std::int64_t> read_permutation(const std::string& path);

/// Reads the groups of rows for Options::last_rows. Each line holds a 1-based row and, optionally, its 1-based group
/// (default 1). Returns 0-based rows, one list per group. Throws FileError with file and line for other input.
std::vector<std::vector<std::int64_t>> read_last_rows(const std::string& path);

}  // namespace gpusupernodal::cli
