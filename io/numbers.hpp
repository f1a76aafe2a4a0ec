#pragma once

/// \file
/// Parses the words and numbers of a line, independently of the process's locale.

#include <cstdint>
#include <string_view>

namespace gpusupernodal::io {

/// Removes and returns the first word of `line` (characters other than blanks and tabs); empty at the end of the line.
std::string_view take_word(std::string_view& line);

enum class NumberError { none, not_a_number, too_large, not_finite };

/// Parses all of `word` as a finite number. Numbers too small for a double become zero.
NumberError parse_real(std::string_view word, double& value);
/// Parses all of `word` as a decimal integer.
NumberError parse_integer(std::string_view word, std::int64_t& value);
/// Returns the end of an error message that begins with the word: "is not a number", …
const char* explain(NumberError error);

}  // namespace gpusupernodal::io
