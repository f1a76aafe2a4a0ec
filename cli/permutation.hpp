#pragma once

/// \file
/// What a caller says about the order of elimination, from files.

#include <cstdint>
#include <string>
#include <vector>

namespace gpusupernodal::cli {

/// Rows of A in the order of elimination, a number a line, counted from 0 if a 0 is among them and from 1 otherwise;
/// returned counted from 0. Throws FileError with file and line unless every row up to the number of lines occurs once.
std::vector<std::int64_t> read_permutation(const std::string& path);

/// Groups of rows for Options::last_rows: a row a line, counted from 1, with the number of its group behind it, from 1 on; a
/// row without one is in group 1. Returned counted from 0. Throws FileError with file and line for what is none of these.
std::vector<std::vector<std::int64_t>> read_last_rows(const std::string& path);

}  // namespace gpusupernodal::cli
