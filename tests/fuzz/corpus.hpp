#pragma once

/// \file
/// Reads a corpus of saved inputs: a text file with one input per line, in hexadecimal digits.

#include <cstdint>
#include <string>
#include <vector>

namespace gpusupernodal::fuzz {

/// Throws std::runtime_error if the file does not exist or a line is malformed.
std::vector<std::vector<std::uint8_t>> read_corpus(const std::string& path);

}  // namespace gpusupernodal::fuzz
