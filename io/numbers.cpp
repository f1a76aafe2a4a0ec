#include "io/numbers.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

namespace gpusupernodal::io {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Removes a plus sign, which from_chars does not accept.
std::string_view without_plus(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-' && word[1] != '+') word.remove_prefix(1);
  return word;
}

/// Whether a number outside the range of double is too small rather than too large. The sign of the exponent decides. A
/// number without an exponent has hundreds of digits; a small one begins with a zero or a point.
bool is_tiny(std::string_view word) {
  const std::size_t exponent = word.find_first_of("eE");
  if (exponent != std::string_view::npos) return exponent + 1 < word.size() && word[exponent + 1] == '-';
  const std::size_t first = word.find_first_not_of('-');
  return word[first] == '0' || word[first] == '.';
}

}  // namespace

std::string_view take_word(std::string_view& line) {
  std::size_t begin = 0;
  while (begin < line.size() && is_blank(line[begin])) ++begin;
  std::size_t end = begin;
  while (end < line.size() && !is_blank(line[end])) ++end;
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

NumberError parse_real(std::string_view word, double& value) {
  word = without_plus(word);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::invalid_argument || end != word.data() + word.size()) return NumberError::not_a_number;
  if (error == std::errc::result_out_of_range) {
    if (!is_tiny(word)) return NumberError::too_large;
    value = 0.0;
  }
  return std::isfinite(value) ? NumberError::none : NumberError::not_finite;
}

NumberError parse_integer(std::string_view word, std::int64_t& value) {
  word = without_plus(word);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::invalid_argument || end != word.data() + word.size()) return NumberError::not_a_number;
  return error == std::errc::result_out_of_range ? NumberError::too_large : NumberError::none;
}

const char* explain(NumberError error) {
  switch (error) {
    case NumberError::too_large:
      return "is too large";
    case NumberError::not_finite:
      return "is not finite";
    case NumberError::not_a_number:
    case NumberError::none:
      break;
  }
  return "is not a number";
}

}  // namespace gpusupernodal::io
