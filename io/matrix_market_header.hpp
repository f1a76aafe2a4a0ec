#pragma once

/// \file
/// Parses the header and the data lines of Matrix Market files, for matrices and right-hand sides.

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

/// Which numbers a reader takes: integer and real ones, or complex ones as well.
enum class Numbers { real, any };

/// Reads the first line. Throws FileError if it is not a Matrix Market header of such numbers, and HoldsComplexNumbers
/// (complex_matrix.hpp) if only real ones are taken.
MatrixMarketHeader read_header(LineReader& reader, Numbers numbers = Numbers::real);
/// Reads the next line that is neither empty nor a comment; returns false at the end of the file.
bool next_data_line(LineReader& reader, std::string_view& line);
/// Removes the first word of `line` and parses it as an integer. Throws FileError, which names `what`, if it is missing or
/// not an integer.
std::int64_t take_integer(const LineReader& reader, std::string_view& line, const char* what);
/// Removes the first word of `line` and parses it as a real number, or as an integer if `integer`. Throws FileError.
double take_value(const LineReader& reader, std::string_view& line, bool integer);
/// Throws FileError if `line` contains anything but blanks.
void expect_end_of_line(const LineReader& reader, std::string_view line);

}  // namespace gpusupernodal::io
