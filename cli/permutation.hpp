#pragma once

/// \file
/// The caller's ordering, from a file.

#include <cstdint>
#include <string>
#include <vector>

namespace gpusupernodal::cli {

/// Rows of A in the order of elimination, a number a line, counted from 0 if a 0 is among them and from 1 otherwise;
/// returned counted from 0. Throws FileError with file and line unless every row up to the number of lines occurs once.
std::vector<std::int64_t> read_permutation(const std::string& path);

}  // namespace gpusupernodal::cli
