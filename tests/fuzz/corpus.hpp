#pragma once

/// \file
/// The inputs that the fuzzers kept, in a text file: one input a line, in hexadecimal digits.

#include <cstdint>
#include <string>
#include <vector>

namespace gpusupernodal::fuzz {

/// Throws std::runtime_error where there is no such file, or a line is not what it should be.
std::vector<std::vector<std::uint8_t>> read_corpus(const std::string& path);

}  // namespace gpusupernodal::fuzz
