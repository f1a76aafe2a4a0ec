#pragma once

/// \file
/// Words and numbers of a line; independent of the process's locale.

#include <cstdint>
#include <string_view>

namespace gpusupernodal::io {

/// Takes the next word (characters other than blanks and tabs) off the front of `line`; empty at its end.
std::string_view take_word(std::string_view& line);

enum class NumberError { none, not_a_number, too_large, not_finite };

/// Parses all of `word` as a finite number. What is too small for a double becomes zero.
NumberError parse_real(std::string_view word, double& value);
/// Parses all of `word` as a decimal integer.
NumberError parse_integer(std::string_view word, std::int64_t& value);
/// The end of a sentence that begins with the word: "is not a number", …
const char* explain(NumberError error);

}  // namespace gpusupernodal::io
