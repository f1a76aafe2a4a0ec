#pragma once

/// \file
/// The first lines of a Matrix Market file, common to matrices and right-hand sides.

#include <string>
#include <string_view>

#include "io/line_reader.hpp"
#include "io/numbers.hpp"

namespace gpusupernodal::io {

/// "%%MatrixMarket matrix <format> <field> <symmetry>", in lower case.
struct MatrixMarketHeader {
  std::string format;
  std::string field;
  std::string symmetry;
};

/// Reads the first line. Throws FileError if it is not a Matrix Market header of a matrix of integer or real numbers.
MatrixMarketHeader read_header(LineReader& reader);
/// The next line that is neither empty nor a comment; false at the end of the file.
bool next_data_line(LineReader& reader, std::string_view& line);
/// Takes a word off `line` as an integer. Throws FileError naming `what` where it is missing or no integer.
std::int64_t take_integer(const LineReader& reader, std::string_view& line, const char* what);
/// Takes a word off `line` as a value of the given field ("real" or "integer"). Throws FileError.
double take_value(const LineReader& reader, std::string_view& line, bool integer);
/// Throws FileError if anything but blanks is left of `line`.
void expect_end_of_line(const LineReader& reader, std::string_view line);

}  // namespace gpusupernodal::io
