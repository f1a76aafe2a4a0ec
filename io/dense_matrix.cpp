#include <algorithm>
#include <iterator>
#include <limits>
#include <system_error>
#include <type_traits>

#include "base/fmt.hpp"
#include "base/output_file.hpp"
#include "io/complex_matrix.hpp"
#include "io/line_reader.hpp"
#include "io/matrix_market_header.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::io {
namespace {

void append(fmt::memory_buffer& text, double value) { fmt::format_to(std::back_inserter(text), "{:.17g}\n", value); }
void append(fmt::memory_buffer& text, std::complex<double> value) {
  fmt::format_to(std::back_inserter(text), "{:.17g} {:.17g}\n", value.real(), value.imag());
}

/// Reads a dense matrix of real or of complex numbers.
template <class Matrix>
Matrix read_array(const std::string& path, std::int64_t rows_expected, Numbers numbers) {
  LineReader reader(path);
  const MatrixMarketHeader header = read_header(reader, numbers);
  if (header.format != "array" || header.symmetry != "general") {
    reader.fail("a right-hand side needs the header 'array real general' or 'array integer general'.");
  }
  std::string_view line;
  if (!next_data_line(reader, line)) reader.fail("the file ends before the line of sizes.");
  Matrix matrix;
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
    auto& value = matrix.values.emplace_back(take_value(reader, line, header.field == "integer"));
    if constexpr (!std::is_same_v<Matrix, DenseMatrix>) {
      if (header.field == "complex") value.imag(take_value(reader, line, false));
    }
    expect_end_of_line(reader, line);
  }
  if (static_cast<std::int64_t>(matrix.values.size()) < count) {
    reader.fail(fmt::format("the file ends after {} of {} values.", matrix.values.size(), count));
  }
  return matrix;
}

template <class Matrix>
void write_array(const std::string& path, const Matrix& matrix, const char* field) {
  OutputFile file(path);
  constexpr std::size_t flush_bytes = std::size_t{1} << 16;
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), "%%MatrixMarket matrix array {} general\n{} {}\n", field, matrix.rows,
                 matrix.cols);
  for (const auto& value : matrix.values) {
    append(text, value);
    if (text.size() < flush_bytes) continue;
    file.write(text.data(), text.size());
    text.clear();
    if (file.error()) break;
  }
  file.write(text.data(), text.size());
  if (const std::error_code error = file.commit())
    throw FileError(fmt::format("{}: cannot be written: {}.", path, error.message()), __FILE__, __LINE__);
}

}  // namespace

DenseMatrix read_dense(const std::string& path, std::int64_t rows_expected) {
  return read_array<DenseMatrix>(path, rows_expected, Numbers::real);
}
ComplexDense read_complex_dense(const std::string& path, std::int64_t rows_expected) {
  return read_array<ComplexDense>(path, rows_expected, Numbers::any);
}

void write_dense(const std::string& path, const DenseMatrix& matrix) { write_array(path, matrix, "real"); }
void write_dense(const std::string& path, const ComplexDense& matrix) { write_array(path, matrix, "complex"); }

}  // namespace gpusupernodal::io
