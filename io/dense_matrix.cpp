#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <system_error>

#include "base/output_file.hpp"
#include "io/line_reader.hpp"
#include "io/matrix_market_header.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::io {

DenseMatrix read_dense(const std::string& path, std::int64_t rows_expected) {
  LineReader reader(path);
  const MatrixMarketHeader header = read_header(reader);
  if (header.format != "array" || header.symmetry != "general") {
    reader.fail("a right-hand side needs the header 'array real general' or 'array integer general'.");
  }
  std::string_view line;
  if (!next_data_line(reader, line)) reader.fail("the file ends before the line of sizes.");
  DenseMatrix matrix;
  matrix.rows = take_integer(reader, line, "number of rows");
  matrix.cols = take_integer(reader, line, "number of columns");
  expect_end_of_line(reader, line);
  if (matrix.rows < 0 || matrix.cols < 0) {
    reader.fail(fmt::format("{} rows and {} columns were announced; neither may be negative.", matrix.rows, matrix.cols));
  }
  if (rows_expected != any_rows && matrix.rows != rows_expected) {
    reader.fail(fmt::format("the right-hand side has {} rows, but the matrix has {}.", matrix.rows, rows_expected));
  }
  if (matrix.cols > 0 && matrix.rows > std::numeric_limits<std::int64_t>::max() / matrix.cols) {
    reader.fail(fmt::format("{} × {} values are too many.", matrix.rows, matrix.cols));
  }
  const std::int64_t count = matrix.rows * matrix.cols;
  matrix.values.reserve(static_cast<std::size_t>(std::min<std::int64_t>(count, std::int64_t{1} << 12)));
  while (next_data_line(reader, line)) {
    if (static_cast<std::int64_t>(matrix.values.size()) == count) {
      reader.fail(fmt::format("more values than the {} × {} announced.", matrix.rows, matrix.cols));
    }
    matrix.values.push_back(take_value(reader, line, header.field == "integer"));
    expect_end_of_line(reader, line);
  }
  if (static_cast<std::int64_t>(matrix.values.size()) < count) {
    reader.fail(fmt::format("the file ends after {} of {} values.", matrix.values.size(), count));
  }
  return matrix;
}

void write_dense(const std::string& path, const DenseMatrix& matrix) {
  OutputFile file(path);
  constexpr std::size_t flush_bytes = std::size_t{1} << 16;
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), "%%MatrixMarket matrix array real general\n{} {}\n", matrix.rows, matrix.cols);
  for (const double value : matrix.values) {
    fmt::format_to(std::back_inserter(text), "{:.17g}\n", value);
    if (text.size() < flush_bytes) continue;
    file.write(text.data(), text.size());
    text.clear();
    if (file.error()) break;
  }
  file.write(text.data(), text.size());
  if (const std::error_code error = file.commit())
    throw FileError(fmt::format("{}: cannot be written: {}.", path, error.message()), __FILE__, __LINE__);
}

}  // namespace gpusupernodal::io
