#include "io/matrix_market_entries.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string_view>
#include <utility>

#include "base/fmt.hpp"
#include "io/matrix_market_header.hpp"

namespace gpusupernodal::io {
namespace {

constexpr std::size_t look_at_proportion_every = std::size_t{1} << 20;

FileSymmetry symmetry_of(const LineReader& reader, const std::string& word, bool is_complex) {
  if (word == "general") return FileSymmetry::general;
  if (word == "symmetric") return FileSymmetry::symmetric;
  if (word == "skew-symmetric") return FileSymmetry::skew_symmetric;
  if (word == "hermitian" && is_complex) return FileSymmetry::hermitian;
  if (word == "hermitian") reader.fail("a Hermitian matrix is complex, but the header does not say 'complex'.");
  reader.fail("the header must end with 'symmetric' or 'general'.");
}

const char* name_of(FileSymmetry symmetry) {
  if (symmetry == FileSymmetry::general) return "general";
  if (symmetry == FileSymmetry::hermitian) return "hermitian";
  return symmetry == FileSymmetry::symmetric ? "symmetric" : "skew-symmetric";
}

/// Number of places that a file of this symmetry can list.
std::int64_t places(FileSymmetry symmetry, std::int64_t n, std::int64_t columns) {
  if (symmetry == FileSymmetry::general) return n * columns;
  return symmetry == FileSymmetry::skew_symmetric ? n * (n - 1) / 2 : n * (n + 1) / 2;
}

std::int32_t take_index(const LineReader& reader, std::string_view& line, const char* what, std::int64_t n) {
  const std::int64_t index = take_integer(reader, line, what);
  if (index < 1 || index > n) reader.fail(fmt::format("the {} {} is not between 1 and {}.", what, index, n));
  return static_cast<std::int32_t>(index - 1);
}

/// Rejects files that expand far more than a matrix does (gzip bombs). Distinct entries take at least a few bits each after
/// compression: the densest compressed matrices have about one entry per two bytes, repetitive text up to 100 per byte.
void check_proportion(const LineReader& reader, std::size_t entries) {
  constexpr std::size_t max_entries_a_byte = 8;
  if (entries > max_entries_a_byte * static_cast<std::size_t>(reader.bytes_read())) {
    reader.fail(
        fmt::format("{} entries from {} compressed bytes: no matrix compresses so well; decompress the file and check it.",
                    entries, reader.bytes_read()));
  }
}

}  // namespace

CoordinateHeader read_coordinate_header(LineReader& reader, Numbers numbers) {
  const MatrixMarketHeader header = read_header(reader, numbers);
  if (header.format == "array") {
    reader.fail("the file holds a dense array; a sparse matrix in the format 'coordinate' is needed.");
  }
  const bool is_complex = header.field == "complex";
  return {symmetry_of(reader, header.symmetry, is_complex), header.field == "integer", is_complex};
}

CoordinateSizes read_coordinate_sizes(LineReader& reader, FileSymmetry symmetry, Shapes shapes) {
  std::string_view line;
  if (!next_data_line(reader, line)) reader.fail("the file ends before the line of sizes.");
  const std::int64_t rows = take_integer(reader, line, "number of rows");
  const std::int64_t columns = take_integer(reader, line, "number of columns");
  const std::int64_t entries = take_integer(reader, line, "number of entries");
  expect_end_of_line(reader, line);
  if (rows < 0 || columns < 0 || entries < 0) {
    reader.fail(
        fmt::format("{} rows, {} columns and {} entries were announced; none may be negative.", rows, columns, entries));
  }
  if (rows != columns && shapes == Shapes::square) {
    reader.fail(fmt::format(
        "the matrix is {} × {}; only square matrices are solved; 'gpusupernodal multiply --general' takes others.", rows,
        columns));
  }
  if (rows != columns && symmetry != FileSymmetry::general)
    reader.fail(fmt::format("the matrix is {} × {}, but a {} matrix is square.", rows, columns, name_of(symmetry)));
  for (const auto& [count, what] : {std::pair(rows, "rows"), std::pair(columns, "columns")}) {
    if (count >= std::numeric_limits<std::int32_t>::max())
      reader.fail(fmt::format("{} {} are too many: at most 2³¹ − 2 are supported.", count, what));
  }
  const std::int64_t most = places(symmetry, rows, columns);
  if (entries > most) {
    const std::string shape = rows == columns ? fmt::format("of order {}", rows) : fmt::format("of {} × {}", rows, columns);
    reader.fail(
        fmt::format("{} entries do not fit in a {} matrix {}: at most {}.", entries, name_of(symmetry), shape, most));
  }
  return {rows, entries, reader.number(), columns};
}

std::vector<Entry> read_entries(LineReader& reader, const CoordinateSizes& sizes, bool integer) {
  return read_entries(reader, sizes, [&](std::string_view& line) { return take_value(reader, line, integer); });
}

std::vector<Entry> read_entries(LineReader& reader, const CoordinateSizes& sizes,
                                const std::function<double(std::string_view&)>& take_value) {
  std::vector<Entry> entries;
  // The announced number of entries may be wrong, so it does not determine how much memory is reserved.
  entries.reserve(static_cast<std::size_t>(std::min<std::int64_t>(sizes.entries, std::int64_t{1} << 12)));
  std::string_view line;
  while (next_data_line(reader, line)) {
    if (static_cast<std::int64_t>(entries.size()) == sizes.entries) {
      reader.fail(fmt::format("more entries than the {} announced in line {}.", sizes.entries, sizes.line));
    }
    Entry entry;
    entry.row = take_index(reader, line, "row", sizes.n);
    entry.column = take_index(reader, line, "column", sizes.columns);
    entry.value = take_value(line);
    entry.line = reader.number();
    expect_end_of_line(reader, line);
    entries.push_back(entry);
    if (entries.size() % look_at_proportion_every == 0) check_proportion(reader, entries.size());
  }
  if (static_cast<std::int64_t>(entries.size()) < sizes.entries) {
    reader.fail(fmt::format("the file ends after {} of the {} entries announced in line {}.", entries.size(), sizes.entries,
                            sizes.line));
  }
  return entries;
}

std::vector<Entry> mirrored(const LineReader& reader, std::vector<Entry> entries, FileSymmetry symmetry) {
  if (symmetry == FileSymmetry::general) return entries;
  std::vector<Entry> all;
  all.reserve(2 * entries.size());
  for (const Entry& e : entries) {
    all.push_back(e);
    if (e.row != e.column) {
      all.push_back({e.column, e.row, symmetry == FileSymmetry::symmetric ? e.value : -e.value, e.line});
    } else if (symmetry == FileSymmetry::skew_symmetric) {
      reader.fail_at(e.line, fmt::format("the entry ({}, {}) is on the diagonal of a skew-symmetric matrix, which is zero.",
                                         e.row + 1, e.column + 1));
    }
  }
  return all;
}

CompressedEntries compress_unique(const LineReader& reader, std::int64_t n, const std::vector<Entry>& entries,
                                  const char* also) {
  CompressedEntries columns = compress(n, entries);
  if (const Entry* twice = find_duplicate(columns)) {
    reader.fail_at(twice->line,
                   fmt::format("the entry ({}, {}) is given twice{}.", twice->row + 1, twice->column + 1, also));
  }
  return columns;
}

std::string matrix_name(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).filename();
  if (name.extension() == ".gz") name = name.stem();
  if (name.extension() == ".mtx") name = name.stem();
  return name.string();
}

}  // namespace gpusupernodal::io
