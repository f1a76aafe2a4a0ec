#include "io/rectangular_matrix.hpp"

#include <algorithm>
#include <utility>

#include "base/fmt.hpp"
#include "io/general_matrix.hpp"
#include "io/generators.hpp"
#include "io/line_reader.hpp"
#include "io/matrix_market_entries.hpp"

namespace gpusupernodal::io {
namespace {

/// A file with wrong, large sizes must fail before memory for them is allocated.
void check_sizes(const LineReader& reader, const CoordinateSizes& sizes) {
  constexpr std::int64_t always = 1000000, for_each_entry = 1000;
  const std::int64_t longest = std::max(sizes.n, sizes.columns);
  if (longest <= always || (longest - always) / for_each_entry < sizes.entries) return;
  reader.fail(
      fmt::format("the matrix is {} × {} but has {} entries only; more than {} rows or columns per entry are refused.",
                  sizes.n, sizes.columns, sizes.entries, for_each_entry));
}

}  // namespace

RectangularMatrix read_rectangular_matrix_market(const std::string& path) {
  LineReader reader(path);
  const CoordinateHeader header = read_coordinate_header(reader);
  const CoordinateSizes sizes = read_coordinate_sizes(reader, header.symmetry, Shapes::rectangular);
  check_sizes(reader, sizes);
  const char* const also = header.symmetry == FileSymmetry::general ? "" : ", as itself or as its mirror image";
  CompressedEntries columns = compress_unique(
      reader, sizes.columns, mirrored(reader, read_entries(reader, sizes, header.integer), header.symmetry), also);
  RectangularMatrix matrix;
  matrix.name = matrix_name(path);
  matrix.rows = sizes.n;
  matrix.columns = sizes.columns;
  matrix.offsets = std::move(columns.offsets);
  for (const Entry& e : columns.entries) {
    matrix.indices.push_back(e.row);
    matrix.values.push_back(e.value);
  }
  return matrix;
}

RectangularMatrix load_rectangular(const std::string& spec_or_path) {
  if (!is_general_generator(spec_or_path) && !is_generator(spec_or_path))
    return read_rectangular_matrix_market(spec_or_path);
  GeneralMatrix square = load_general(spec_or_path);
  return {square.name, square.n, square.n, std::move(square.offsets), std::move(square.indices), std::move(square.values)};
}

std::vector<double> multiply(const RectangularMatrix& a, Span<const double> x) {
  std::vector<double> y(static_cast<std::size_t>(a.rows), 0.0);
  for (std::size_t j = 0; j < static_cast<std::size_t>(a.columns); ++j) {
    for (auto k = static_cast<std::size_t>(a.offsets[j]); k < static_cast<std::size_t>(a.offsets[j + 1]); ++k)
      y[static_cast<std::size_t>(a.indices[k])] += a.values[k] * x[j];
  }
  return y;
}

}  // namespace gpusupernodal::io
