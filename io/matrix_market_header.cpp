#include "io/matrix_market_header.hpp"

#include <algorithm>

#include "base/fmt.hpp"
#include "io/complex_matrix.hpp"

namespace gpusupernodal::io {
namespace {

std::string take_lower_case(std::string_view& line) {
  std::string word(take_word(line));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return word;
}

/// Quotes a word for a message: at most 40 characters, with unprintable ones replaced by '?'.
std::string quoted(std::string_view word) {
  std::string text(word.substr(0, 40));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return word.size() > 40 ? fmt::format("'{}…'", text) : fmt::format("'{}'", text);
}

[[noreturn]] void refuse_complex_numbers(const LineReader& reader) {
  try {
    reader.fail("the file holds complex numbers, where real ones are needed.");
  } catch (const FileError& e) {
    throw HoldsComplexNumbers(e.what(), __FILE__, __LINE__);
  }
}

}  // namespace

MatrixMarketHeader read_header(LineReader& reader, Numbers numbers) {
  std::string_view line;
  reader.next(line);
  if (take_lower_case(line) != "%%matrixmarket") {
    reader.fail("the file does not begin with %%MatrixMarket, so it is not a Matrix Market file.");
  }
  const std::string object = take_lower_case(line);
  if (object != "matrix") reader.fail(fmt::format("the header says {}, where 'matrix' is expected.", quoted(object)));
  MatrixMarketHeader header;
  header.format = take_lower_case(line);
  header.field = take_lower_case(line);
  header.symmetry = take_lower_case(line);
  expect_end_of_line(reader, line);
  if (header.format != "coordinate" && header.format != "array") {
    reader.fail(fmt::format("the header says {}, where 'coordinate' or 'array' is expected.", quoted(header.format)));
  }
  if (header.field == "pattern") reader.fail("the file holds a pattern without values; values are needed.");
  if (header.field == "complex") {
    if (numbers == Numbers::any) return header;
    refuse_complex_numbers(reader);
  }
  if (header.field != "real" && header.field != "integer") {
    reader.fail(fmt::format("the header says {}, where 'real' or 'integer' is expected.", quoted(header.field)));
  }
  return header;
}

bool next_data_line(LineReader& reader, std::string_view& line) {
  while (reader.next(line)) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos && line[first] != '%') return true;
  }
  return false;
}

std::int64_t take_integer(const LineReader& reader, std::string_view& line, const char* what) {
  const std::string_view word = take_word(line);
  if (word.empty()) reader.fail(fmt::format("the {} is missing.", what));
  std::int64_t value = 0;
  const NumberError error = parse_integer(word, value);
  if (error == NumberError::too_large) reader.fail(fmt::format("the {} {} is too large.", what, quoted(word)));
  if (error != NumberError::none) reader.fail(fmt::format("the {} {} is not an integer.", what, quoted(word)));
  return value;
}

double take_value(const LineReader& reader, std::string_view& line, bool integer) {
  if (integer) return static_cast<double>(take_integer(reader, line, "value"));
  const std::string_view word = take_word(line);
  if (word.empty()) reader.fail("the value is missing.");
  double value = 0.0;
  const NumberError error = parse_real(word, value);
  if (error != NumberError::none) reader.fail(fmt::format("the value {} {}.", quoted(word), explain(error)));
  return value;
}

void expect_end_of_line(const LineReader& reader, std::string_view line) {
  const std::string_view word = take_word(line);
  if (!word.empty()) reader.fail(fmt::format("unexpected {} at the end of the line.", quoted(word)));
}

}  // namespace gpusupernodal::io
